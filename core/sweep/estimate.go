package sweep

import (
	"errors"

	"macpro/core/record"
	"macpro/core/store"
)

// Estimate is what a sweep will cost on this machine.
type Estimate struct {
	Cells, Open int // all, and those that must still be trained
	Reused      int // those whose finished run exists
	Steps       float64
	// Seconds with the given number of jobs; 0 if the speed of some cell is not
	// known.
	Seconds float64
	// Episodes are those that evaluations of finished networks still have to play,
	// at most; neither they nor the probes before them are part of Duration.
	Episodes int64
	// Unknown names a cell of each kind whose speed is not known.
	Unknown []*Cell
}

// kindOf is what the speed of a run depends on most.
type kindOf struct{ alg, env, learner string }

// Speeds holds training transitions per second, tests included.
type Speeds map[kindOf]float64

// Set notes the speed of a cell's kind.
func (s Speeds) Set(c *Cell, perSecond float64) { s[kindOf{c.Alg, c.Env, c.Learner}] = perSecond }

// Recorded collects the speeds of the runs that were finished on this machine;
// the longest of each kind counts.
func Recorded(fsys store.FS, root string) Speeds {
	out, length := Speeds{}, map[kindOf]int64{}
	for _, rec := range NewRuns(fsys, root).list() {
		m := rec.Manifest
		if rec.Status != record.Done || m.Host != host() {
			continue
		}
		final, err := rec.Final()
		if err != nil || final == nil {
			continue
		}
		kind := kindOf{m.Alg, m.Env, m.Learner}
		if v, n := final.TrainEnvStepsPerS, final.TrainEnvSteps; v > 0 && n > length[kind] {
			out[kind], length[kind] = v, n
		}
	}
	return out
}

// Estimate adds up what is left to do. It assumes that jobs processes do not
// slow each other down.
func (s *Sweep) Estimate(speeds Speeds, jobs int) Estimate {
	e := Estimate{Cells: len(s.Cells)}
	runs := NewRuns(s.FS, s.Root).look()
	unknown := map[kindOf]bool{}
	var seconds, longest float64
	for _, c := range s.Cells {
		rec := runs.find(c)
		if rec != nil && rec.Status != record.Done {
			rec = nil
		}
		e.Episodes += s.episodesLeft(c, rec)
		if rec != nil {
			e.Reused++
			continue
		}
		e.Open++
		e.Steps += float64(c.Steps)
		kind := kindOf{c.Alg, c.Env, c.Learner}
		v, ok := speeds[kind]
		if !ok {
			if !unknown[kind] {
				unknown[kind] = true
				e.Unknown = append(e.Unknown, c)
			}
			continue
		}
		seconds += float64(c.Steps) / v
		longest = max(longest, float64(c.Steps)/v)
	}
	if len(e.Unknown) == 0 {
		e.Seconds = max(seconds/float64(jobs), longest)
	}
	return e
}

// episodesLeft are the episodes of the evaluations that a cell lacks. rec is its
// finished run, nil if there is none.
func (s *Sweep) episodesLeft(c *Cell, rec *store.Record) (n int64) {
	for i, e := range s.Evaluate {
		if i < len(c.Tests) && (rec == nil || !s.evaluated(rec.Manifest.ID, e)) {
			n += c.Tests[i]
		}
	}
	return n
}

// Speed is the training transitions per second of the only run of a results
// root, by its own clock, from the first row of statistics with a gradient step
// to the last.
func Speed(fsys store.FS, root string) (float64, error) {
	for _, rec := range NewRuns(fsys, root).list() {
		var first, last record.Row
		for row, err := range rec.Journal() {
			if err != nil {
				continue
			}
			entry, _ := record.Parse(row)
			if train, ok := entry.(record.Train); ok && train.GradientSteps > 0 {
				if first.Kind == "" {
					first = row
				}
				last = row
			}
		}
		if d := last.Wall - first.Wall; d > 0 {
			return float64(last.TEnv-first.TEnv) / d, nil
		}
	}
	return 0, errors.New("the run was too short to tell its speed")
}
