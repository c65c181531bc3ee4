package macpro

import (
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/core/safetensors"
	"macpro/plugins/continual/internal/prune"
)

// Three ways to keep the features of old heads alive, by the key protect. The
// paper has the first; the others are for comparison.
//
//	penalty  L_reg = alpha_reg * ||phi - phi*||^2 pulls phi to phi*, where it was at the
//	         last task's end
//	mask     at every task's end, in every layer of phi, the share protect_share of the
//	         weights that still move is fixed, those with the largest |w|
//	         (PackNet's choice, see package packnet); biases are fixed with the first
//	         task. Nothing is set to zero: the other weights stay and go on learning
//	distill  every step also holds the values of one saved head k, on trajectories
//	         of its group from D', to those that phi* gives with it:
//	         protect_coef * mean over rows of (Q_k(phi) - Q_k(phi*))^2
//
// In distill, k is drawn from the saved heads but that in training, whose values
// are to change. The gradient flows into phi alone, and the trajectories have no
// part in the TD loss.
const (
	protectPenalty = "penalty"
	protectMask    = "mask"
	protectDistill = "distill"
)

// needs is what a way asks of the learner.
func (c *Config) needs(p core.Pairing) error {
	switch c.Protect {
	case protectMask:
		return why(c.Protect, p.Needs(core.AbilityExport, core.AbilityWeights))
	case protectDistill:
		return why(c.Protect, p.Needs(core.AbilityGradients, core.AbilityValues))
	}
	return nil
}

func why(protect string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("protect %s: %w; protect %s works with any learner", protect, err, protectPenalty)
}

// protection is the state of the ways mask and distill.
type protection struct {
	learner core.LearnerAbilities
	fixed   *prune.Owners // mask: the weights of phi that are fixed
	heads   [][]float32   // distill: saved heads as the last task in their group has left them
	from    *rng.Stream   // distill: which head and which trajectories
	held    []*episode.Episode
	batch   []*episode.Episode
	teacher []float32
	targets [][]float32
}

// newProtection is the start of the ways that have a state.
func newProtection(c *Config, sv core.Services) protection {
	p := protection{learner: core.AbilitiesOf(sv.Learner)}
	switch c.Protect {
	case protectMask:
		p.fixed = prune.New(p.learner.Exporter, len(sv.Learner.Parameters(core.ScopeFeatures, nil)))
	case protectDistill:
		p.from = sv.Source.Child("protect").Stream()
	}
	return p
}

// protect keeps what the tasks so far have made of phi.
func (m *method) protect() error {
	switch m.cfg.Protect {
	case protectMask:
		return m.fix()
	case protectDistill:
		return nil // by every batch
	}
	return m.pull()
}

// pull pulls the features to their anchor from now on (L_reg in the paper).
func (m *method) pull() error {
	if m.cfg.AlphaReg == 0 || len(m.anchor) == 0 {
		return nil
	}
	coef := m.cfg.AlphaReg
	if m.cfg.RegSum == keyAgents {
		coef *= float64(m.trainer.agents(len(m.tasks) - 1))
	}
	return m.sv.Learner.SetPenalties([]core.Penalty{{
		Scope: core.ScopeFeatures, Anchor: m.anchor, Coef: coef, L2: m.cfg.RegNorm == keyL2,
	}})
}

// learned notes what the task that ends has made of phi and its head.
func (m *method) learned(p core.Progress) error {
	m.anchor = m.sv.Learner.Parameters(core.ScopeFeatures, m.anchor[:0])
	switch m.cfg.Protect {
	case protectMask:
		if m.cfg.ProtectShare == 0 {
			return nil
		}
		added := m.protection.fixed.Keep(m.anchor, m.cfg.ProtectShare, 1)
		return m.sv.Journal.Emit(core.Event{Kind: "protect", TEnv: p.TEnv, Episode: p.Episode, Task: m.tasks[len(m.tasks)-1].Name, Fields: map[string]any{
			"fixed": added, "free": m.protection.fixed.Free(), "weights": len(m.anchor),
		}})
	case protectDistill:
		head := m.sv.Learner.Parameters(core.ScopeHead, nil)
		if m.head < len(m.protection.heads) {
			m.protection.heads[m.head] = head
		} else {
			m.protection.heads = append(m.protection.heads, head)
		}
	}
	return nil
}

// fix tells the learner which weights of phi may not move.
func (m *method) fix() error {
	if m.cfg.ProtectShare == 0 {
		return nil
	}
	frozen := make([]bool, len(m.sv.Learner.Parameters(core.ScopeAgent, nil)))
	for j, owner := range m.protection.fixed.Of {
		frozen[j] = owner != 0
	}
	return m.protection.learner.Weights.SetFrozen(frozen)
}

// hold adds trajectories of a group to a batch, and the term that holds the values
// of their head to the step that follows.
func (m *method) hold(batch []*episode.Episode) ([]*episode.Episode, error) {
	p := &m.protection
	var heads []int
	for k := range p.heads {
		if k != m.head && m.store.HeadLen(k) > 0 {
			heads = append(heads, k)
		}
	}
	if len(heads) == 0 || m.cfg.ProtectCoef == 0 {
		return batch, nil
	}
	k := heads[p.from.Intn(len(heads))]
	n := min(m.cfg.ProtectBatch, m.store.HeadLen(k))
	for len(p.held) < n {
		p.held = append(p.held, nil)
	}
	if err := m.store.Sample(k, p.held[:n], p.from); err != nil {
		return nil, err
	}
	if m.borders != nil {
		for _, e := range p.held[:n] {
			e.Task = 0 // as the learner knows it
		}
	}
	p.teacher = append(append(p.teacher[:0], m.anchor...), p.heads[k]...)
	values, err := p.learner.Valuer.EpisodeValues(p.held[:n], p.teacher)
	if err != nil {
		return nil, err
	}
	p.batch = append(append(p.batch[:0], batch...), p.held[:n]...)
	p.targets = append(append(p.targets[:0], make([][]float32, len(batch))...), values...)
	return p.batch, p.learner.Gradients.SetValueTerm(core.ValueTerm{
		Loss: core.ValueMSE, Coef: m.cfg.ProtectCoef, Targets: p.targets, Only: true, Head: p.heads[k],
	})
}

// put adds the state to f, get restores it. The way penalty has none.
func (p *protection) put(f *safetensors.File) {
	if p.fixed != nil {
		safetensors.Put(f, "protect.fixed", p.fixed.Of)
	}
	if p.from != nil {
		safetensors.Put(f, "protect.heads", slices.Concat(p.heads...))
		safetensors.Put(f, "stream.protect", p.from.AppendState(nil))
	}
}

// get takes heads of the given number of parameters.
func (p *protection) get(f *safetensors.File, width int) error {
	if p.fixed != nil {
		return safetensors.Fill(f, "protect.fixed", p.fixed.Of)
	}
	if p.from == nil {
		return nil
	}
	all, err := safetensors.Get[float32](f, "protect.heads")
	if err != nil {
		return err
	}
	if width < 1 || len(all)%width != 0 {
		return fmt.Errorf("protected heads with %d parameters in all, a head has %d", len(all), width)
	}
	p.heads = nil
	for ; len(all) > 0; all = all[width:] {
		p.heads = append(p.heads, all[:width:width])
	}
	return safetensors.Restore(f, "stream.protect", p.from)
}
