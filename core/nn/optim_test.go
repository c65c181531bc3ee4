package nn

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// optimFixture is six steps of PyTorch's optimisers on two tensors.
type optimFixture struct {
	P0    []json.RawMessage
	Steps []struct {
		Grad   []json.RawMessage `json:"grad_before_clip"`
		Norm   float64
		Params []json.RawMessage
	}
}

// optimizer is what RMSProp and Adam have in common.
type optimizer interface {
	Step(net *Network, ranges ...Range) (StepInfo, error)
	State() []OptimState
}

func TestOptimizersMatchPyTorch(t *testing.T) {
	raw, err := os.ReadFile("testdata/optim.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ RMSProp, Adam optimFixture }
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	make2 := func(n int) map[string]optimizer {
		return map[string]optimizer{"rmsprop": NewRMSProp(n, 5e-4, 0.99, 1e-5, 10), "adam": NewAdam(n, 5e-4, 10)}
	}
	for name, rec := range map[string]optimFixture{"rmsprop": f.RMSProp, "adam": f.Adam} {
		t.Run(name, func(t *testing.T) { replay(t, rec, func(n int) optimizer { return make2(n)[name] }) })
	}
}

// replay repeats the recorded steps; half way it goes on with a new optimiser
// that is given the state of the old one.
func replay(t *testing.T, f optimFixture, make func(n int) optimizer) {
	p0 := joined(t, f.P0)
	var l Layout
	seg := l.Segment("p", TensorSpec{Name: "p", Shape: []int{len(p0)}})
	net := network(t, &l)
	if err := net.SetRange(seg.Range(), narrow(p0)); err != nil {
		t.Fatal(err)
	}
	cut := len(flat(t, f.P0[0]))
	ranges := []Range{{0, cut}, {cut, len(p0)}}
	opt := make(len(p0))
	for i, s := range f.Steps {
		if i == 3 {
			fresh := make(len(p0))
			for j, st := range fresh.State() {
				copy(st.Data, opt.State()[j].Data)
			}
			opt = fresh
		}
		copy(net.Grads, narrow(joined(t, s.Grad)))
		info, err := opt.Step(net, ranges...)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(info.Norm-s.Norm) > 1e-6*s.Norm {
			t.Fatalf("step %d: norm %v, want %v", i, info.Norm, s.Norm)
		}
		if want := math.Min(1, 10/(s.Norm+1e-6)); math.Abs(info.Clip-want) > 1e-6 {
			t.Fatalf("step %d: clip %v, want %v", i, info.Clip, want)
		}
		near(t, "parameters", net.Params, joined(t, s.Params), 1e-6)
	}
}

func joined(t *testing.T, raw []json.RawMessage) (all []float64) {
	for _, r := range raw {
		all = append(all, flat(t, r)...)
	}
	return all
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func TestOptimizerKeepsToItsRanges(t *testing.T) {
	var l Layout
	l.Segment("p", TensorSpec{Name: "p", Shape: []int{6}, Init: Init{Value: 1}})
	for _, opt := range []optimizer{NewRMSProp(6, 0.1, 0.9, 1e-5, 0), NewAdam(6, 0.1, 0)} {
		net := network(t, &l)
		before := net.Version()
		for i := range net.Grads {
			net.Grads[i] = 1
		}
		if _, err := opt.Step(net, Range{1, 3}, Range{4, 5}); err != nil {
			t.Fatal(err)
		}
		if net.Version() == before {
			t.Error("the network's version did not change")
		}
		for i, p := range net.Params {
			if moved := p != 1; moved != (i == 1 || i == 2 || i == 4) {
				t.Errorf("%T: parameter %d is %v", opt, i, p)
			}
		}
		if r, ok := opt.(*RMSProp); ok {
			r.Reset(Range{1, 2})
			if r.v[1] != 0 || r.v[2] == 0 {
				t.Errorf("after the reset of parameter 1 the state is %v", r.v)
			}
		}
	}
}

func TestOptimizerRefuses(t *testing.T) {
	var l Layout
	l.Segment("p", TensorSpec{Name: "p", Shape: []int{3}, Init: Init{Value: 1}})
	net := network(t, &l)
	opt := NewRMSProp(3, 0.1, 0.9, 1e-5, 10)
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		net.Grads[1] = float32(bad)
		if _, err := opt.Step(net, net.All()); err == nil {
			t.Errorf("a gradient of %v was accepted", bad)
		}
		sameBits(t, "parameters", net.Params, []float32{1, 1, 1})
	}
	net.Grads[1] = 0
	if _, err := opt.Step(net, Range{0, 4}); err == nil {
		t.Error("a range beyond the network was accepted")
	}
	if _, err := NewAdam(4, 0.1, 0).Step(net, net.All()); err == nil {
		t.Error("an optimiser of another size was accepted")
	}
}

func BenchmarkRMSProp(b *testing.B) {
	var l Layout
	l.Segment("p", TensorSpec{Name: "p", Shape: []int{100_000}, Init: Init{Value: 1}})
	net := network(b, &l)
	copy(net.Grads, normals(len(net.Grads), "g"))
	opt := NewRMSProp(len(net.Params), 5e-4, 0.99, 1e-5, 10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := opt.Step(net, net.All()); err != nil {
			b.Fatal(err)
		}
	}
}
