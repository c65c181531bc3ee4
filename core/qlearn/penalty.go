package qlearn

import (
	"fmt"
	"math"
	"slices"

	"macpro/core"
	"macpro/core/nn"
)

// penalty is a core.Penalty with copies of its slices and its place in the
// flat parameters.
type penalty struct {
	core.Penalty
	at nn.Range
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
		ps = append(ps, penalty{p, at})
	}
	l.penalties = ps
	return nil
}

// add adds the gradient of the penalty at the given parameters to grads and
// returns its value.
func (p *penalty) add(params, grads []float32) float64 {
	theta, g := p.at.Of(params), p.at.Of(grads)
	sum := 0.0
	for j, a := range p.Anchor {
		d := float64(theta[j]) - float64(a)
		sum += p.importance(j) * d * d
	}
	value, slope := p.Coef*sum, 2*p.Coef
	if p.L2 {
		norm := math.Sqrt(sum)
		if norm == 0 {
			return 0 // where the norm has no gradient, take none
		}
		value, slope = p.Coef*norm, p.Coef/norm
	}
	for j, a := range p.Anchor {
		g[j] += float32(slope * p.importance(j) * (float64(theta[j]) - float64(a)))
	}
	return value
}

func (p *penalty) importance(j int) float64 {
	if p.Importance == nil {
		return 1
	}
	return float64(p.Importance[j])
}
