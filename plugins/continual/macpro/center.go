package macpro

import "math"

// center is where a group's contexts lie: their mean c_k, and l_k, the mean
// distance to it (Eq. of the expansion test in the paper).
type center struct {
	head   int
	mean   []float32
	radius float64
}

// centerOf computes the center of a group from the means of its contexts.
func centerOf(head int, means [][]float32) center {
	c := center{head: head, mean: make([]float32, len(means[0]))}
	for d := range c.mean {
		sum := 0.0
		for _, m := range means {
			sum += float64(m[d])
		}
		c.mean[d] = float32(sum / float64(len(means)))
	}
	c.radius = c.distance(means)
	return c
}

// distance is the mean distance of contexts to the center: l'_k for contexts of
// a new task.
func (c center) distance(means [][]float32) float64 {
	sum := 0.0
	for _, m := range means {
		sum += apart(c.mean, m)
	}
	return sum / float64(len(means))
}

// apart is the Euclidean distance.
func apart(a, b []float32) float64 {
	sum := 0.0
	for d, x := range a {
		gap := float64(x) - float64(b[d])
		sum += gap * gap
	}
	return math.Sqrt(sum)
}
