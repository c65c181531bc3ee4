package export

import (
	"fmt"
	"slices"
	"strings"

	"macpro/core"
)

// Names of the ONNX model's inputs and outputs. The values of the live head are
// OutputQ, those of saved head k OutputQ followed by k.
const (
	InputRows    = "inputs"
	InputHidden  = "hidden"
	OutputHidden = "hidden_out"
	OutputQ      = "q"
)

// rnnPolicy is a policy's recurrent network by its tensors.
type rnnPolicy struct {
	tensors map[string]core.Weight
	layers  int      // below the recurrent cell
	heads   []string // "head", "head0", ...
	hidden  int
}

// ONNX returns a model of one time step with a free batch axis: inputs [batch,
// row] and hidden [batch, H] give hidden_out [batch, H] and the action values
// [batch, A] of every head. It is made for the recurrent agent network; other
// networks are refused.
func (p *Policy) ONNX() ([]byte, error) {
	if p.spec.Entities != nil {
		return nil, fmt.Errorf("ONNX is written for teams of one size; a policy of %s attends over any number of units: export as safetensors instead", p.spec.Env)
	}
	r, err := p.recurrent()
	if err != nil {
		return nil, err
	}
	g := &graph{}
	for _, w := range p.weights {
		g.tensor(w.Name, w.Data, w.Shape...)
	}
	g.end(graphInput, InputRows, p.width())
	g.end(graphInput, InputHidden, r.hidden)
	x := g.apply("scaled", "Mul", InputRows, g.tensor("scale", p.scale(), p.width()))
	for i := 1; i <= r.layers; i++ {
		layer := fmt.Sprintf("phi.mlp.fc%d", i)
		x = g.linear(layer, x, layer+".weight", layer+".bias")
		x = g.apply(layer+".relu", "Relu", x)
	}
	h := g.gru(x, r.hidden)
	g.end(graphOutput, OutputHidden, r.hidden)
	for _, head := range r.heads {
		out := OutputQ + strings.TrimPrefix(head, headPrefix)
		g.linear(out, h, head+".fc1.weight", head+".fc1.bias")
		g.end(graphOutput, out, p.spec.Actions)
	}
	return g.model("policy", p.Producer, p.Meta), nil
}

// scale is what an input row is multiplied by.
func (p *Policy) scale() []float32 {
	s := slices.Repeat([]float32{1}, p.width())
	for j := range p.spec.ObsWidth {
		s[j] = float32(p.inputs.Scale)
	}
	return s
}

// gru adds a step of a GRU with gates r, z, n:
//
//	r, z = sigmoid(gx + gh),  n = tanh(gx_n + r gh_n),  h' = (1-z) n + z h
func (g *graph) gru(x string, hidden int) string {
	third := g.sizes("gates", hidden, hidden, hidden)
	split := func(name, gates string) []string {
		out := []string{name + ".r", name + ".z", name + ".n"}
		g.node("Split", []string{gates, third}, out, attribute{"axis", 1})
		return out
	}
	gx := split("gx", g.linear("gx", x, "phi.gru.weight_ih", "phi.gru.bias_ih"))
	gh := split("gh", g.linear("gh", InputHidden, "phi.gru.weight_hh", "phi.gru.bias_hh"))
	r := g.apply("r", "Sigmoid", g.apply("r.sum", "Add", gx[0], gh[0]))
	z := g.apply("z", "Sigmoid", g.apply("z.sum", "Add", gx[1], gh[1]))
	n := g.apply("n", "Tanh", g.apply("n.sum", "Add", gx[2], g.apply("n.reset", "Mul", r, gh[2])))
	fresh := g.apply("new", "Mul", g.apply("z.rest", "Sub", g.tensor("one", []float32{1}, 1), z), n)
	return g.apply(OutputHidden, "Add", fresh, g.apply("kept", "Mul", z, InputHidden))
}

// recurrent finds the parts of the recurrent agent network and makes sure that
// there is nothing else and that the shapes fit each other.
func (p *Policy) recurrent() (*rnnPolicy, error) {
	r := &rnnPolicy{tensors: map[string]core.Weight{}}
	for _, w := range p.weights {
		r.tensors[w.Name] = w
		if head, ok := strings.CutSuffix(w.Name, ".fc1.weight"); ok && strings.HasPrefix(head, headPrefix) {
			r.heads = append(r.heads, head)
		}
	}
	want := map[string]bool{}
	width := p.width()
	for {
		next := fmt.Sprintf("phi.mlp.fc%d", r.layers+1)
		if _, ok := r.tensors[next+".weight"]; !ok {
			break
		}
		r.layers++
		out := r.tensors[next+".bias"].Shape
		if err := r.need(want, next, width, out); err != nil {
			return nil, err
		}
		width = out[0]
	}
	if hh := r.tensors["phi.gru.weight_hh"].Shape; len(hh) == 2 {
		r.hidden = hh[1]
	}
	for name, shape := range map[string][]int{
		"phi.gru.weight_ih": {3 * r.hidden, width}, "phi.gru.weight_hh": {3 * r.hidden, r.hidden},
		"phi.gru.bias_ih": {3 * r.hidden}, "phi.gru.bias_hh": {3 * r.hidden},
	} {
		if err := r.shaped(want, name, shape); err != nil {
			return nil, err
		}
	}
	for _, head := range r.heads {
		if err := r.need(want, head+".fc1", r.hidden, []int{p.spec.Actions}); err != nil {
			return nil, err
		}
	}
	for _, w := range p.weights {
		if !want[w.Name] {
			return nil, fmt.Errorf("ONNX is written for the recurrent network of layers, one GRU and linear heads; tensor %q is no part of it: export as safetensors instead", w.Name)
		}
	}
	return r, nil
}

// need wants a linear layer from width in to the shape of its bias.
func (r *rnnPolicy) need(want map[string]bool, layer string, in int, bias []int) error {
	if len(bias) != 1 {
		return fmt.Errorf("tensor %q has shape %v, want a vector", layer+".bias", bias)
	}
	if err := r.shaped(want, layer+".weight", []int{bias[0], in}); err != nil {
		return err
	}
	return r.shaped(want, layer+".bias", bias)
}

func (r *rnnPolicy) shaped(want map[string]bool, name string, shape []int) error {
	want[name] = true
	w, ok := r.tensors[name]
	if !ok || !slices.Equal(w.Shape, shape) {
		return fmt.Errorf("ONNX is written for the recurrent network of layers, one GRU and linear heads; tensor %q has shape %v there and %v here: export as safetensors instead",
			name, shape, w.Shape)
	}
	return nil
}
