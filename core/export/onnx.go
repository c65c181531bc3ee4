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

// rnnPolicy is a recurrent network of a policy by its tensors.
type rnnPolicy struct {
	own     string // "" for a network of all agents, else ".agent0", ".agent1", ...
	tensors map[string]core.Weight
	layers  int      // below the recurrent cell
	heads   []string // "", "0", "1", ...: what follows "head" and "q"
	hidden  int
}

func (r *rnnPolicy) phi(tensor string) string     { return "phi" + r.own + "." + tensor }
func (r *rnnPolicy) head(k, tensor string) string { return headPrefix + k + r.own + "." + tensor }
func (r *rnnPolicy) value(name string) string     { return name + r.own }

// ONNX returns a model of one time step with a free batch axis: inputs [batch,
// row] and hidden [batch, H] give hidden_out [batch, H] and the action values
// [batch, A] of every head. If each agent has a network of its own, there are such
// inputs and outputs for each: inputs.agent0, inputs.agent1 and so on. It is made
// for recurrent networks; others are refused.
func (p *Policy) ONNX() ([]byte, error) {
	if p.spec.Entities != nil {
		return nil, fmt.Errorf("ONNX is written for teams of one size; a policy of %s attends over any number of units: export as safetensors instead", p.spec.Env)
	}
	nets, err := p.networks()
	if err != nil {
		return nil, err
	}
	g := &graph{}
	for _, w := range p.weights {
		g.tensor(w.Name, w.Data, w.Shape...)
	}
	scale, one := g.tensor("scale", p.scale(), p.width()), g.tensor("one", []float32{1}, 1)
	gates := g.sizes("gates", nets[0].hidden, nets[0].hidden, nets[0].hidden)
	for _, r := range nets {
		g.end(graphInput, r.value(InputRows), p.width())
		g.end(graphInput, r.value(InputHidden), r.hidden)
		x := g.apply(r.value("scaled"), "Mul", r.value(InputRows), scale)
		for i := 1; i <= r.layers; i++ {
			layer := r.phi(fmt.Sprintf("mlp.fc%d", i))
			x = g.linear(layer, x, layer+".weight", layer+".bias")
			x = g.apply(layer+".relu", "Relu", x)
		}
		h := g.gru(r, x, gates, one)
		g.end(graphOutput, r.value(OutputHidden), r.hidden)
		for _, k := range r.heads {
			out := r.value(OutputQ + k)
			g.linear(out, h, r.head(k, "fc1.weight"), r.head(k, "fc1.bias"))
			g.end(graphOutput, out, p.spec.Actions)
		}
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
func (g *graph) gru(p *rnnPolicy, x, gates, one string) string {
	name, hidden := p.value, p.value(InputHidden)
	split := func(of, x string) []string {
		out := []string{name(of + ".r"), name(of + ".z"), name(of + ".n")}
		g.node("Split", []string{x, gates}, out, attribute{"axis", 1})
		return out
	}
	gx := split("gx", g.linear(name("gx"), x, p.phi("gru.weight_ih"), p.phi("gru.bias_ih")))
	gh := split("gh", g.linear(name("gh"), hidden, p.phi("gru.weight_hh"), p.phi("gru.bias_hh")))
	r := g.apply(name("r"), "Sigmoid", g.apply(name("r.sum"), "Add", gx[0], gh[0]))
	z := g.apply(name("z"), "Sigmoid", g.apply(name("z.sum"), "Add", gx[1], gh[1]))
	n := g.apply(name("n"), "Tanh", g.apply(name("n.sum"), "Add", gx[2], g.apply(name("n.reset"), "Mul", r, gh[2])))
	fresh := g.apply(name("new"), "Mul", g.apply(name("z.rest"), "Sub", one, z), n)
	return g.apply(name(OutputHidden), "Add", fresh, g.apply(name("kept"), "Mul", z, hidden))
}

// networks finds the parts of the recurrent networks and makes sure that there is
// nothing else and that the shapes fit each other.
func (p *Policy) networks() ([]*rnnPolicy, error) {
	tensors := map[string]core.Weight{}
	owners := []string{""}
	for _, w := range p.weights {
		if tensors[w.Name] = w; strings.HasPrefix(w.Name, "phi.agent0.") {
			owners = nil
		}
	}
	if owners == nil {
		for i := range p.spec.Agents {
			owners = append(owners, fmt.Sprintf(".agent%d", i))
		}
	}
	want := map[string]bool{}
	var all []*rnnPolicy
	for _, own := range owners {
		r := &rnnPolicy{own: own, tensors: tensors}
		if err := p.recurrent(r, want); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	for _, w := range p.weights {
		if !want[w.Name] {
			return nil, fmt.Errorf("ONNX is written for the recurrent network of layers, one GRU and linear heads; tensor %q is no part of it: export as safetensors instead", w.Name)
		}
	}
	return all, nil
}

// recurrent finds the parts of one network.
func (p *Policy) recurrent(r *rnnPolicy, want map[string]bool) error {
	for _, w := range p.weights {
		head, ok := strings.CutSuffix(w.Name, r.own+".fc1.weight")
		if k, is := strings.CutPrefix(head, headPrefix); ok && is && !strings.Contains(k, ".") {
			r.heads = append(r.heads, k)
		}
	}
	width := p.width()
	for {
		next := r.phi(fmt.Sprintf("mlp.fc%d", r.layers+1))
		if _, ok := r.tensors[next+".weight"]; !ok {
			break
		}
		r.layers++
		out := r.tensors[next+".bias"].Shape
		if err := r.need(want, next, width, out); err != nil {
			return err
		}
		width = out[0]
	}
	if hh := r.tensors[r.phi("gru.weight_hh")].Shape; len(hh) == 2 {
		r.hidden = hh[1]
	}
	for name, shape := range map[string][]int{
		"gru.weight_ih": {3 * r.hidden, width}, "gru.weight_hh": {3 * r.hidden, r.hidden},
		"gru.bias_ih": {3 * r.hidden}, "gru.bias_hh": {3 * r.hidden},
	} {
		if err := r.shaped(want, r.phi(name), shape); err != nil {
			return err
		}
	}
	for _, k := range r.heads {
		if err := r.need(want, r.head(k, "fc1"), r.hidden, []int{p.spec.Actions}); err != nil {
			return err
		}
	}
	return nil
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
