package remote

import (
	"fmt"

	"macpro/core"
	"macpro/registry/remote/wire"
)

// sizes is what never changes about a learner: it is asked for once and every
// later answer must agree with it, since methods index one vector by another.
type sizes struct {
	shown  bool // the width of the recurrent state is known
	scopes map[core.Scope]int
	layers []core.Layer
}

// Parameters asks for the parameters of a scope. A failure shows at the next call
// that can return it; zeros stand for them until then.
func (l *learner) Parameters(scope core.Scope, dst []float32) []float32 {
	x, err := l.parameters(scope)
	if err != nil {
		l.link.note(err)
		x = make([]float32, l.sizes.scopes[scope])
	}
	return append(dst, x...)
}

func (l *learner) parameters(scope core.Scope) ([]float32, error) {
	a, err := ask(l.link, "Parameters", l.calls.Parameters, &wire.ScopeRequest{Learner: l.id, Scope: string(scope)})
	if err != nil {
		return nil, err
	}
	x, err := wire.Numbers[float32]("parameters", a.Values)
	if err != nil {
		return nil, l.link.fault("Parameters", err)
	}
	if _, known := l.sizes.scopes[scope]; !known {
		if l.sizes.scopes == nil {
			l.sizes.scopes = map[core.Scope]int{}
		}
		l.sizes.scopes[scope] = len(x)
	}
	return x, l.agree("Parameters", scope, len(x))
}

// agree is an error unless an answer has as many values as the scope parameters.
func (l *learner) agree(call string, scope core.Scope, n int) error {
	if _, known := l.sizes.scopes[scope]; !known {
		if _, err := l.parameters(scope); err != nil {
			return err
		}
	}
	if want := l.sizes.scopes[scope]; n != want {
		return l.link.fault(call, fmt.Errorf("%d values for scope %q, which has %d parameters", n, scope, want))
	}
	return nil
}

// Layers asks for the layers. A failure shows at the next call that can return
// it.
func (l *learner) Layers() []core.Layer {
	layers, err := l.known()
	if err != nil {
		l.link.note(err)
	}
	return layers
}

// known are the layers, whose weights lie among the parameters of the agent.
func (l *learner) known() ([]core.Layer, error) {
	if l.sizes.layers != nil {
		return l.sizes.layers, nil
	}
	a, err := ask(l.link, "Layers", l.calls.Layers, l.ref())
	if err != nil {
		return nil, err
	}
	agent, err := l.parameters(core.ScopeAgent)
	if err != nil {
		return nil, err
	}
	var out []core.Layer
	for _, m := range a.Layers {
		x := core.Layer{Name: m.Name, Width: int(m.Width), In: toSpans(m.In), Out: toSpans(m.Out)}
		if err := fits(x, len(agent)); err != nil {
			return nil, l.link.fault("Layers", err)
		}
		out = append(out, x)
	}
	l.sizes.layers = out
	return out, nil
}

// fits is an error unless all weights of a layer are among n parameters.
func fits(x core.Layer, n int) error {
	if err := core.InRange("the width of a layer", int64(x.Width), 1, core.MaxWidth); err != nil {
		return err
	}
	for _, spans := range [][]core.Span{x.In, x.Out} {
		for _, s := range spans {
			for _, v := range []int{s.Offset, s.Unit, s.Stride, s.Count} {
				if v < 0 || v > n {
					return fmt.Errorf("layer %q has weights at %+v of %d parameters", x.Name, s, n)
				}
			}
			if last := s.Offset + (x.Width-1)*s.Unit + (s.Count-1)*s.Stride; s.Count < 1 || last >= n {
				return fmt.Errorf("layer %q has weights up to %d of %d parameters", x.Name, last, n)
			}
		}
	}
	return nil
}

// checkActivity is an error unless an answer is about the layers that were asked
// for, and holds what was asked.
func (l *learner) checkActivity(q core.ActivityQuery, got []core.Activity) error {
	layers, err := l.known()
	if err != nil {
		return err
	}
	width, asked := map[string]int{}, q.Layers
	for _, x := range layers {
		width[x.Name] = x.Width
		if len(q.Layers) == 0 {
			asked = append(asked, x.Name)
		}
	}
	if len(got) != len(asked) {
		return fmt.Errorf("activations of %d layers, want %d", len(got), len(asked))
	}
	for i, a := range got {
		w := width[a.Layer]
		if asked[i] != a.Layer {
			return fmt.Errorf("activations of layer %q, which was not asked for", a.Layer)
		}
		for _, c := range []struct {
			asked     bool
			got, want int
		}{{q.MeanAbs, len(a.MeanAbs), w}, {q.Zeros, len(a.Zeros), w}, {q.Gram, len(a.Gram), w * w}} {
			if c.asked && c.got != c.want || !c.asked && c.got != 0 {
				return fmt.Errorf("layer %q of %d units: %d values, want %d", a.Layer, w, c.got, c.want)
			}
		}
	}
	return nil
}
