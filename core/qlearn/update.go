package qlearn

import (
	"fmt"
	"math"

	"macpro/core"
	"macpro/core/nn"
)

// clipScopeTD makes the clip see the gradient of the TD loss alone.
const clipScopeTD = "td"

// update lets the hook edit the gradient in the network, adds the penalties,
// clips it and makes a step of RMSProp. It completes the statistics.
func (l *Learner) update(st *core.TrainStats) error {
	all := l.net.Grads
	if l.hook != nil {
		if err := l.hook(all); err != nil {
			return fmt.Errorf("learner: the hook on the gradient: %w", err)
		}
	}
	l.hold(all)
	alone := l.cfg.ClipScope == clipScopeTD
	if alone {
		st.GradNorm, st.Clip = l.clip(all)
	}
	for i := range l.penalties {
		st.Penalty += l.penalties[i].add(l.net.Params, all)
		l.hold(all)
	}
	if !alone {
		st.GradNorm, st.Clip = l.clip(all)
	}
	if sum := st.GradNorm + st.Penalty; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return core.NotFinite("learner: TD loss %v, penalty %v and gradient norm %v: the step was not made", st.TDLoss, st.Penalty, st.GradNorm)
	}
	l.optim.LR = l.cfg.LR
	if l.cfg.PhiLRScale == 1 || len(l.penalties) == 0 {
		_, err := l.optim.Step(l.net, l.net.All())
		return err
	}
	phi := l.phi()
	if _, err := l.optim.Step(l.net, nn.Range{Lo: phi.Hi, Hi: len(all)}); err != nil {
		return err
	}
	l.optim.LR *= l.cfg.PhiLRScale
	_, err := l.optim.Step(l.net, phi)
	return err
}

// hold takes the parameters that are fixed out of a gradient.
func (l *Learner) hold(grads []float32) {
	if l.free != nil {
		nn.Mul(l.agentRange().Of(grads), l.free)
	}
}

// clip scales a gradient down to the largest norm that is allowed. It returns
// the norm before and the factor.
func (l *Learner) clip(grads []float32) (norm, factor float64) {
	norm, factor = math.Sqrt(nn.SumSq(grads)), 1
	if limit := l.cfg.GradNormClip; limit > 0 {
		factor = math.Min(1, limit/(norm+1e-6))
	}
	if factor < 1 {
		nn.Scale(grads, float32(factor))
	}
	return norm, factor
}
