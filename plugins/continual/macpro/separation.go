package macpro

import (
	"math"
	"slices"
)

// separationFloor is the share of the mean variance that is added to every variance, so
// that no direction in which contexts hardly vary decides alone.
const separationFloor = 0.01

// separation is how far the centers of two sets of contexts are apart, in units of how far
// contexts lie from their own center in that direction: sqrt(d' S^-1 d) with the difference
// d of the centers and the covariance S that both sets have in common (Mahalanobis). A
// policy moves contexts along directions in which they vary anyway. Another task moves
// them along others.
func separation(a, b [][]float32) float64 {
	z := len(a[0])
	cov, diff := make([]float64, z*z), make([]float64, z)
	for i, set := range [][][]float32{a, b} {
		mean := make([]float64, z)
		for _, x := range set {
			for d, v := range x {
				mean[d] += float64(v) / float64(len(set))
			}
		}
		for d, v := range mean {
			diff[d] += v * float64(2*i-1)
		}
		for _, x := range set {
			for d := range z {
				gap := (float64(x[d]) - mean[d]) / float64(2*len(set))
				for e := range d + 1 {
					cov[d*z+e] += gap * (float64(x[e]) - mean[e])
				}
			}
		}
	}
	mean := 0.0
	for d := range z {
		mean += cov[d*z+d] / float64(z)
	}
	if mean == 0 { // all contexts of a set are one
		if slices.ContainsFunc(diff, func(x float64) bool { return x != 0 }) {
			return math.Inf(1)
		}
		return 0
	}
	for d := range z {
		cov[d*z+d] += separationFloor * mean
	}
	return lengthIn(cov, diff)
}

// lengthIn is sqrt(x' S^-1 x) for the lower triangle of a positive definite S. It writes L
// of S = LL' over S, and L^-1 x over x.
func lengthIn(s, x []float64) float64 {
	z, sum := len(x), 0.0
	for i := range z {
		v := x[i]
		for j := range i + 1 {
			c := s[i*z+j]
			for k := range j {
				c -= s[i*z+k] * s[j*z+k]
			}
			if i == j {
				s[i*z+i] = math.Sqrt(c)
				break
			}
			s[i*z+j] = c / s[j*z+j]
			v -= s[i*z+j] * x[j]
		}
		x[i] = v / s[i*z+i]
		sum += x[i] * x[i]
	}
	return math.Sqrt(sum)
}
