package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/nn"
)

// Values of the key sharing.
const sharingNone = "none"

// separate is a network for each agent on flat observations: as many rnn as there
// are agents, with parameters of their own. The features phi are those of all
// agents one after the other, and so is the head psi.
type separate struct{ nets []*rnn }

var _ agent = (*separate)(nil)

// planSeparate adds the modules of all phi and then all heads to an empty layout.
func planSeparate(l *nn.Layout, c Config, spec core.EnvSpec) *separate {
	s := &separate{}
	for i := range spec.Agents {
		s.nets = append(s.nets, &rnn{cfg: c, spec: spec, own: i})
		s.nets[i].planPhi(l, fmt.Sprintf("phi.agent%d", i))
	}
	for i, r := range s.nets {
		r.planHead(l, fmt.Sprintf("head.agent%d", i))
	}
	return s
}

func (s *separate) fits(spec core.EnvSpec) error { return s.nets[0].fits(spec) }
func (s *separate) phi() nn.Range                { return nn.Range{Lo: 0, Hi: s.nets[len(s.nets)-1].phi().Hi} }
func (s *separate) hidden() int                  { return s.nets[0].hidden() }

func (s *separate) head() []nn.Segment {
	var all []nn.Segment
	for _, r := range s.nets {
		all = append(all, r.head()...)
	}
	return all
}

func (s *separate) layers() []core.Layer {
	var all []core.Layer
	for _, r := range s.nets {
		all = append(all, r.layers()...)
	}
	return all
}

// separateInputs are the inputs of a graph, [records, width] for each agent.
type separateInputs struct {
	v  *view
	g  *nn.Graph
	of []*rnnInputs
}

func (s *separate) inputs(g *nn.Graph, v *view, _ core.EnvSpec) inputs {
	in := &separateInputs{v: v, g: g}
	rows, time := v.one(g)
	for i, r := range s.nets {
		in.of = append(in.of, &rnnInputs{r, g, time, g.Input(fmt.Sprintf("inputs of agent %d", i), rows, r.width())})
	}
	return in
}

func (in *separateInputs) set(row int, obs []float32, avail []uint8, last int32, i int) {
	in.of[i].set(row/len(in.of), obs, avail, last, i)
}

func (in *separateInputs) q(net *nn.Network, heads ...*nn.Network) ([]*nn.Value, error) {
	parts := make([][]*nn.Value, 1+len(heads))
	for _, own := range in.of {
		q, err := own.q(net, heads...)
		if err != nil {
			return nil, err
		}
		for k := range parts {
			parts[k] = append(parts[k], q[k])
		}
	}
	var all []*nn.Value
	for _, p := range parts {
		q, err := in.g.Apply(&teamOp{in.v}, p...)
		if err != nil {
			return nil, fmt.Errorf("agents: %w", err)
		}
		all = append(all, q)
	}
	return all, nil
}

// teamOp makes the rows of a team, [records*n, A], from those of its agents,
// [records, A] each.
type teamOp struct{ v *view }

func (o *teamOp) Name() string       { return "rows of all agents" }
func (o *teamOp) NeedsGrad(int) bool { return true }

func (o *teamOp) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(ext) != o.v.n {
		return nil, 0, fmt.Errorf("values of %d agents, want %d", len(ext), o.v.n)
	}
	for i := range ext {
		if ext[i] != o.v.records || width[i] != width[0] {
			return nil, 0, fmt.Errorf("want values of %d agents per record, got inputs of widths %v", o.v.n, width)
		}
	}
	return o.v.agents, width[0], nil
}

func (o *teamOp) Forward(in []nn.Mat, out nn.Mat) error {
	for i, m := range in {
		for r := range m.Rows {
			copy(out.Row(r*o.v.n+i), m.Row(r))
		}
	}
	return nil
}

func (o *teamOp) Backward(_ []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	for i, m := range dIn {
		for r := range m.Rows {
			copy(m.Row(r), dOut.Row(r*o.v.n+i))
		}
	}
	return nil
}
