package macpro

import (
	"fmt"
	"math"

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
// Every border_interval transitions g reads all of them. A border shows if the halves are
// separated by more than border_ratio (see separation) in border_patience tests in a row.
type borders struct {
	cfg     *Config
	spacing int64
	known   *episode.Ring
	borderState

	own     episode.Episode    // e with another task, for the store
	waited  *episode.Episode   // that joins D'
	scratch []*episode.Episode // of a test
}

// borderState is the part of borders that JSON holds.
type borderState struct {
	Last   int64 // t_env of the last test
	Begun  int64 // t_env of the last border that was found
	Streak int   // tests in a row that have shown a border
	Shown  int64 // borders that were shown, also those that the expansion test took back
	Found  int64 // borders at which a new task was begun
}

// newBorders is nil where the run tells the borders.
func newBorders(c *Config, s core.Settings) *borders {
	if !core.Hidden(s) {
		return nil
	}
	spacing := c.BorderSpacing
	if anneal, ok := s["epsilon_anneal_time"].(int); ok && spacing < 0 {
		spacing = int64(anneal)
	}
	return &borders{cfg: c, spacing: spacing, known: episode.NewRing(2 * c.BorderWindow), scratch: make([]*episode.Episode, 2*c.BorderWindow)}
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
	if b == nil || b.known.Len() < b.known.Cap() || p.TEnv-b.Last < b.cfg.BorderInterval || p.TEnv-b.Begun < b.spacing {
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
	apart := separation(means[:b.cfg.BorderWindow], means[b.cfg.BorderWindow:])
	if !b.shows(apart) {
		return false, nil
	}
	return m.border(p, apart)
}

// shows counts the tests in a row that have shown a border, and tells whether they are
// enough. Contexts that are no numbers show none.
func (b *borders) shows(apart float64) bool {
	if math.IsNaN(apart) || apart <= b.cfg.BorderRatio {
		b.Streak = 0
		return false
	}
	b.Streak++
	return b.Streak >= b.cfg.BorderPatience
}

// border asks the expansion test who should go on, and then acts as at a border that is
// told: it closes the task and begins another. In the test the head in training plays as
// it was saved last. If that is as in its group's episodes, only the policy has changed,
// and there is no border. Either way the episodes so far are forgotten, since nobody knows
// of which task each of them is.
func (m *method) border(p core.Progress, apart float64) (found bool, err error) {
	b := m.borders
	b.Streak = 0
	b.Shown++
	b.known.Clear()
	t := core.Task{Index: len(m.tasks), Spec: m.spec}
	d, err := m.decide(t, b.Shown)
	if err != nil {
		return false, err
	}
	row := record.Border{At: at(t.Spec.Task, p), Extra: map[string]any{
		"separation": apart, "border_ratio": b.cfg.BorderRatio, "window": b.cfg.BorderWindow, "context_steps": m.steps,
	}}
	again, known, err := m.playedAgain(&d)
	if err != nil {
		return false, err
	}
	if known {
		row.Extra["played_again"] = again
		if again <= b.cfg.BorderRatio {
			return false, m.emit(row)
		}
	}
	if err := m.EndTask(p); err != nil {
		return false, err
	}
	b.Found++
	b.Begun = p.TEnv
	row.Found, row.Number = true, b.Found
	if err := m.emit(row); err != nil {
		return false, err
	}
	if err := m.serve(t.Spec); err != nil {
		return false, err
	}
	return true, m.begin(t, &d, p)
}

// playedAgain separates what the head in training has played in the expansion test from
// the newest episodes of its group in D'; false if it had no part in the test.
func (m *method) playedAgain(d *decision) (apart float64, known bool, err error) {
	for _, c := range d.candidates {
		if c.head != m.head {
			continue
		}
		stored := make([]*episode.Episode, m.cfg.ContextBatch)
		if err := m.store.Newest(m.head, stored); err != nil {
			return 0, false, err
		}
		means, err := m.trainer.readG.means(stored)
		if err != nil {
			return 0, false, err
		}
		return separation(means, c.contexts), true, nil
	}
	return 0, false, nil
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
