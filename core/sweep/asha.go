package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"macpro/core/metrics"
)

// asha is asynchronous successive halving. A trial is a configuration with all
// its seeds. At each rung, a number of transitions, it has the mean score of its
// seeds; of the n trials that have reached a rung the best n/eta go on to the
// next one, which is eta times as far, as soon as they are among the best. The
// last rung is the end of the runs. A trial that fails is the worst of the rung
// that it was on its way to: others are promoted instead, and it is pruned with
// them once the search has a winner. Until then another call tries it again.
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
	broken bool            // a cell has failed or has no score, or it was pruned
	cut    bool            // a cell was interrupted: a later call goes on with it
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

// restore finds out how far a trial had come, and whether it was given up.
func (a *asha) restore(t *trial) {
	for i := range a.rungs {
		score, ok := a.scoreAt(t, i)
		if !ok {
			break
		}
		t.scores[i], t.rung = score, i
	}
	for _, c := range t.cells {
		if st := a.s.stored(c); st.Status == Pruned {
			t.broken = true
			if st.Error != "" {
				t.scores[t.rung+1] = math.Inf(-1)
			}
		}
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
	return a.leader()
}

// leader is the best trial of the highest rung that anybody has reached sound,
// if it can go on: nobody has come to the end so far.
func (a *asha) leader() *trial {
	for rung := len(a.rungs) - 1; rung >= 0; rung-- {
		there := slices.DeleteFunc(a.ranked(rung), func(t *trial) bool { return t.broken })
		if len(there) == 0 {
			continue
		}
		if rung < len(a.rungs)-1 && there[0].idle() {
			return there[0]
		}
		return nil
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

func (t *trial) idle() bool { return t.busy == 0 && !t.broken && !t.cut }

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

// ended notes how far a trial has come. When a cell of it has failed, its other
// cells need not start.
func (a *asha) ended(j job, st State) {
	i := slices.IndexFunc(a.trials, func(t *trial) bool { return slices.Contains(t.cells, j.cell) })
	t := a.trials[i]
	t.busy--
	if _, there := st.Rungs[j.until]; !there && st.Status != Done {
		t.cut = t.cut || st.Status == Interrupted || st.Status == Running
		t.broken = t.broken || !t.cut
	}
	if t.broken {
		a.queue = slices.DeleteFunc(a.queue, func(q job) bool {
			drop := slices.Contains(t.cells, q.cell)
			if drop {
				t.busy--
			}
			return drop
		})
	}
	if t.busy > 0 || t.cut {
		return
	}
	if score, ok := a.scoreAt(t, t.rung+1); ok && !t.broken {
		t.rung++
		t.scores[t.rung] = score
		return
	}
	t.broken = true
	t.scores[t.rung+1] = math.Inf(-1)
}

// close marks the cells that were not promoted as pruned, once nothing is left
// to do.
func (a *asha) close() error {
	under := func(t *trial) bool { return t.busy > 0 || t.cut }
	if a.promotable() != nil || slices.ContainsFunc(a.trials, under) || !a.won() {
		return nil // interrupted, or all have failed: a later call goes on
	}
	for _, t := range a.trials {
		for _, c := range t.cells {
			if err := a.prune(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// won says whether a trial has come to the end.
func (a *asha) won() bool {
	return slices.ContainsFunc(a.trials, func(t *trial) bool { return t.rung == len(a.rungs)-1 })
}

// prune ends a cell that has not ended. One that has failed keeps its error.
func (a *asha) prune(c *Cell) error {
	st := a.s.stored(c)
	if st.Status.Ended() {
		return nil
	}
	lock, err := a.s.lock(c)
	if err != nil {
		return fmt.Errorf("cell %s: %w", c.ID, err)
	}
	if st.Status != Failed {
		st.Error = ""
	}
	st.Status = Pruned
	err = a.s.put(c, st)
	if e := lock.Close(); err == nil {
		err = e
	}
	return err
}
