package macpro

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/record"
	"macpro/core/rng"
)

// ready lists the groups with a full batch in D'.
func (m *method) ready() []int {
	var heads []int
	for _, k := range m.store.Heads(nil) {
		if m.store.HeadLen(k) >= m.cfg.ContextBatch {
			heads = append(heads, k)
		}
	}
	return heads
}

// tooFew says that no group has a full batch, and what they have.
func (m *method) tooFew() error {
	return fmt.Errorf("no group in D' has context_batch %d trajectories (%s): no agent can choose a head", m.cfg.ContextBatch, m.stored())
}

// stored lists the groups and how many trajectories each has.
func (m *method) stored() string {
	var s []string
	for _, k := range m.store.Heads(nil) {
		s = append(s, fmt.Sprintf("head %d: %d", k, m.store.HeadLen(k)))
	}
	return strings.Join(s, ", ")
}

// warn raises an alarm when a task ends and the encoders still could not be
// trained, although there are enough groups.
func (m *method) warn(p core.Progress) error {
	if m.steps > 0 || len(m.store.Heads(nil)) < m.cfg.MinGroups || len(m.ready()) >= m.cfg.MinGroups {
		return nil
	}
	return m.emit(record.Alarm{At: at(m.tasks[len(m.tasks)-1].Name, p), Reason: "few_trajectories", Extra: map[string]any{
		"quantity": m.stored(), "value": fmt.Sprintf("context_batch %d", m.cfg.ContextBatch),
	}})
}

// some draws the groups of the next context step, in the order of their heads.
func (m *method) some(heads []int) []int {
	n := m.cfg.ContextGroups
	if n == 0 || n >= len(heads) {
		return heads
	}
	picks := make([]int, n)
	m.sv.Source.Child("context").ChildInt(m.steps).Child("groups").Stream().Sample(picks, make([]int, len(heads)), len(heads))
	slices.Sort(picks)
	for i, k := range picks {
		picks[i] = heads[k]
	}
	return picks
}

// keep stores the center of a group among those of the others, by head.
func (m *method) keep(c center) {
	i, known := slices.BinarySearchFunc(m.cached, c, func(a, b center) int { return cmp.Compare(a.head, b.head) })
	if known {
		m.cached[i] = c
	} else {
		m.cached = slices.Insert(m.cached, i, c)
	}
}

// contextStep trains the encoders once on a batch of every group, or of some of
// them. Centers of the others stay as the last step with them left them.
func (m *method) contextStep(heads []int, p core.Progress) error {
	heads = m.some(heads)
	if err := m.draw(heads); err != nil {
		return err
	}
	l, means, err := m.trainer.step(&m.batch)
	if err != nil {
		return err
	}
	m.steps++
	bs, radii := m.cfg.ContextBatch, make([]float64, len(heads))
	m.cached = slices.DeleteFunc(m.cached, func(c center) bool { return m.store.HeadLen(c.head) < bs })
	for i, k := range heads {
		c := centerOf(k, means[i*bs:(i+1)*bs])
		radii[i] = c.radius
		m.keep(c)
	}
	return m.emit(record.Free{Kind: "context", TEnv: p.TEnv, Episode: p.Episode, Task: m.tasks[len(m.tasks)-1].Name, Fields: m.stepFields(heads, radii, l)})
}

func (m *method) draw(heads []int) error {
	b, bs := &m.batch, m.cfg.ContextBatch
	src := m.sv.Source.Child("context").ChildInt(m.steps)
	sample := src.Child("sample").Stream()
	b.groups = b.groups[:0]
	for i, k := range heads {
		if i == cap(b.groups) {
			b.groups = append(b.groups, make([]*episode.Episode, bs))
		} else if b.groups = b.groups[:i+1]; len(b.groups[i]) != bs {
			b.groups[i] = make([]*episode.Episode, bs)
		}
		if err := m.store.Sample(k, b.groups[i], sample); err != nil {
			return err
		}
	}
	noise := m.sv.Source.Child("znoise").ChildInt(m.steps).Stream()
	b.noise = grown(b.noise, len(heads)*bs*m.cfg.ZDim)
	for i := range b.noise {
		b.noise[i] = float32(noise.Norm())
	}
	b.picksG, b.picksL = b.picksG[:0], b.picksL[:0]
	m.scratch = grown(m.scratch, len(heads)*bs)
	if m.cfg.AlphaContG > 0 && len(heads) > 1 {
		b.picksG = grown(b.picksG, bs)
		src.Child("pairs_g").Stream().Sample(b.picksG, m.scratch, len(heads)*bs)
	}
	if m.cfg.AlphaContL > 0 && len(heads) > 1 {
		b.picksL = grown(b.picksL, bs)
		m.drawLocal(src.Child("pairs_l").Stream())
	}
	return nil
}

// drawLocal fills the rows of the contrastive loss of f. Every group gives
// equally many rows, an episode one for each agent of the smallest team; where
// teams are larger, some of their rows are drawn.
func (m *method) drawLocal(from *rng.Stream) {
	b, least, rows := &m.batch, math.MaxInt, 0
	for _, g := range b.groups {
		for _, e := range g {
			least, rows = min(least, e.N), rows+e.N
		}
	}
	share := least * m.cfg.ContextBatch
	m.scratch = grown(m.scratch, rows)
	if rows == share*len(b.groups) {
		from.Sample(b.picksL, m.scratch, rows)
		return
	}
	m.pool = grown(m.pool, share*len(b.groups))
	first := 0
	for k, g := range b.groups {
		own, all := m.pool[k*share:(k+1)*share], 0
		for _, e := range g {
			all += e.N
		}
		from.Sample(own, m.scratch, all)
		for i := range own {
			own[i] += first
		}
		first += all
	}
	from.Sample(b.picksL, m.scratch, len(m.pool))
	for i, k := range b.picksL {
		b.picksL[i] = m.pool[k]
	}
}

// stepFields are the row of a context step. Losses that are switched off are
// left out.
func (m *method) stepFields(heads []int, radii []float64, l losses) map[string]any {
	f := map[string]any{
		"step": m.steps, "loss_g": l.Context, "loss_f": l.Local, "approx": l.Approx,
		"grad_norm_g": l.G.Norm, "clip_g": l.G.Clip, "grad_norm_f": l.F.Norm, "clip_f": l.F.Clip,
		"heads": heads,
	}
	if m.cfg.RecCoef > 0 {
		f["model"] = l.Model
	}
	if m.cfg.AlphaContG > 0 {
		f["pos_g"], f["neg_g"] = l.PosG, l.NegG
	}
	if m.cfg.AlphaContL > 0 {
		f["pos_l"], f["neg_l"] = l.PosL, l.NegL
	}
	var stored []int
	for _, k := range heads {
		stored = append(stored, m.store.HeadLen(k))
	}
	f["radius"], f["stored"] = radii, stored
	return f
}
