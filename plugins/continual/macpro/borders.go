package macpro

import (
	"fmt"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/record"
	"macpro/core/safetensors"
)

// borders looks for changes of the task where nobody tells them. It keeps the newest
// 2W training episodes of the task in hand, W = border_window. The older half is the
// newest that D' has of the group; the younger half waits and joins D' later, so that
// episodes of a new task do not move the group's center.
//
// Every border_interval transitions g reads all of them. The halves have the centers c and
// c' and the radii l and l', as in the expansion test. A border shows if
//
//	||c' - c|| > border_ratio * max(l, l')
//
// in border_patience tests in a row. As long as the task stays, the centers are about
// l/sqrt(W) apart. A policy that learns moves both halves, and widens the younger one.
type borders struct {
	cfg   *Config
	known *episode.Ring
	borderState

	own     episode.Episode    // e with another task, for the store
	waited  *episode.Episode   // that joins D'
	scratch []*episode.Episode // of a test
}

// borderState is the part of borders that JSON holds.
type borderState struct {
	Last   int64 // t_env of the last test
	Streak int   // tests in a row that have shown a border
	Shown  int64 // borders that were shown, also those that the expansion test took back
	Found  int64 // borders at which a new task was begun
}

// newBorders is nil where the run tells the borders.
func newBorders(c *Config, s core.Settings) *borders {
	if !core.Hidden(s) {
		return nil
	}
	return &borders{cfg: c, known: episode.NewRing(2 * c.BorderWindow), scratch: make([]*episode.Episode, 2*c.BorderWindow)}
}

// hides refuses what needs the environments of earlier tasks.
func (c *Config) hides(s core.Settings) error {
	if !core.Hidden(s) {
		return nil
	}
	for _, k := range []struct {
		key, value, other string
		set               bool
	}{
		{"latents", "true", "false", c.Latents},
		{"gen_center_source", keyRollout, "buffer", c.GenCenters == keyRollout},
		{"oracle_merged", keyLive, "own", c.OracleMerged == keyLive},
	} {
		if k.set {
			return fmt.Errorf("boundaries hidden: %s %s needs to know earlier tasks by name: set %s=%s, or boundaries=told", k.key, k.value, k.key, k.other)
		}
	}
	return nil
}

// count is the number of borders that were found.
func (b *borders) count() int64 {
	if b == nil {
		return 0
	}
	return b.Found
}

// collect takes an episode of the task of that number, and returns the one that has
// waited long enough to join D', nil while there is none.
func (b *borders) collect(e *episode.Episode, task int) *episode.Episode {
	b.own = *e
	b.own.Task = task
	b.known.Insert(&b.own)
	waited := b.known.Len() - 1 - b.cfg.BorderWindow
	if waited < 0 {
		return nil
	}
	b.known.Copy(waited, &b.waited)
	return b.waited
}

// search looks for a border if it is time to, and tells whether it has found one.
func (m *method) search(p core.Progress) (found bool, err error) {
	b := m.borders
	if b == nil || b.known.Len() < b.known.Cap() || p.TEnv-b.Last < b.cfg.BorderInterval {
		return false, nil
	}
	b.Last = p.TEnv
	for i := range b.scratch {
		b.known.Copy(i, &b.scratch[i])
	}
	means, err := m.trainer.readG.means(b.scratch)
	if err != nil {
		return false, err
	}
	distance, radius := halves(means)
	if distance <= b.cfg.BorderRatio*radius {
		b.Streak = 0
		return false, nil
	} else if b.Streak++; b.Streak < b.cfg.BorderPatience {
		return false, nil
	}
	return m.border(p, distance, radius)
}

// halves compares the contexts of the older half with those of the younger one: how far
// their centers are apart, and the larger radius.
func halves(means [][]float32) (distance, radius float64) {
	w := len(means) / 2
	before, now := centerOf(0, means[:w]), centerOf(0, means[w:])
	return apart(before.mean, now.mean), max(before.radius, now.radius)
}

// border acts as at a border that is told: it saves the head, decides on the next one
// by the expansion test, closes the task and begins another. If the test puts the new
// episodes into the group of the head in training, there is no border. Either way the
// episodes so far are forgotten, since nobody knows of which task each of them is.
func (m *method) border(p core.Progress, distance, radius float64) (found bool, err error) {
	b := m.borders
	b.Streak = 0
	b.Shown++
	b.known.Clear()
	if err := m.sv.Learner.SaveHead(m.head); err != nil {
		return false, err
	}
	m.lastSave = p.TEnv
	t := core.Task{Index: len(m.tasks), Spec: m.spec}
	d, err := m.decide(t, b.Shown)
	if err != nil {
		return false, err
	}
	row := record.Border{At: at(t.Spec.Task, p), Extra: map[string]any{
		"distance": distance, "radius": radius, "border_ratio": b.cfg.BorderRatio, "window": b.cfg.BorderWindow, "context_steps": m.steps,
	}}
	if len(d.candidates) > 0 && d.kind == kindMerge && !d.full && d.head == m.head {
		return false, m.emit(row)
	}
	if err := m.end(p); err != nil {
		return false, err
	}
	b.Found++
	row.Found, row.Number = true, b.Found
	if err := m.emit(row); err != nil {
		return false, err
	}
	if err := m.serve(t.Spec); err != nil {
		return false, err
	}
	return true, m.begin(t, &d, p)
}

// mostHeads is the largest number of heads, 0 if there is none. Borders that are found
// may be more than there are tasks, and D' must hold a batch of each group.
func (m *method) mostHeads() int {
	if m.cfg.MaxHeads == 0 && m.borders != nil {
		return max(1, m.cfg.ContextBuffer/m.cfg.ContextBatch)
	}
	return m.cfg.MaxHeads
}

// save, put and get keep the state.
func (b *borders) save() *borderState {
	if b == nil {
		return nil
	}
	return &b.borderState
}

func (b *borders) put(f *safetensors.File) {
	if b != nil {
		b.known.Put(f, "border")
	}
}

func (b *borders) get(f *safetensors.File, s *borderState) error {
	switch {
	case b == nil:
		return nil
	case s == nil:
		return fmt.Errorf("it knows nothing of borders, and this run has boundaries hidden")
	}
	b.borderState = *s
	return b.known.Get(f, "border", "border_window")
}
