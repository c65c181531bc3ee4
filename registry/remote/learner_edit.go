package remote

import (
	"context"
	"fmt"

	"macpro/core"
	"macpro/core/episode"
	"macpro/registry/remote/wire"
)

func (l *learner) Gradient(scope core.Scope, batch []*episode.Episode, dst []float32) ([]float32, error) {
	a, err := ask(l.link, "Gradient", l.calls.Gradient, &wire.GradientRequest{Learner: l.id, Scope: string(scope), Episodes: wire.FromEpisodes(batch)})
	if err != nil {
		return dst, err
	}
	x, err := wire.Numbers[float32]("gradient", a.Values)
	if err != nil {
		return dst, l.link.fault("Gradient", err)
	}
	if err := l.agree("Gradient", scope, len(x)); err != nil {
		return dst, err
	}
	return append(dst, x...), nil
}

// SetGradientHook keeps the hook on this side. A lent learner is trained by the
// run, which then asks for the edited gradient.
func (l *learner) SetGradientHook(edit func(g []float32) error) error {
	if l.shared {
		if _, err := ask(l.link, "SetHook", l.calls.SetHook, &wire.HookRequest{Learner: l.id, On: edit != nil}); err != nil {
			return err
		}
	}
	l.hook = edit
	return nil
}

// trainEdited is Train with a hook on this side.
func (l *learner) trainEdited(batch []*episode.Episode) (st core.TrainStats, err error) {
	if _, known := l.sizes.scopes[core.ScopeAll]; !known {
		if _, err := l.parameters(core.ScopeAll); err != nil {
			return st, err
		}
	}
	size := l.sizes.scopes[core.ScopeAll]
	var failed error
	err = l.link.do("Train", func(ctx context.Context) error {
		s, err := l.calls.TrainEdited(ctx)
		if err != nil {
			return err
		}
		send := &wire.Edit{Batch: &wire.BatchRequest{Learner: l.id, Episodes: wire.FromEpisodes(batch)}}
		for {
			_ = s.Send(send) // what is wrong with the stream shows below
			a, err := s.Recv()
			if err != nil {
				return err
			}
			if a.Stats != nil {
				st = toStats(a.Stats)
				_ = s.CloseSend() // all is said
				_, _ = s.Recv()
				return nil
			}
			g, err := wire.Numbers[float32]("gradient", a.Gradient)
			if err == nil && len(g) != size {
				err = fmt.Errorf("a gradient of %d values for %d parameters", len(g), size)
			}
			if err != nil {
				return err
			}
			if failed = l.hook(g); failed != nil {
				send = &wire.Edit{Failed: "the hook failed"}
				continue
			}
			send = &wire.Edit{Gradient: wire.Present(g)}
		}
	})
	if failed != nil {
		return core.TrainStats{}, fmt.Errorf("the hook on the gradient: %w", failed)
	}
	return st, err
}

func (l *learner) SetValueTerm(t core.ValueTerm) error {
	q := &wire.ValueTerm{Learner: l.id, Loss: string(t.Loss), Temperature: t.Temperature, Coef: t.Coef, Only: t.Only, Head: wire.Present(t.Head)}
	for _, v := range t.Targets {
		q.Targets = append(q.Targets, &wire.Targets{Values: wire.Present(v)})
	}
	_, err := ask(l.link, "SetValueTerm", l.calls.SetValueTerm, q)
	return err
}

func (l *learner) SetParameters(scope core.Scope, values []float32) error {
	_, err := ask(l.link, "SetParameters", l.calls.SetParameters, &wire.ParametersRequest{Learner: l.id, Scope: string(scope), Values: wire.Bytes(values)})
	return err
}

func (l *learner) SetFrozen(frozen []bool) error {
	q := &wire.FrozenRequest{Learner: l.id}
	if frozen != nil {
		q.Frozen = make([]byte, len(frozen))
		for j, is := range frozen {
			if is {
				q.Frozen[j] = 1
			}
		}
	}
	_, err := ask(l.link, "SetFrozen", l.calls.SetFrozen, q)
	return err
}

func toSpans(list []*wire.Span) []core.Span {
	var out []core.Span
	for _, s := range list {
		out = append(out, core.Span{Offset: int(s.Offset), Unit: int(s.Unit), Stride: int(s.Stride), Count: int(s.Count)})
	}
	return out
}

func fromSpans(list []core.Span) []*wire.Span {
	var out []*wire.Span
	for _, s := range list {
		out = append(out, &wire.Span{Offset: int64(s.Offset), Unit: int64(s.Unit), Stride: int64(s.Stride), Count: int64(s.Count)})
	}
	return out
}

func (l *learner) ResetUnits(layer string, units []int) error {
	q := &wire.UnitsRequest{Learner: l.id, Layer: layer}
	for _, j := range units {
		q.Units = append(q.Units, int64(j))
	}
	_, err := ask(l.link, "ResetUnits", l.calls.ResetUnits, q)
	return err
}

func (l *learner) Activity(batch []*episode.Episode, q core.ActivityQuery) ([]core.Activity, error) {
	a, err := ask(l.link, "Activity", l.calls.Activity, &wire.ActivityRequest{
		Learner: l.id, Episodes: wire.FromEpisodes(batch), Layers: q.Layers, MeanAbs: q.MeanAbs, Zeros: q.Zeros, Gram: q.Gram,
	})
	if err != nil {
		return nil, err
	}
	var out []core.Activity
	for _, m := range a.Layers {
		x := core.Activity{Layer: m.Layer, Rows: int(m.Rows)}
		var errs [3]error
		x.MeanAbs, errs[0] = wire.Numbers[float32]("mean activations", m.MeanAbs)
		x.Zeros, errs[1] = wire.Numbers[float32]("shares of zeros", m.Zeros)
		x.Gram, errs[2] = wire.Numbers[float32]("products of units", m.Gram)
		for _, err := range errs {
			if err != nil {
				return nil, l.link.fault("Activity", err)
			}
		}
		out = append(out, x)
	}
	if err := l.checkActivity(q, out); err != nil {
		return nil, l.link.fault("Activity", err)
	}
	return out, nil
}
