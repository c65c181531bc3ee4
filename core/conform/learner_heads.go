package conform

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/episode"
)

// checkHeads: heads are counted from 0, a copy acts like the live head, a saved
// head keeps its values while the live one is trained, and loading it brings
// them back to the live one.
func checkHeads(l core.Learner, eps []*episode.Episode) error {
	for want, init := range []core.HeadInit{core.HeadCopy, core.HeadReset} {
		before := l.Parameters(core.ScopeHead, nil)
		k, err := l.NewHead(init)
		if err != nil {
			return err
		}
		if k != want || l.Heads() != want+1 {
			return fmt.Errorf("new head %d of %d, want %d of %d", k, l.Heads(), want, want+1)
		}
		if same := sameBits(before, l.Parameters(core.ScopeHead, nil)); same != (init == core.HeadCopy) {
			return fmt.Errorf("a new head %q: the live head is unchanged: %v", init, same)
		}
	}
	saved := l.Parameters(core.ScopeHead, nil)
	if err := l.SaveHead(1); err != nil {
		return err
	}
	if _, err := l.Train(eps); err != nil {
		return err
	}
	trained := l.Parameters(core.ScopeHead, nil)
	if err := l.LoadHead(1); err != nil {
		return err
	}
	if sameBits(trained, saved) || !sameBits(l.Parameters(core.ScopeHead, nil), saved) {
		return errors.New("a saved head does not come back, or was not trained in between")
	}
	live, err := values(l, eps[0], core.LiveHead)
	if err != nil {
		return err
	}
	head, err := values(l, eps[0], 1)
	if err != nil {
		return err
	}
	if !sameBits(live, head) {
		return fmt.Errorf("the live head and its copy act differently: %v and %v", live, head)
	}
	return refuseHeads(l)
}

// refuseHeads: heads that do not exist are errors.
func refuseHeads(l core.Learner) error {
	for _, k := range []int{-1, l.Heads()} {
		if l.SaveHead(k) == nil || l.LoadHead(k) == nil {
			return fmt.Errorf("head %d of %d was saved or loaded", k, l.Heads())
		}
	}
	if _, err := l.NewHead("no such start"); err == nil {
		return errors.New("an unknown start of a head was accepted")
	}
	return nil
}

// checkScopes: the agent is features and head; penalties pull towards their
// anchor and are refused where they do not fit.
func checkScopes(l core.Learner, eps []*episode.Episode) error {
	agent := l.Parameters(core.ScopeAgent, nil)
	if !sameBits(agent, l.Parameters(core.ScopeHead, l.Parameters(core.ScopeFeatures, nil))) {
		return errors.New("the parameters of the agent are not those of the features and the head behind them")
	}
	if kept := l.Parameters(core.ScopeHead, []float32{7}); len(kept) == 0 || kept[0] != 7 {
		return errors.New("what Parameters returns does not start with what it was given")
	}
	anchor := slices.Clone(agent)
	for i := range anchor {
		anchor[i]++
	}
	if err := l.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: anchor, Coef: 2}}); err != nil {
		return err
	}
	stats, err := l.Train(eps)
	if err != nil {
		return err
	}
	if want := 2 * float64(len(anchor)); stats.Penalty < 0.99*want || stats.Penalty > 1.01*want {
		return fmt.Errorf("a penalty of %v on %d parameters that are each 1 away from their anchor, want %v", stats.Penalty, len(anchor), want)
	}
	for what, p := range map[string]core.Penalty{
		"too short an anchor": {Scope: core.ScopeAgent, Anchor: anchor[1:], Coef: 1},
		"an unknown scope":    {Scope: "nowhere", Anchor: anchor, Coef: 1},
		"weights with a norm": {Scope: core.ScopeAgent, Anchor: anchor, Importance: anchor, Coef: 1, L2: true},
	} {
		if err := l.SetPenalties([]core.Penalty{p}); err == nil {
			return fmt.Errorf("a penalty with %s was accepted", what)
		}
	}
	return nil
}

// checkImportance: one value of at least 0 for each parameter of the agent, from
// either source, and nothing is changed by asking.
func checkImportance(l core.Learner, eps []*episode.Episode) error {
	return unchanged(l, "Importance", func() error {
		n := len(l.Parameters(core.ScopeAgent, nil))
		for _, src := range []core.ImportanceSource{core.ImportanceTDLoss, core.ImportanceQGrad, core.ImportanceValues} {
			x, err := l.Importance(eps, src)
			if err != nil {
				return err
			}
			if len(x) != n || !(slices.Min(x) >= 0) || slices.Max(x) <= 0 {
				return fmt.Errorf("by %s it has %d values from %v to %v, want %d that are not negative", src, len(x), slices.Min(x), slices.Max(x), n)
			}
		}
		if _, err := l.Importance(eps, "no such source"); err == nil {
			return errors.New("an unknown source was accepted")
		}
		return nil
	})
}

// checkSavedState: a new learner that loads a state goes on exactly like the one
// that saved it; a state that is not one is an error.
func checkSavedState(s LearnerSubject) error {
	l, eps, err := s.trained(1, 2)
	if err != nil {
		return err
	}
	if _, err := l.NewHead(core.HeadCopy); err != nil {
		return err
	}
	state, err := bytesOf(l)
	if err != nil {
		return err
	}
	other, err := s.open(99)
	if err != nil {
		return err
	}
	if err := other.Load(bytes.NewReader(state)); err != nil {
		return err
	}
	var ends [2][]byte
	for i, x := range []core.Learner{l, other} {
		if _, err := x.NewHead(core.HeadReset); err != nil {
			return err
		}
		if _, err := x.Train(eps); err != nil {
			return err
		}
		x.SyncTarget()
		if ends[i], err = bytesOf(x); err != nil {
			return err
		}
	}
	if !bytes.Equal(ends[0], ends[1]) {
		return errors.New("a restored learner goes on differently")
	}
	for what, bad := range map[string][]byte{"an empty state": nil, "half a state": state[:len(state)/2]} {
		fresh, err := s.open(1)
		if err != nil {
			return err
		}
		if err := fresh.Load(bytes.NewReader(bad)); err == nil {
			return fmt.Errorf("%s was loaded without an error", what)
		}
	}
	return nil
}
