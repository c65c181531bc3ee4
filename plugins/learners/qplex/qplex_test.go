package qplex

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/nn"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

var small = Config{Hyper: 16, Kernels: 2, AdvLayers: 3, AdvEmbed: 8, Weighted: true, MinusOne: true,
	Entity: qlearn.EntityConfig{Embed: 7, Attn: 3}}

// specs are tasks of three agents, flat and made of entities.
var specs = []core.EnvSpec{qlearntest.Spec(3), qlearntest.Entities(3, 4)}

func TestPlugin(t *testing.T) { qlearntest.Plugin(t, Plugin{}) }

func TestMixer(t *testing.T) {
	for _, layers := range []int{1, 2, 3} {
		for flags := range 4 {
			c := small
			c.AdvLayers, c.Weighted, c.MinusOne = layers, flags&1 != 0, flags&2 != 0
			t.Run(fmt.Sprintf("layers %d, weighted %v, minus one %v", layers, c.Weighted, c.MinusOne), func(t *testing.T) {
				qlearntest.Mixer(t, c.Mixer)
			})
		}
	}
}

// part lists the ranges of the parameters whose name has one of the prefixes.
func part(b *qlearntest.Bench, prefixes ...string) (ranges []nn.Range) {
	for _, s := range b.Net.Segments() {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s.Name, "mixer."+p) }) {
			ranges = append(ranges, s.Range())
		}
	}
	return ranges
}

// The weights lambda learn through the advantages, which are constants for
// them. w and v learn through the transformed values alone: where every action
// is the greedy one, that is the whole derivative.
func TestGradients(t *testing.T) {
	const rows, kernels = 20, 2
	for n := 1; n <= 3; n++ {
		for _, minusOne := range []bool{false, true} {
			s := rng.New(2).ChildInt(int64(n)).Stream()
			var in []nn.Mat
			for range 4 {
				in = append(in, qlearntest.Rows(s, rows, n))
			}
			nn.Abs(in[2].Data, in[2].Data)
			var ofKernels []int
			for range kernels {
				key := qlearntest.Rows(s, rows, 1)
				nn.Abs(key.Data, key.Data)
				ofKernels = append(ofKernels, len(in), len(in)+1, len(in)+2)
				in = append(in, key, qlearntest.Rows(s, rows, n), qlearntest.Rows(s, rows, n))
			}
			op := &mix{n: n, kernels: kernels, weighted: true, minusOne: minusOne}
			qlearntest.Gradient(t, s, op, in, ofKernels...)
			copy(in[1].Data, in[0].Data)
			qlearntest.Gradient(t, s, &mix{n: n, kernels: kernels, weighted: true, minusOne: minusOne}, in, 2, 3)
		}
	}
}

// The gradient of a value is w_i > 0, whatever lambda is: none enters the
// agents through the advantages.
func TestValuesLearnThroughTheWeightsAlone(t *testing.T) {
	for _, spec := range specs {
		t.Run(spec.Task, func(t *testing.T) { learnThroughWeights(t, spec) })
	}
}

func learnThroughWeights(t *testing.T, spec core.EnvSpec) {
	s := rng.New(4).Stream()
	b := qlearntest.MustBench(t, small.Mixer, spec, 10, s)
	b.Random(s)
	qlearntest.MustRun(t, b)
	before := slices.Clone(b.QGrad)
	for i, g := range before {
		if g*b.Weight[i/3] <= 0 {
			t.Errorf("w of value %d is %v", i, g/b.Weight[i/3])
		}
	}
	for _, r := range part(b, "key", "agent", "action") {
		copy(r.Of(b.Net.Params), qlearntest.Normals(s, r.Len()))
	}
	tot := slices.Clone(b.QTot)
	qlearntest.MustRun(t, b)
	if !slices.Equal(before, b.QGrad) {
		t.Error("the gradients of the values depend on lambda")
	}
	if slices.Equal(tot, b.QTot) {
		t.Error("Q_tot does not depend on lambda")
	}
}

// At the agents' greedy actions the advantages are zero.
func TestGreedyValueIgnoresLambda(t *testing.T) {
	for _, spec := range specs {
		t.Run(spec.Task, func(t *testing.T) { greedyIgnoresLambda(t, spec) })
	}
}

func greedyIgnoresLambda(t *testing.T, spec core.EnvSpec) {
	s := rng.New(5).Stream()
	b := qlearntest.MustBench(t, small.Mixer, spec, 10, s)
	b.Random(s)
	copy(b.Top, b.Q)
	qlearntest.MustRun(t, b)
	before := slices.Clone(b.QTot)
	for _, r := range part(b, "key", "agent", "action") {
		copy(r.Of(b.Net.Params), qlearntest.Normals(s, r.Len()))
	}
	qlearntest.MustRun(t, b)
	if !slices.Equal(before, b.QTot) {
		t.Errorf("Q_tot changed from %v to %v", before, b.QTot)
	}
}

// With w = 1, v = 0 and lambda = 1 QPLEX is VDN. Zero weights and these biases
// make it so: |1|, sigmoid(40)^2 = 1.
func TestWithoutWeightsItIsTheSum(t *testing.T) {
	s := rng.New(6).Stream()
	c := small
	c.Kernels = 1
	b := qlearntest.MustBench(t, c.Mixer, qlearntest.Spec(3), 10, s)
	b.Random(s)
	clear(b.Net.Params)
	set := func(tensor string, value float32) {
		x, err := b.Net.Tensor(tensor)
		if err != nil {
			t.Fatal(err)
		}
		for i := x.Range.Lo; i < x.Range.Hi; i++ {
			b.Net.Params[i] = value
		}
	}
	set("mixer.w.fc2.bias", 1)
	set("mixer.key0.fc3.bias", 1)
	set("mixer.agent0.fc3.bias", 40)
	set("mixer.action0.fc3.bias", 40)
	qlearntest.MustRun(t, b)
	for k, tot := range b.QTot {
		sum := 0.0
		for _, q := range b.Q[3*k : 3*k+3] {
			sum += float64(q)
		}
		if math.Abs(float64(tot)-sum) > 1e-6*(1+math.Abs(sum)) {
			t.Errorf("row %d: Q_tot %v, sum of values %v", k, tot, sum)
		}
	}
}
