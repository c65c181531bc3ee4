package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"macpro/core/metrics"
)

// schedule decides which cell is next.
type schedule interface {
	// next returns a job that can start now, if any.
	next() (job, bool)
	// ended is told what became of a job.
	ended(j job, st State)
	// close is called after the last job.
	close() error
}

func (w *Worker) schedule(cells []*Cell) schedule {
	if w.Sweep.Search.Strategy == "asha" {
		return newASHA(w.Sweep, cells)
	}
	l := &inOrder{}
	for _, c := range cells {
		if !w.Sweep.State(c).Status.Ended() {
			l.cells = append(l.cells, c)
		}
	}
	return l
}

// inOrder takes one cell after the other.
type inOrder struct{ cells []*Cell }

func (l *inOrder) next() (job, bool) {
	if len(l.cells) == 0 {
		return job{}, false
	}
	c := l.cells[0]
	l.cells = l.cells[1:]
	return job{cell: c}, true
}

func (l *inOrder) ended(job, State) {}
func (l *inOrder) close() error     { return nil }

// asha is asynchronous successive halving. A trial is a configuration with all
// its seeds. At each rung, a number of transitions, it has the mean score of its
// seeds; of the n trials that have reached a rung the best n/eta go on to the
// next one, which is eta times as far, as soon as they are among the best. The
// last rung is the end of the runs.
//
// All that it decides from is in the states of the cells, so that a search that
// was cut goes on where it was.
type asha struct {
	s      *Sweep
	rungs  []int64 // the last is 0: the end
	trials []*trial
	queue  []job
}

type trial struct {
	cells  []*Cell
	rung   int             // index of the last rung that it has reached, -1 for none
	busy   int             // jobs under way
	scores map[int]float64 // by rung
	broken bool            // a cell has failed
}

func newASHA(s *Sweep, cells []*Cell) *asha {
	a := &asha{s: s, rungs: rungs(s.Search, cells)}
	byGroup := map[string]*trial{}
	for _, c := range cells {
		t := byGroup[c.GroupHash]
		if t == nil {
			t = &trial{scores: map[int]float64{}, rung: -1}
			byGroup[c.GroupHash] = t
			a.trials = append(a.trials, t)
		}
		t.cells = append(t.cells, c)
	}
	for _, t := range a.trials {
		a.restore(t)
	}
	return a
}

// rungs lists first, first*eta, ... as far as they lie before the end of the
// shortest run, and then 0 for the end.
func rungs(search Search, cells []*Cell) []int64 {
	end := int64(math.MaxInt64)
	for _, c := range cells {
		end = min(end, c.Steps)
	}
	var out []int64
	for t := search.First; t < end; t *= int64(search.Eta) {
		out = append(out, t)
	}
	return append(out, 0)
}

// restore finds out how far a trial had come.
func (a *asha) restore(t *trial) {
	for i := range a.rungs {
		score, ok := a.scoreAt(t, i)
		if !ok {
			return
		}
		t.scores[i], t.rung = score, i
	}
}

// scoreAt is the mean score of a trial's cells at a rung, false if one of them
// has not reached it.
func (a *asha) scoreAt(t *trial, i int) (float64, bool) {
	var x []float64
	for _, c := range t.cells {
		st := a.s.stored(c)
		v, ok := st.Rungs[a.rungs[i]]
		if a.rungs[i] == 0 {
			v, ok = 0, st.Status == Done
		}
		if !ok {
			return 0, false
		}
		x = append(x, v)
	}
	return metrics.Mean(x), true
}

// next promotes from the highest rung that has somebody to promote, or starts a
// new trial.
func (a *asha) next() (job, bool) {
	if len(a.queue) == 0 {
		if t := a.promotable(); t != nil {
			a.send(t)
		}
	}
	if len(a.queue) == 0 {
		return job{}, false
	}
	j := a.queue[0]
	a.queue = a.queue[1:]
	return j, true
}

// promotable finds the trial that goes on: one that is among the best of its
// rung, or a new one. When both are used up, the best of the highest rung goes
// to the end, so that a search has a winner.
func (a *asha) promotable() *trial {
	last := len(a.rungs) - 1
	for rung := last - 1; rung >= 0; rung-- {
		there := a.ranked(rung)
		for _, t := range there[:len(there)/a.s.Search.Eta] {
			if t.rung == rung && t.idle() {
				return t
			}
		}
	}
	for _, t := range a.trials {
		if t.rung < 0 && t.idle() {
			return t
		}
	}
	if slices.ContainsFunc(a.trials, func(t *trial) bool { return t.busy > 0 }) {
		return nil
	}
	for rung := last; rung >= 0; rung-- {
		if there := a.ranked(rung); len(there) > 0 {
			if rung < last && there[0].idle() {
				return there[0]
			}
			return nil
		}
	}
	return nil
}

// ranked lists the trials that have reached a rung, the best first.
func (a *asha) ranked(rung int) []*trial {
	var there []*trial
	for _, t := range a.trials {
		if _, ok := t.scores[rung]; ok {
			there = append(there, t)
		}
	}
	slices.SortStableFunc(there, func(x, y *trial) int { return cmp.Compare(y.scores[rung], x.scores[rung]) })
	return there
}

func (t *trial) idle() bool { return t.busy == 0 && !t.broken }

// send queues the cells of a trial for its next rung.
func (a *asha) send(t *trial) {
	until := a.rungs[t.rung+1]
	for _, c := range t.cells {
		st := a.s.stored(c)
		if _, there := st.Rungs[until]; until > 0 && there || st.Status == Done && until == 0 {
			continue
		}
		a.queue = append(a.queue, job{c, until})
		t.busy++
	}
}

func (a *asha) ended(j job, st State) {
	i := slices.IndexFunc(a.trials, func(t *trial) bool { return slices.Contains(t.cells, j.cell) })
	t := a.trials[i]
	t.busy--
	if _, there := st.Rungs[j.until]; !there && st.Status != Done {
		t.broken = true
	}
	if t.busy > 0 || t.broken {
		return
	}
	if score, ok := a.scoreAt(t, t.rung+1); ok {
		t.rung++
		t.scores[t.rung] = score
	} else {
		t.broken = true
	}
}

// close marks the cells that were not promoted as pruned, once nothing is left
// to do.
func (a *asha) close() error {
	if a.promotable() != nil || slices.ContainsFunc(a.trials, func(t *trial) bool { return t.broken }) {
		return nil // interrupted: a later call goes on
	}
	for _, t := range a.trials {
		for _, c := range t.cells {
			st := a.s.stored(c)
			if st.Status.Ended() {
				continue
			}
			lock, err := a.s.lock(c)
			if err != nil {
				return fmt.Errorf("cell %s: %w", c.ID, err)
			}
			st.Status, st.Error = Pruned, ""
			err = a.s.put(c, st)
			if e := lock.Close(); err == nil {
				err = e
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
