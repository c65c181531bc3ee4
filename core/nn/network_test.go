package nn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core/rng"
)

func TestLayout(t *testing.T) {
	var l Layout
	m := l.MLP("mlp", []int{3, 4, 2}, ActReLU)
	g := l.GRU("gru", 2, 5)
	phi := Range{0, l.Len()}
	h := l.Linear("head", 5, 6, ActNone)
	net := network(t, &l)
	if m.Len != 3*4+4+4*2+2 || g.Offset != m.Len || g.Len != 15*2+15*5+30 || phi.Hi != h.Offset {
		t.Errorf("segments %+v %+v %+v", m, g, h)
	}
	var names []string
	at := 0
	for _, w := range net.Tensors() {
		names = append(names, w.Name)
		if w.Range.Lo != at {
			t.Errorf("%s starts at %d, want %d", w.Name, w.Range.Lo, at)
		}
		at = w.Range.Hi
	}
	want := []string{"mlp.fc1.weight", "mlp.fc1.bias", "mlp.fc2.weight", "mlp.fc2.bias",
		"gru.weight_ih", "gru.weight_hh", "gru.bias_ih", "gru.bias_hh", "head.fc1.weight", "head.fc1.bias"}
	if !slices.Equal(names, want) || at != len(net.Params) {
		t.Errorf("tensors %v ending at %d of %d", names, at, len(net.Params))
	}
	if _, err := net.Tensor("gru.weight_hi"); err == nil || !strings.Contains(err.Error(), "gru.weight_ih") {
		t.Errorf("got %v, want the nearest name", err)
	}
}

func TestInitialisation(t *testing.T) {
	var l Layout
	l.Linear("in100", 100, 90, ActNone)
	l.GRU("hidden16", 30, 16)
	l.Segment("norm", TensorSpec{Name: "gain", Shape: []int{8}, Init: Init{Value: 1}})
	net := network(t, &l)
	for i, bound := range []float64{0.1, 0.25} {
		seg := net.Segments()[i]
		largest, sum := 0.0, 0.0
		for _, v := range seg.Of(net.Params) {
			largest, sum = math.Max(largest, math.Abs(float64(v))), sum+float64(v)
		}
		if largest > bound || largest < 0.98*bound {
			t.Errorf("%s: largest parameter %v, want just below %v", seg.Name, largest, bound)
		}
		if mean := sum / float64(seg.Len); math.Abs(mean) > 4*bound/math.Sqrt(3*float64(seg.Len)) {
			t.Errorf("%s: mean %v", seg.Name, mean)
		}
	}
	for _, v := range net.Segments()[2].Of(net.Params) {
		if v != 1 {
			t.Errorf("gain %v, want 1", v)
		}
	}
	again := network(t, &l)
	sameBits(t, "same seed", again.Params, net.Params)
	again.InitSegment(again.Segments()[1], rng.New(5).Stream())
	sameBits(t, "other segment", again.Segments()[0].Of(again.Params), net.Segments()[0].Of(net.Params))
	if slices.Equal(again.Params, net.Params) {
		t.Error("the segment was not drawn again")
	}
}

func TestCopies(t *testing.T) {
	var l Layout
	l.Linear("m", 3, 4, ActNone)
	net := network(t, &l)
	clone, fork := net.Clone(), net.Fork()
	net.Params[0] = 42
	if clone.Params[0] == 42 || fork.Params[0] != 42 {
		t.Errorf("clone has %v, fork has %v", clone.Params[0], fork.Params[0])
	}
	net.Touch()
	if fork.Version() != net.Version() || clone.Version() == net.Version() {
		t.Errorf("versions %d, fork %d, clone %d", net.Version(), fork.Version(), clone.Version())
	}
	if err := net.SetRange(Range{0, 3}, make([]float32, 2)); err == nil {
		t.Error("copied 2 parameters into 3")
	}
}

func TestLayoutRefuses(t *testing.T) {
	for want, plan := range map[string]func(l *Layout){
		"at least an input and an output":                               func(l *Layout) { l.MLP("m", []int{3}, ActNone) },
		"has shape [0 3]":                                               func(l *Layout) { l.Linear("m", 3, 0, ActNone) },
		"both must be at least 1":                                       func(l *Layout) { l.GRU("g", 0, 4) },
		`two segments are named "m"`:                                    func(l *Layout) { l.Linear("m", 1, 1, ActNone); l.Linear("m", 1, 1, ActNone) },
		"has shape [1048576000 1048576], which is 1.1e+15 floats":       func(l *Layout) { l.Linear("m", 1<<20, 1000<<20, ActNone) },
		"in wide), with target, gradient and optimiser, need 18.19 TiB": func(l *Layout) { l.Linear("m", 1, 1, ActNone); l.Linear("wide", 1e6, 1e6, ActNone) },
	} {
		var l Layout
		plan(&l)
		if _, err := NewNetwork(&l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
