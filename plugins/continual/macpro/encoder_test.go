package macpro

import (
	"math"
	"slices"
	"testing"

	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/rng"
)

// joined runs the product of experts on sequences of one dimension: pairs of
// mean and variance.
func joined(t *testing.T, prior float64, mean bool, sequences ...[][2]float64) (mu, variance []float64) {
	t.Helper()
	seqs, rows := &nn.Sequences{Offset: []int{0}}, []float32(nil)
	for _, s := range sequences { // Sequences.Add would refuse an empty one
		for _, g := range s {
			rows = append(rows, float32(g[0]), float32(math.Log(g[1])))
		}
		seqs.Offset, seqs.Keys = append(seqs.Offset, len(rows)/2), append(seqs.Keys, len(s))
	}
	o := &experts{seqs: seqs, tracks: &nn.Extent{Cap: seqs.Len(), N: seqs.Len()}, prior: prior, mean: mean, weight: make([]float64, seqs.Len())}
	out := nn.Mat{Rows: seqs.Len(), Cols: 2, Data: make([]float32, 2*seqs.Len())}
	if err := o.Forward([]nn.Mat{{Rows: seqs.Rows(), Cols: 2, Data: rows}}, out); err != nil {
		t.Fatal(err)
	}
	for i := range out.Rows {
		mu, variance = append(mu, float64(out.Row(i)[0])), append(variance, math.Exp(float64(out.Row(i)[1])))
	}
	return mu, variance
}

func TestProductOfExperts(t *testing.T) {
	two := [][2]float64{{0, 1}, {2, 1}}
	for _, c := range []struct {
		prior, mean, variance float64
	}{{0, 1, 1. / 2}, {1, 2. / 3, 1. / 3}} {
		mu, v := joined(t, c.prior, false, two)
		nearOne(t, "mean", mu[0], c.mean, 1e-6)
		nearOne(t, "variance", v[0], c.variance, 1e-6)
	}
	// The product does not depend on the order, and equals products in pairs.
	three := [][2]float64{{0.3, 0.5}, {-1, 2}, {4, 0.1}}
	all, v := joined(t, 0, false, three)
	turned, _ := joined(t, 0, false, [][2]float64{three[2], three[0], three[1]})
	nearOne(t, "mean of a permutation", turned[0], all[0], 1e-6)
	first, fv := joined(t, 0, false, three[:2])
	second, sv := joined(t, 0, false, [][2]float64{{first[0], fv[0]}, three[2]})
	nearOne(t, "mean of products in pairs", second[0], all[0], 1e-6)
	nearOne(t, "variance of products in pairs", sv[0], v[0], 1e-5)
	// With the prior no variance exceeds 1.
	if _, v := joined(t, 1, false, [][2]float64{{5, 1e6}}); v[0] > 1 {
		t.Fatalf("variance %v with the prior", v[0])
	}
	// Without any expert the prior is left.
	if mu, v := joined(t, 1, false, nil); mu[0] != 0 || v[0] != 1 {
		t.Fatalf("no expert gives mean %v and variance %v", mu[0], v[0])
	}
	mu, v := joined(t, 1, true, [][2]float64{{1, 0.5}, {4, 1.5}})
	nearOne(t, "plain mean", mu[0], 2.5, 1e-6)
	nearOne(t, "plain mean of variances", v[0], 1, 1e-6)
}

func TestGradientOfExperts(t *testing.T) {
	for _, mean := range []bool{false, true} {
		from := rng.New(2).Stream()
		seqs := new(nn.Sequences)
		for _, n := range [][2]int{{3, 3}, {4, 2}, {1, 1}} {
			if err := seqs.Add(n[0], n[1]); err != nil {
				t.Fatal(err)
			}
		}
		o := &experts{seqs: seqs, tracks: &nn.Extent{Cap: 3, N: 3}, prior: 1, mean: mean, weight: []float64{1, 5, 1}}
		x, out := nn.Mat{Rows: 8, Cols: 4, Data: make([]float32, 32)}, nn.Mat{Rows: 3, Cols: 4, Data: make([]float32, 12)}
		slope, dx := nn.Mat{Rows: 3, Cols: 4, Data: make([]float32, 12)}, nn.Mat{Rows: 8, Cols: 4, Data: make([]float32, 32)}
		for _, m := range []nn.Mat{x, slope} {
			for i := range m.Data {
				m.Data[i] = float32(from.Norm())
			}
		}
		value := func() float64 {
			if err := o.Forward([]nn.Mat{x}, out); err != nil {
				t.Fatal(err)
			}
			return nn.Dot(out.Data, slope.Data)
		}
		value()
		if err := o.Backward([]nn.Mat{x}, out, slope, []nn.Mat{dx}); err != nil {
			t.Fatal(err)
		}
		near(t, "gradient", dx.Data, quotients(x.Data, value), 1e-3)
	}
}

