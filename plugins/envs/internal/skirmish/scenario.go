package skirmish

import "math"

// Group is a squad that starts around one point.
type Group struct {
	Team Team
	At   Vec
	// Kinds lists the units in the order of their indices.
	Kinds []Kind
}

// Scenario is where a battle takes place and who fights.
type Scenario struct {
	Terrain *Terrain
	Groups  []Group
	// Goal is the point that the enemies attack-move to from the start.
	Goal Vec
}

// spawnGap is the distance between the edges of neighbours at the start.
const spawnGap = 0.05

// place puts a group's units on a square grid around its point. With s the least
// number whose square holds all units, rows of s units are filled one after the
// other; a row is as high as its largest unit. Enemies are the allies' mirror image
// through the point.
func (g *Group) place(rules *Rules, put func(k Kind, at Vec)) {
	side := int(math.Ceil(math.Sqrt(float64(len(g.Kinds)))))
	var height, width float64
	for row := range side {
		r, w := g.row(rules, row, side)
		height += 2 * r
		width = max(width, w)
	}
	height += float64(side-1) * spawnGap
	sign := 1.0
	if g.Team == Enemies {
		sign = -1
	}
	y, before := g.At.Y-sign*height/2, 0.0
	for row := range side {
		r, _ := g.row(rules, row, side)
		y += sign * (before + r)
		x, left := g.At.X-sign*width/2, 0.0
		for _, k := range g.cut(row, side) {
			own := rules.Stats[k].Radius
			x += sign * (left + own)
			put(k, Vec{x, y})
			x += sign * spawnGap
			left = own
		}
		before = r
		y += sign * spawnGap
	}
}

// row returns the radius of the largest unit in a row and the sum of the diameters.
func (g *Group) row(rules *Rules, row, side int) (radius, width float64) {
	for _, k := range g.cut(row, side) {
		r := rules.Stats[k].Radius
		radius = max(radius, r)
		width += 2 * r
	}
	return radius, width
}

func (g *Group) cut(row, side int) []Kind {
	n := len(g.Kinds)
	return g.Kinds[min(row*side, n):min((row+1)*side, n)]
}
