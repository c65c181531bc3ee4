package nn

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"macpro/core/conform/recorded"
)

// agentFixture is a recurrent agent computed by PyTorch 1.13: the inputs and
// hidden states are [T][B*n][..], q and the loss weights [B][T][n][A].
type agentFixture struct {
	Dims struct {
		N      int `json:"n_agents"`
		A      int `json:"n_actions"`
		Input  int `json:"input"`
		Hidden int `json:"rnn_hidden_dim"`
		MLP    int `json:"mlp_hidden"`
	}
	Weights, Grads map[string]json.RawMessage
	Inputs, Hidden [][][]float64
	Q              [][][][]float64
	LossWeights    [][][][]float64 `json:"loss_weights"`
	Loss           float64
}

func readAgentFixture(t *testing.T) (f agentFixture) {
	t.Helper()
	recorded.Read(t, "testdata/agent_rnn.json.gz", &f)
	return f
}

// flat reads a vector or matrix of JSON numbers.
func flat(t *testing.T, raw json.RawMessage) []float64 {
	t.Helper()
	var v []float64
	if json.Unmarshal(raw, &v) == nil {
		return v
	}
	var m [][]float64
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(m...)
}

// fixtureName is the recorded name of one of our tensors.
func fixtureName(ours string) string {
	switch {
	case strings.HasPrefix(ours, "mlp."):
		return "feature_layer." + strings.TrimPrefix(ours, "mlp.")
	case strings.HasPrefix(ours, "gru."):
		return "feature_layer.rnn." + strings.TrimPrefix(ours, "gru.")
	}
	return "head.fc5." + strings.TrimPrefix(ours, "head.fc1.")
}

func TestAgentMatchesPyTorch(t *testing.T) {
	f := readAgentFixture(t)
	d := f.Dims
	var l Layout
	mlp := l.MLP("mlp", []int{d.Input, d.MLP, d.MLP, d.MLP, d.MLP, d.Hidden}, ActReLU)
	gru := l.GRU("gru", d.Hidden, d.Hidden)
	head := l.Linear("head", d.Hidden, d.A, ActNone)
	net := network(t, &l)
	for _, w := range net.Tensors() {
		want := flat(t, f.Weights[fixtureName(w.Name)])
		if len(want) != w.Range.Len() {
			t.Fatalf("%s has %d floats, recorded were %d", w.Name, w.Range.Len(), len(want))
		}
		for i, v := range want {
			net.Params[w.Range.Lo+i] = float32(v)
		}
	}
	T, B := len(f.Inputs), len(f.Q)
	g := NewGraph()
	rows := g.Extent(T * B * d.N)
	x, c := g.Input("x", rows, d.Input), g.Input("c", rows, d.A)
	var steps Steps
	h := apply(t, g, gru.Op(&steps), apply(t, g, mlp.Op(), x, g.Param(net, mlp.Segment)), g.Param(net, gru.Segment))
	q := apply(t, g, head.Op(), h, g.Param(net, head.Segment))
	loss := apply(t, g, dotLoss{}, q, c)
	compile(t, g, loss)

	alive := make([]int, T)
	var wantH, wantQ []float64
	for s := range T {
		alive[s] = B
		for r, row := range f.Inputs[s] {
			for i, v := range row {
				x.Data()[(s*B*d.N+r)*d.Input+i] = float32(v)
			}
			wantH = append(wantH, f.Hidden[s][r]...)
			b, agent := r/d.N, r%d.N
			wantQ = append(wantQ, f.Q[b][s][agent]...)
			for a, v := range f.LossWeights[b][s][agent] {
				c.Data()[(s*B*d.N+r)*d.A+a] = float32(v)
			}
		}
	}
	if err := steps.Set(d.N, alive); err != nil {
		t.Fatal(err)
	}
	run(t, g)
	near(t, "hidden", h.Data(), wantH, 1e-5)
	near(t, "q", q.Data(), wantQ, 1e-5)
	near(t, "loss", loss.Data(), []float64{f.Loss}, 1e-5)
	for _, w := range net.Tensors() {
		near(t, w.Name, w.Range.Of(net.Grads), flat(t, f.Grads[fixtureName(w.Name)]), 1e-5)
	}
}
