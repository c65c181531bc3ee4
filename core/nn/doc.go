// Package nn is the engine: everything that touches Gorgonia and the float32
// kernels. Gorgonia holds the graph, differentiates it symbolically and runs it
// on its tape machine; the heavy work sits in a handful of fused operations.
package nn
