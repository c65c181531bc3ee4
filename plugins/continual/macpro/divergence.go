package macpro

import "math"

// gaussians are rows of diagonal Gaussians with z dimensions and the gradient
// of a loss with respect to each. All arithmetic on them is in float64: a few
// hundred rows cost nothing and divergences of nearly equal rows lose no digits.
type gaussians struct {
	z        int
	mean     []float64 // [rows, z]
	variance []float64 // [rows, z]
	grad     []float64 // [rows, 2z] for the mean and for the log variance
}

// resize makes room for rows rows and clears the gradients.
func (g *gaussians) resize(rows, z int) {
	n := rows * z
	if cap(g.mean) < n {
		g.mean, g.variance, g.grad = make([]float64, n), make([]float64, n), make([]float64, 2*n)
	}
	g.z, g.mean, g.variance, g.grad = z, g.mean[:n], g.variance[:n], g.grad[:2*n]
	clear(g.grad)
}

// set reads row i from [mean, log variance].
func (g *gaussians) set(i int, rep []float32) {
	for d := range g.z {
		g.mean[i*g.z+d] = float64(rep[d])
		g.variance[i*g.z+d] = math.Exp(float64(rep[g.z+d]))
	}
}

func (g *gaussians) one(i int) gaussian {
	lo, hi := i*g.z, (i+1)*g.z
	return gaussian{g.mean[lo:hi], g.variance[lo:hi], g.grad[2*lo : 2*hi]}
}

type gaussian struct{ mean, variance, grad []float64 }

// divergence is the Jeffreys divergence KL(p||q) + KL(q||p) of diagonal
// Gaussians. A dimension with means m1, m2 and variances v1, v2 contributes
//
//	(v1/v2 + v2/v1)/2 - 1 + (m1-m2)^2 (1/v1 + 1/v2)/2
//
// times a factor: 1 for the sum over dimensions, which the paper writes, or
// 1/(2z), half the mean, which its published coefficients go with.
type divergence struct{ factor float64 }

func newDivergence(reduction string, z int) divergence {
	if reduction == keySum {
		return divergence{1}
	}
	return divergence{1 / (2 * float64(z))}
}

func (j divergence) of(p, q gaussian) float64 {
	sum := 0.0
	for d, m := range p.mean {
		v, w, gap := p.variance[d], q.variance[d], m-q.mean[d]
		sum += 0.5*(v/w+w/v) - 1 + 0.5*gap*gap*(1/v+1/w)
	}
	return j.factor * sum
}

// add adds slope times the gradient of the divergence to the gradients of p and
// of q; a constant has none.
func (j divergence) add(p, q gaussian, slope float64) {
	slope *= j.factor
	z := len(p.mean)
	for d, m := range p.mean {
		v, w, gap := p.variance[d], q.variance[d], m-q.mean[d]
		toMean, ratio := slope*gap*(1/v+1/w), 0.5*slope*(v/w-w/v)
		if p.grad != nil {
			p.grad[d] += toMean
			p.grad[z+d] += ratio - 0.5*slope*gap*gap/v
		}
		if q.grad != nil {
			q.grad[d] -= toMean
			q.grad[z+d] += -ratio - 0.5*slope*gap*gap/w
		}
	}
}

// pairEps keeps the means over pairs finite where there are none.
const pairEps = 1e-3

// contrast is the contrastive loss over all pairs of some rows (Eq. of L_cont in
// the paper): pairs of one group attract, pairs of two groups repel,
//
//	pos = sum D / (pairs + 1e-3)     neg = sum 1/(D + eps) / (pairs + 1e-3)
type contrast struct {
	divergence
	eps  float64
	coef float64 // of pos + neg in the loss
}

// loss computes both parts over the rows picks, where the rows of group k end
// before row ends[k], and adds coef times their gradient to the rows. With a single
// group there is nothing to contrast, and both are zero.
func (c contrast) loss(g *gaussians, picks, ends []int) (pos, neg float64) {
	if len(ends) < 2 {
		return 0, 0
	}
	same, other := pairEps, pairEps
	for i, a := range picks {
		for _, b := range picks[i+1:] {
			if groupOf(a, ends) == groupOf(b, ends) {
				same++
			} else {
				other++
			}
		}
	}
	for i, a := range picks {
		p := g.one(a)
		for _, b := range picks[i+1:] {
			q := g.one(b)
			d := c.of(p, q)
			if groupOf(a, ends) == groupOf(b, ends) {
				pos += d / same
				c.add(p, q, c.coef/same)
				continue
			}
			near := 1 / (d + c.eps)
			neg += near / other
			c.add(p, q, -c.coef*near*near/other)
		}
	}
	return pos, neg
}

func groupOf(row int, ends []int) int {
	k := 0
	for row >= ends[k] {
		k++
	}
	return k
}