// quotients are central differences of f with respect to the elements of x.
func quotients(x []float32, f func() float64) []float64 {
	d := make([]float64, len(x))
	for i, at := range x {
		const h = 1.0 / 128
		x[i] = at + h
		up := f()
		x[i] = at - h
		d[i] = (up - f()) / (2 * h)
		x[i] = at
	}
	return d
}

// reversed is an episode with the order of its records before the last turned.
func reversed(e *episode.Episode) *episode.Episode {
	r := new(episode.Episode)
	r.CopyFrom(e)
	for t := range e.T {
		copy(r.State[t*e.StateWidth:], e.State[(e.T-1-t)*e.StateWidth:(e.T-t)*e.StateWidth])
		w := e.N * e.ObsWidth
		copy(r.Obs[t*w:], e.Obs[(e.T-1-t)*w:(e.T-t)*w])
	}
	return r
}

// swapped is an episode in which the two agents have changed places.
func swapped(e *episode.Episode) *episode.Episode {
	r := new(episode.Episode)
	r.CopyFrom(e)
	for t := range e.T + 1 {
		a, b := seen(r, 0, t), seen(r, 1, t)
		for i := range a {
			a[i], b[i] = b[i], a[i]
		}
	}
	return r
}

func newTiny(t *testing.T, change func(*settings)) *trainer {
	t.Helper()
	c := tiny(t)
	c.POEMask = true
	if change != nil {
		change(c)
	}
	tr, err := newTrainer(c, lbfSpec, rng.New(1))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// A context does not depend on the order of the time steps (without positions),
// on the other episodes of a batch, nor on what comes after the last transition;
// f does not depend on the order of the agents.
func TestContextsOfAnEpisode(t *testing.T) {
	tr, from := newTiny(t, nil), rng.New(3).Stream()
	e := noisy(lbfSpec, 9, from)
	means := func(r *reader, eps ...*episode.Episode) [][]float32 {
		m, err := r.means(eps)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	alone := means(tr.readG, e)[0]
	near(t, "reversed", means(tr.readG, reversed(e))[0], doubles(alone), 1e-5)
	if among := means(tr.readG, noisy(lbfSpec, 25, from), e, noisy(lbfSpec, 3, from))[1]; !slices.Equal(among, alone) {
		t.Errorf("among others %v, alone %v", among, alone)
	}
	other := new(episode.Episode)
	other.CopyFrom(e)
	for i := e.T * e.StateWidth; i < len(other.State); i++ {
		other.State[i] = float32(math.NaN())
	}
	if got := means(tr.readG, other)[0]; !slices.Equal(got, alone) {
		t.Errorf("with another last record %v, before %v", got, alone)
	}
	f, g := means(tr.readF, e), means(tr.readF, swapped(e))
	if !slices.Equal(f[0], g[1]) || !slices.Equal(f[1], g[0]) {
		t.Error("f depends on the order of the agents")
	}
	// The choice of an agent depends on its own observations alone.
	for t := range e.T + 1 {
		for i := range seen(e, 1, t) {
			seen(e, 1, t)[i]++
		}
	}
	if h := means(tr.readF, e); !slices.Equal(h[0], f[0]) || slices.Equal(h[1], f[1]) {
		t.Error("an agent's context does not follow its own observations alone")
	}
	ordered := newTiny(t, func(c *settings) { c.EncPosEnc = "sin" })
	a, b := means(ordered.readG, e)[0], means(ordered.readG, reversed(e))[0]
	if apart(a, b) < 1e-4 {
		t.Error("with positions the order should matter")
	}
}

// One row stands for all equal padding: the same contexts as with every row of
// padding by itself, which positions of weight zero would need.
func TestPaddingCounts(t *testing.T) {
	from := rng.New(4).Stream()
	seqs := new(nn.Sequences)
	if err := seqs.Add(5, 2); err != nil { // two steps, the last record, twice the same padding
		t.Fatal(err)
	}
	short := new(nn.Sequences)
	if err := short.Add(4, 2); err != nil {
		t.Fatal(err)
	}
	x := make([]float32, 5*4)
	for i := range x[:16] {
		x[i] = float32(from.Norm())
	}
	copy(x[16:], x[12:16])
	join := func(s *nn.Sequences, weight float64) []float32 {
		o := &experts{seqs: s, tracks: &nn.Extent{Cap: 1, N: 1}, prior: 1, weight: []float64{weight}}
		out := nn.Mat{Rows: 1, Cols: 4, Data: make([]float32, 4)}
		if err := o.Forward([]nn.Mat{{Rows: s.Rows(), Cols: 4, Data: x[:4*s.Rows()]}}, out); err != nil {
			t.Fatal(err)
		}
		return out.Data
	}
	if a, b := join(seqs, 1), join(short, 2); apart(a, b) > 1e-6 {
		t.Fatalf("%v with two rows of padding, %v with one that counts twice", a, b)
	}
}
