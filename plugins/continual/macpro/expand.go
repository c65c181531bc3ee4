package macpro

import (
	"slices"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/record"
	"macpro/core/rng"
)

// candidate is a group in the expansion test.
type candidate struct {
	center
	floor    float64     // least radius that counts
	distance float64     // l'_k, of the new task's contexts to the center
	contexts [][]float32 // means of the new task's contexts under the group's head
	episodes []*episode.Episode
}

// reach is the radius that counts.
func (c *candidate) reach() float64 { return max(c.radius, c.floor) }

func (c *candidate) ratio() float64 { return c.distance / c.reach() }

type decision struct {
	kind       string // first, merge, new
	head       int    // of the task, negative for a new one
	candidates []candidate
	nearest    int  // among the candidates, -1 if there are none
	full       bool // merged only because max_heads does not allow another head
	episodes   int
	steps      int // transitions that the test has played
}

// The kinds of decisions.
const (
	kindFirst = "first"
	kindMerge = "merge"
	kindNew   = "new"
)

// decide runs the expansion test for a task. number counts the tests.
func (m *method) decide(t core.Task, number int64) (decision, error) {
	d := decision{kind: kindNew, head: -1, nearest: -1}
	switch {
	case len(m.tasks) == 0:
		d.kind = kindFirst
		return d, nil
	case m.cfg.Expansion == keyNever:
		d.kind, d.head = kindMerge, m.head
		return d, nil
	case m.cfg.Expansion == keyAlways:
		return d, nil
	}
	if err := m.compare(t, &d, number); err != nil {
		return d, err
	}
	if most := m.mostHeads(); d.kind == kindNew && most > 0 && m.sv.Learner.Heads() >= most {
		d.kind, d.head, d.full = kindMerge, m.head, true
		if d.nearest >= 0 {
			d.head = d.candidates[d.nearest].head
		}
	}
	return d, nil
}

// compare measures how far the task is from every group that has contexts, and
// merges it with the nearest if that is near enough.
func (m *method) compare(t core.Task, d *decision, number int64) error {
	centers, err := m.centers(m.sv.Source.Child("context", "expansion").ChildInt(number))
	if err != nil || len(centers) == 0 {
		return err
	}
	d.candidates = make([]candidate, len(centers))
	for i, c := range centers {
		d.candidates[i] = candidate{center: c, floor: m.cfg.RadiusFloor * nearestOther(centers, i)}
	}
	if err := m.identify(t, d, m.sv.Source.Child("identify").ChildInt(number)); err != nil {
		return err
	}
	var merge bool
	if d.nearest, merge = closest(d.candidates, &m.cfg); merge {
		d.kind, d.head = kindMerge, d.candidates[d.nearest].head
	}
	return nil
}

// closest returns the candidate of the smallest distance, or of the smallest
// ratio of distance to radius, the first on ties, and whether it is near enough
// to be merged with (Sec. "Adaptive Dynamic Network Expansion").
func closest(cs []candidate, cfg *settings) (best int, merge bool) {
	score := func(c *candidate) float64 {
		if cfg.MergeScore == keyRatio {
			return c.ratio()
		}
		return c.distance
	}
	for i := range cs {
		if score(&cs[i]) < score(&cs[best]) {
			best = i
		}
	}
	threshold := cfg.LambdaNew * cs[best].reach()
	return best, cs[best].distance < threshold || cs[best].distance == threshold && !cfg.MergeStrict
}

// identify plays the new task with every candidate's head, all at once, and
// measures how far the contexts are from the candidate's center.
func (m *method) identify(t core.Task, d *decision, src rng.Source) error {
	bs, n := m.cfg.ContextBatch, t.Spec.Agents
	var heads []int32
	if m.cfg.Identify != keyLive {
		for _, c := range d.candidates {
			heads = append(heads, repeated(int32(c.head), bs*n)...)
		}
	}
	eps, err := m.sv.Rollouts.Run(core.RolloutRequest{
		Task: t.Spec.Task, Purpose: "identify", Episodes: bs * len(d.candidates), Heads: heads,
		Epsilon: m.cfg.IdentifyEps, Source: src,
	})
	if err != nil {
		return err
	}
	means, err := m.trainer.readG.means(eps)
	if err != nil {
		return err
	}
	d.episodes, d.steps = len(eps), transitions(eps)
	for i := range d.candidates {
		c := &d.candidates[i]
		c.contexts, c.episodes = means[i*bs:(i+1)*bs], eps[i*bs:(i+1)*bs]
		c.distance = c.center.distance(c.contexts)
	}
	return nil
}

// repeated is a head n times.
func repeated(head int32, n int) []int32 { return slices.Repeat([]int32{head}, n) }

func (d *decision) row(m *method, at record.At) record.Expansion {
	f := map[string]any{
		"expansion": m.cfg.Expansion, "lambda_new": m.cfg.LambdaNew,
		"max_heads": m.cfg.MaxHeads, "full": d.full,
		"identify_episodes": d.episodes, "identify_steps": d.steps, "context_steps": m.steps,
	}
	row := record.Expansion{At: at, Index: len(m.tasks) - 1, Decision: d.kind, Head: d.head, Heads: m.sv.Learner.Heads(), Extra: f}
	if len(d.candidates) == 0 {
		return row
	}
	var heads, stored []int
	var radii, floors, distances, ratios []float64
	var between [][]float64
	for i := range d.candidates {
		c := &d.candidates[i]
		heads, stored = append(heads, c.head), append(stored, m.store.HeadLen(c.head))
		radii, floors = append(radii, c.radius), append(floors, c.floor)
		distances, ratios = append(distances, c.distance), append(ratios, c.ratio())
		var to []float64
		for _, other := range d.candidates {
			to = append(to, apart(c.mean, other.mean))
		}
		between = append(between, to)
	}
	f["candidates"], f["stored"], f["nearest"] = heads, stored, d.candidates[d.nearest].head
	f["radius"], f["radius_floor"], f["distance"], f["ratio"], f["between_centers"] = radii, floors, distances, ratios, between
	return row
}
