package qlearn

import (
	"slices"

	"macpro/core"
	"macpro/core/episode"
)

var _ core.GradientEditor = (*Learner)(nil)

// Gradient appends to dst the gradient of the TD loss of a batch with respect to
// a scope; see core.GradientEditor. A step that follows it computes the bits that
// it would have computed without.
func (l *Learner) Gradient(scope core.Scope, batch []*episode.Episode, dst []float32) ([]float32, error) {
	at, err := l.scope(scope)
	if err != nil {
		return dst, err
	}
	parts, err := l.divide(batch)
	if err != nil {
		return dst, err
	}
	n := len(dst)
	all := slices.Grow(dst, at.Len())[:n+at.Len()]
	if _, err := l.gradient(parts, goal{of: tdLoss, total: stepsOf(parts)}, at, all[n:]); err != nil {
		return dst, err
	}
	return all, nil
}

// SetGradientHook lets a function edit the gradient of every step; see
// core.GradientEditor.
func (l *Learner) SetGradientHook(edit func(g []float32) error) error {
	l.hook = edit
	return nil
}
