package qlearn

import (
	"fmt"
	"slices"

	"macpro/core"
)

// resetHead makes the optimiser forget the live head's gradients whenever
// another head becomes live.
const resetHead = "reset_head"

// savedHead is a copy of a live head, packed for acting.
type savedHead struct {
	params []float32
	psi    psi
	mixer  []float32 // copy of the mixer for JointValues, nil if there is none
}

func (l *Learner) newSaved(params []float32) (savedHead, error) {
	h := savedHead{params: slices.Clone(params)}
	return h, l.packHead(&h)
}

func (l *Learner) packHead(h *savedHead) (err error) {
	if h.psi, err = l.agent.psi(nil); err != nil {
		return err
	}
	return h.psi.load(h.params)
}

// Heads is the number of saved heads.
func (l *Learner) Heads() int { return len(l.saved) }

func (l *Learner) known(k int) error {
	if k < 0 || k >= len(l.saved) {
		return fmt.Errorf("learner: there is no head %d, %d heads are saved", k, len(l.saved))
	}
	return nil
}

// NewHead appends a saved head and makes it live; see core.Learner. A reset
// head is drawn from the learner's stream of initial parameters.
func (l *Learner) NewHead(init core.HeadInit) (int, error) {
	switch init {
	case core.HeadCopy:
	case core.HeadReset:
		for _, s := range l.agent.head() {
			l.net.InitSegment(s, l.init)
		}
	default:
		return 0, fmt.Errorf("learner: unknown start of a head %q, want %q or %q", init, core.HeadCopy, core.HeadReset)
	}
	h, err := l.newSaved(l.head().Of(l.net.Params))
	if err != nil {
		return 0, fmt.Errorf("learner: %w", err)
	}
	l.saved = append(l.saved, h)
	l.switched()
	return len(l.saved) - 1, nil
}

// SaveHead copies the live head into saved head k.
func (l *Learner) SaveHead(k int) error {
	if err := l.known(k); err != nil {
		return err
	}
	copy(l.saved[k].params, l.head().Of(l.net.Params))
	return l.saved[k].psi.load(l.saved[k].params)
}

// LoadHead copies saved head k into the live head.
func (l *Learner) LoadHead(k int) error {
	if err := l.known(k); err != nil {
		return err
	}
	if err := l.net.SetRange(l.head(), l.saved[k].params); err != nil {
		return err
	}
	l.switched()
	return nil
}

// switched follows up on a change of the live head.
func (l *Learner) switched() {
	if l.cfg.OptimOnSwitch == resetHead {
		l.optim.Reset(l.head())
	}
}
