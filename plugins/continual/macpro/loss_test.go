package macpro

import (
	"math"
	"slices"
	"testing"

	"macpro/core/nn"
	"macpro/core/rng"
)

// pair are two Gaussians of equal shape.
func pair(z int, m1, v1, m2, v2 float64) *gaussians {
	var g gaussians
	g.resize(2, z)
	for d := range z {
		g.mean[d], g.variance[d], g.mean[z+d], g.variance[z+d] = m1, v1, m2, v2
	}
	return &g
}

func TestJeffreysDivergence(t *testing.T) {
	for _, z := range []int{1, 4, 32} {
		sum, half := newDivergence("sum", z), newDivergence("mean_half", z)
		for _, c := range []struct{ m1, v1, m2, v2, want float64 }{
			{0, 1, 1, 1, 1}, {0, 1, 0, 4, 1.125}, {3, 0.2, 3, 0.2, 0},
		} {
			g := pair(z, c.m1, c.v1, c.m2, c.v2)
			p, q := g.one(0), g.one(1)
			nearOne(t, "sum", sum.of(p, q), c.want*float64(z), 1e-12)
			nearOne(t, "half mean", half.of(p, q), c.want/2, 1e-12)
			if sum.of(p, q) != sum.of(q, p) {
				t.Error("the divergence is not symmetric")
			}
		}
		if g := pair(z, 0, 1, 1e-3, 1); sum.of(g.one(0), g.one(1)) <= 0 {
			t.Error("unequal Gaussians have no divergence")
		}
	}
}

func TestContrast(t *testing.T) {
	c := contrast{newDivergence("mean_half", 2), 1e-3, 1}
	all := []int{0, 1, 2, 3, 4, 5}
	same := func(rows int) *gaussians {
		var g gaussians
		g.resize(rows, 2)
		for i := range g.variance {
			g.variance[i] = 1
		}
		return &g
	}
	// Two identical groups of three: 3+3 pairs attract, 9 repel.
	pos, neg := c.loss(same(6), all, []int{3, 6})
	nearOne(t, "attraction of equal rows", pos, 0, 1)
	nearOne(t, "repulsion of equal rows", neg, 1000*9/(9+1e-3), 1e-12)
	if pos, neg := c.loss(same(6), all, []int{6}); pos != 0 || neg != 0 {
		t.Errorf("a single group has losses %v and %v", pos, neg)
	}
	// Every pair of picks counts once: rows 1 apart in both dimensions.
	g := same(6)
	for i := range 6 {
		g.mean[2*i], g.mean[2*i+1] = float64(i), float64(i)
	}
	pos, neg = c.loss(g, []int{0, 1, 2, 5}, []int{3, 6})
	// Pairs (0,1), (1,2) at 1 and (0,2) at 4, halved; 5 repels three.
	nearOne(t, "attraction", pos, (0.5+0.5+2)/(3+1e-3), 1e-12)
	nearOne(t, "repulsion", neg, (1/(12.5+1e-3)+1/(8+1e-3)+1/(4.5+1e-3))/(3+1e-3), 1e-12)
}

func TestGradientOfContrast(t *testing.T) {
	from := rng.New(6).Stream()
	c := contrast{newDivergence("sum", 3), 1e-2, 0.7}
	rep := make([]float32, 8*6)
	for i := range rep {
		rep[i] = float32(from.Norm())
	}
	var g gaussians
	value := func() float64 {
		g.resize(8, 3)
		for i := range 8 {
			g.set(i, rep[i*6:(i+1)*6])
		}
		pos, neg := c.loss(&g, []int{7, 0, 3, 5, 2}, []int{4, 8})
		return c.coef * (pos + neg)
	}
	value()
	grad := make([]float32, len(g.grad))
	narrow(grad, g.grad)
	near(t, "gradient", grad, quotients(rep, value), 2e-3)
}

// The whole losses, in all variants: moving a random half of the parameters
// along their gradient changes the loss by the square of its length.
func TestGradientsOfTheLosses(t *testing.T) {
	for name, change := range map[string]func(*settings){
		"default":       func(*settings) {},
		"mean":          func(c *settings) { c.Aggregation = "mean" },
		"padding":       func(c *settings) { c.POEMask = false },
		"positions":     func(c *settings) { c.EncPosEnc, c.POEMask = "sin", false },
		"per agent":     func(c *settings) { c.LocalEncoder = "per_agent" },
		"sum, next":     func(c *settings) { c.Divergence, c.ModelTarget, c.AlphaContG = "sum", "next", 0.01 },
		"without model": func(c *settings) { c.RecCoef = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTiny(t, func(c *settings) {
				c.EncDepth, c.ContEps = 1, 0.5
				change(c)
			})
			b := noisyBatch(lbfSpec, 2, 3, 4, func(from *rng.Stream) int { return 1 + from.Intn(5) })
			eps := slices.Concat(b.groups...)
			s, err := tr.graphsWith(&graphs{room: len(eps)})
			if err != nil {
				t.Fatal(err)
			}
			gradients := func() {
				if err := tr.gradients(s, b, eps); err != nil {
					t.Fatal(err)
				}
			}
			for _, c := range []struct {
				net   *nn.Network
				total func() float64
			}{{tr.g.net, s.global.total}, {tr.f.net, s.local.total}} {
				gradients()
				at, pick := slices.Clone(c.net.Params), rng.New(8).Stream()
				for range 8 {
					step := slices.Clone(c.net.Grads)
					for i := range step {
						if pick.Intn(2) == 0 {
							step[i] = 0
						}
					}
					length := math.Sqrt(nn.SumSq(step))
					move := func(h float64) float64 {
						for i := range at {
							c.net.Params[i] = at[i] + float32(h/length)*step[i]
						}
						c.net.Touch()
						gradients()
						return c.total()
					}
					const h = 5e-3
					quotient := (move(h) - move(-h)) / (2 * h)
					move(0)
					nearOne(t, "slope along the gradient", quotient, length, 2e-2)
				}
			}
		})
	}
}

// g and h learn nothing from the loss of f, and f nothing from theirs; agents
// and mixer are in neither graph.
func TestLossesStayApart(t *testing.T) {
	grads := func(change func(*settings)) (g, f []float32) {
		tr := newTiny(t, change)
		if _, _, err := tr.step(noisyBatch(lbfSpec, 2, 4, 4, solved)); err != nil {
			t.Fatal(err)
		}
		return tr.g.net.Grads, tr.f.net.Grads
	}
	g, f := grads(nil)
	if g2, f2 := grads(func(c *settings) { c.ApproxCoef, c.AlphaContL = 7, 0 }); !slices.Equal(g, g2) || slices.Equal(f, f2) {
		t.Error("the weights of the loss of f must change the gradient of f alone")
	}
	if g2, f2 := grads(func(c *settings) { c.RecCoef, c.AlphaContG = 7, 0 }); slices.Equal(g, g2) || !slices.Equal(f, f2) {
		t.Error("the weights of the loss of g must change the gradient of g alone")
	}
}
