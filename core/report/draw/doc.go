// Package draw turns figures into pictures (gonum/plot) and into charts of a page
// (go-echarts). A Figure says what is to be seen, apart from how it is drawn.
package draw
