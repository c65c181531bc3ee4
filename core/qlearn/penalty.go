package qlearn

import (
	"fmt"
	"math"
	"slices"

	"macpro/core"
	"macpro/core/nn"
)

// penalty is a core.Penalty with slices of its own, its place in the flat
// parameters and room for the distance from the anchor.
type penalty struct {
	core.Penalty
	at             nn.Range
	dist, weighted []float32
}

func newPenalty(p core.Penalty, at nn.Range) penalty {
	t := penalty{Penalty: p, at: at, dist: make([]float32, at.Len())}
	if p.Importance != nil {
		t.weighted = make([]float32, at.Len())
	}
	return t
}

// SetPenalties replaces the terms that are added to the TD loss; see
// core.Learner. The slices are copied.
func (l *Learner) SetPenalties(terms []core.Penalty) error {
	var ps []penalty
	for i, p := range terms {
		at, err := l.scope(p.Scope)
		if err != nil {
			return fmt.Errorf("penalty %d: %w", i, err)
		}
		if len(p.Anchor) != at.Len() {
			return fmt.Errorf("penalty %d: anchor of %d values, scope %q has %d parameters", i, len(p.Anchor), p.Scope, at.Len())
		}
		if p.Importance != nil && len(p.Importance) != at.Len() {
			return fmt.Errorf("penalty %d: importance of %d values, scope %q has %d parameters", i, len(p.Importance), p.Scope, at.Len())
		}
		if p.Importance != nil && p.L2 {
			return fmt.Errorf("penalty %d: the L2 norm takes no importance", i)
		}
		p.Anchor, p.Importance = slices.Clone(p.Anchor), slices.Clone(p.Importance)
		ps = append(ps, newPenalty(p, at))
	}
	l.penalties = ps
	return nil
}

// add adds the gradient of the penalty at the given parameters to grads and
// returns its value.
func (p *penalty) add(params, grads []float32) float64 {
	copy(p.dist, p.at.Of(params))
	nn.Sub(p.dist, p.Anchor)
	pull := p.dist
	if p.Importance != nil {
		pull = p.weighted
		copy(pull, p.dist)
		nn.Mul(pull, p.Importance)
	}
	sum := nn.Dot(p.dist, pull)
	value, slope := p.Coef*sum, 2*p.Coef
	if p.L2 {
		norm := math.Sqrt(sum)
		if norm == 0 {
			return 0 // where the norm has no gradient, take none
		}
		value, slope = p.Coef*norm, p.Coef/norm
	}
	nn.Axpy(p.at.Of(grads), float32(slope), pull)
	return value
}
