package conform

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"macpro/core"
	"macpro/core/episode"
)

// The checks of a learner's optional abilities. They hold nothing against a
// learner that has not got one.

// unchanged is an error if do changes a learner's state.
func unchanged(l core.Learner, what string, do func() error) error {
	before, err := bytesOf(l)
	if err != nil {
		return err
	}
	if err := do(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	after, err := bytesOf(l)
	if err == nil && !bytes.Equal(before, after) {
		err = fmt.Errorf("%s changed the learner", what)
	}
	return err
}

// checkGradients: a gradient is appended and changes nothing; the hook sees it,
// decides what the step is made of, and its error ends the step.
func checkGradients(l core.Learner, eps []*episode.Episode) error {
	editor := core.AbilitiesOf(l).Gradients
	if editor == nil {
		return nil
	}
	all := l.Parameters(core.ScopeAll, nil)
	var g []float32
	err := unchanged(l, "Gradient", func() (err error) {
		g, err = editor.Gradient(core.ScopeAll, eps, []float32{7})
		return err
	})
	switch {
	case err != nil:
		return err
	case len(g) != 1+len(all) || g[0] != 7:
		return fmt.Errorf("a gradient of %d values behind one that was there, the learner has %d parameters", len(g), len(all))
	}
	if err := checkHook(l, editor, eps, g[1:]); err != nil {
		return err
	}
	if _, err := editor.Gradient("nowhere", eps, nil); err == nil {
		return errors.New("the gradient of an unknown scope")
	}
	return checkTerm(l, editor, eps)
}

func checkHook(l core.Learner, editor core.GradientEditor, eps []*episode.Episode, want []float32) error {
	before := l.Parameters(core.ScopeAll, nil)
	seen := false
	err := editor.SetGradientHook(func(g []float32) error {
		seen = sameBits(g, want)
		clear(g)
		return nil
	})
	if err != nil {
		return err
	}
	st, err := l.Train(eps)
	switch {
	case err != nil:
		return err
	case !seen:
		return errors.New("the hook was not asked, or not about the gradient that Gradient gives")
	case st.GradNorm != 0 || !sameBits(before, l.Parameters(core.ScopeAll, nil)):
		return fmt.Errorf("the hook left no gradient, its norm is %v and parameters may have moved", st.GradNorm)
	}
	sorry := errors.New("the hook is sorry")
	if err := editor.SetGradientHook(func([]float32) error { return sorry }); err != nil {
		return err
	}
	err = unchanged(l, "a step whose hook fails", func() error {
		if _, err := l.Train(eps); !errors.Is(err, sorry) {
			return fmt.Errorf("want the hook's error, got %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := editor.SetGradientHook(nil); err != nil {
		return err
	}
	if _, err := l.Train(eps); err != nil {
		return err
	}
	if sameBits(before, l.Parameters(core.ScopeAll, nil)) {
		return errors.New("a hook that was taken away still holds")
	}
	return nil
}

// twoAway moves targets away from the values that they are.
func twoAway(targets [][]float32) {
	for _, v := range targets {
		for j := range v {
			v[j] += 2
		}
	}
}

// checkTerm: a term on values is Coef times their distance, for one step.
func checkTerm(l core.Learner, editor core.GradientEditor, eps []*episode.Episode) error {
	values := core.AbilitiesOf(l).Valuer
	if values == nil {
		return nil
	}
	targets, err := values.EpisodeValues(eps, nil)
	if err != nil {
		return err
	}
	twoAway(targets)
	term := core.ValueTerm{Loss: core.ValueMSE, Coef: 3, Targets: targets}
	if err := editor.SetValueTerm(term); err != nil {
		return err
	}
	st, err := l.Train(eps)
	switch {
	case err != nil:
		return err
	case math.Abs(st.ValueLoss-12) > 0.01 || math.Abs(st.Loss-st.TDLoss-st.Penalty-st.ValueLoss) > 1e-6*(1+math.Abs(st.Loss)):
		return fmt.Errorf("values that are 2 away from their targets, with a coefficient of 3, cost %v, want 12 (loss %v, TD loss %v)", st.ValueLoss, st.Loss, st.TDLoss)
	}
	if st, err = l.Train(eps); err != nil {
		return err
	}
	if st.ValueLoss != 0 {
		return fmt.Errorf("the step after that with a term has a term of %v", st.ValueLoss)
	}
	term.Targets = targets[1:]
	if err := editor.SetValueTerm(term); err != nil {
		return err
	}
	if _, err := l.Train(eps); err == nil {
		return errors.New("a term with targets for an episode too few was accepted")
	}
	if editor.SetValueTerm(core.ValueTerm{Loss: "no such loss", Coef: 1}) == nil {
		return errors.New("an unknown loss of a term on values was accepted")
	}
	return checkFixedHead(l, editor, eps)
}

// checkFixedHead: a term may look at a head that is not the live one, which does
// not learn from it.
func checkFixedHead(l core.Learner, editor core.GradientEditor, eps []*episode.Episode) error {
	old := l.Parameters(core.ScopeHead, nil)
	if _, err := l.Train(eps); err != nil {
		return err
	}
	features := len(l.Parameters(core.ScopeFeatures, nil))
	targets, err := core.AbilitiesOf(l).Valuer.EpisodeValues(eps, append(l.Parameters(core.ScopeFeatures, nil), old...))
	if err != nil {
		return err
	}
	twoAway(targets)
	var g []float32
	err = editor.SetGradientHook(func(all []float32) error {
		g = append(g[:0], all[features:features+len(old)]...)
		return nil
	})
	if err != nil {
		return err
	}
	if err := editor.SetValueTerm(core.ValueTerm{Loss: core.ValueMSE, Coef: 3, Targets: targets, Only: true, Head: old}); err != nil {
		return err
	}
	st, err := l.Train(eps)
	switch {
	case err != nil:
		return err
	case math.Abs(st.ValueLoss-12) > 0.01:
		return fmt.Errorf("values of an earlier head that are 2 away from their targets, with a coefficient of 3, cost %v, want 12", st.ValueLoss)
	case slices.ContainsFunc(g, func(x float32) bool { return x != 0 }):
		return errors.New("a term on the values of an earlier head has a gradient in the live one")
	}
	if editor.SetValueTerm(core.ValueTerm{Loss: core.ValueMSE, Coef: 1, Targets: targets, Head: old[1:]}) == nil {
		return errors.New("a term on the values of a head with a parameter too few was accepted")
	}
	return editor.SetGradientHook(nil)
}

// checkWeights: parameters are written as they are read, fixed ones stay, units
// that were reset have no outgoing weights, activations belong to layers.
func checkWeights(l core.Learner, eps []*episode.Episode) error {
	editor := core.AbilitiesOf(l).Weights
	if editor == nil {
		return nil
	}
	for _, scope := range []core.Scope{core.ScopeFeatures, core.ScopeHead, core.ScopeAgent, core.ScopeAll} {
		x := l.Parameters(scope, nil)
		for j := range x {
			x[j] += 0.25
		}
		if err := editor.SetParameters(scope, x); err != nil {
			return err
		}
		if !sameBits(x, l.Parameters(scope, nil)) {
			return fmt.Errorf("scope %s has other parameters than were written", scope)
		}
		if editor.SetParameters(scope, x[1:]) == nil {
			return fmt.Errorf("scope %s took a parameter too few", scope)
		}
	}
	agent := l.Parameters(core.ScopeAgent, nil)
	for _, fixed := range []bool{true, false} {
		marks := slices.Repeat([]bool{fixed}, len(agent))
		if !fixed {
			marks = nil
		}
		if err := editor.SetFrozen(marks); err != nil {
			return err
		}
		if _, err := l.Train(eps); err != nil {
			return err
		}
		if same := sameBits(agent, l.Parameters(core.ScopeAgent, nil)); same != fixed {
			return fmt.Errorf("all parameters fixed: %v, after a step they are the same: %v", fixed, same)
		}
	}
	if editor.SetFrozen(make([]bool, 1)) == nil {
		return errors.New("one mark for all parameters was accepted")
	}
	return checkLayers(l, editor, eps)
}

func checkLayers(l core.Learner, editor core.WeightEditor, eps []*episode.Episode) error {
	layers := editor.Layers()
	seen, err := editor.Activity(eps, core.ActivityQuery{MeanAbs: true, Zeros: true, Gram: true})
	if err != nil {
		return err
	}
	if len(seen) != len(layers) {
		return fmt.Errorf("activations of %d layers, there are %d", len(seen), len(layers))
	}
	for i, x := range layers {
		a := seen[i]
		if a.Layer != x.Name || a.Rows < 1 || len(a.MeanAbs) != x.Width || len(a.Zeros) != x.Width || len(a.Gram) != x.Width*x.Width {
			return fmt.Errorf("activations of layer %s in %d rows for layer %s of %d units", a.Layer, a.Rows, x.Name, x.Width)
		}
		if !(slices.Min(a.Zeros) >= 0) || slices.Max(a.Zeros) > 1 || !(slices.Min(a.MeanAbs) >= 0) {
			return fmt.Errorf("layer %s: shares of zeros %v, means %v", x.Name, a.Zeros, a.MeanAbs)
		}
		if x.In == nil {
			continue
		}
		units := []int{0, x.Width - 1}
		if err := editor.ResetUnits(x.Name, units); err != nil {
			return err
		}
		agent := l.Parameters(core.ScopeAgent, nil)
		for _, s := range x.Out {
			for _, unit := range units {
				s.Each(unit, func(p int) {
					if p < 0 || p >= len(agent) || agent[p] != 0 {
						err = fmt.Errorf("layer %s: outgoing weight %d of units that were reset together, of %d parameters", x.Name, p, len(agent))
					}
				})
			}
		}
		if err != nil {
			return err
		}
		if editor.ResetUnits(x.Name, []int{x.Width}) == nil {
			return fmt.Errorf("unit %d of layer %s, which has %d, was reset", x.Width, x.Name, x.Width)
		}
	}
	if editor.ResetUnits("no such layer", nil) == nil {
		return errors.New("units of an unknown layer were reset")
	}
	return nil
}

// checkValues: the values of whole episodes begin like those of acting, with the
// learner's own parameters or those of a teacher.
func checkValues(l core.Learner, eps []*episode.Episode) error {
	valuer := core.AbilitiesOf(l).Valuer
	if valuer == nil {
		return nil
	}
	first, err := values(l, eps[0], core.LiveHead)
	if err != nil {
		return err
	}
	for _, agent := range [][]float32{nil, l.Parameters(core.ScopeAgent, nil)} {
		var got [][]float32
		err := unchanged(l, "EpisodeValues", func() (err error) {
			got, err = valuer.EpisodeValues(eps, agent)
			return err
		})
		if err != nil {
			return err
		}
		for i, e := range eps {
			if len(got) != len(eps) || len(got[i]) != e.T*e.N*e.A {
				return fmt.Errorf("%d lists of values for %d episodes, or one of another length than [T, n, A]", len(got), len(eps))
			}
		}
		if !sameBits(first, got[0][:len(first)]) {
			return fmt.Errorf("an episode's first values are %v, acting gives %v", got[0][:len(first)], first)
		}
	}
	return nil
}
