package sweep

import (
	"cmp"
	"math"
	"slices"

	"macpro/core/metrics"
)

// asha is asynchronous successive halving. A trial is a configuration with all
// its seeds. A rung is a number of transitions, eta times that of the rung before.
// There a trial has the mean score of its seeds. Of the n trials that have reached
// a rung the best n/eta go on, each as soon as it is among the best. The last rung
// is the end of the runs.
//
// If a cell of a trial fails, the trial is the worst of the rung ahead of it.
// Others are promoted instead. Its other cells are pruned with theirs once the
// search has a winner. The cell stays failed. Another call tries it again before
// all else, unless it has diverged.
//
// It decides from the states of the cells alone, so a search that was cut goes on
// where it was.
type asha struct {
	eta    int
	rungs  []int64 // the last is 0: the end
	trials []*trial
	queue  []job
	states states
}

type states interface {
	stored(c *Cell) State
	prune(c *Cell) error
}

type trial struct {
	cells  []*Cell
	rung   int             // index of the last rung that it has reached, -1 for none
	busy   int             // jobs under way
	scores map[int]float64 // by rung
	broken bool            // a cell has failed or has no score, or it was pruned
	cut    bool            // a cell was interrupted: a later call goes on with it
	again  bool            // a cell had failed in an earlier call
	lost   bool            // a cell has diverged, and would do so again
}

// newASHA goes on with a search. Trials with cells that have failed are tried again
// if retry says so.
func newASHA(search Search, cells []*Cell, states states, retry bool) *asha {
	a := &asha{eta: search.Eta, rungs: rungs(search, cells), states: states}
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
		a.restore(t, retry)
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
		if t > end/int64(search.Eta) { // the next one may be no number any more
			break
		}
	}
	return append(out, 0)
}

// restore finds out how far a trial had come, and whether it was given up.
func (a *asha) restore(t *trial, retry bool) {
	for i := range a.rungs {
		score, ok := a.scoreAt(t, i)
		if !ok {
			break
		}
		t.scores[i], t.rung = score, i
	}
	n := map[Status]int{}
	ended := true
	for _, c := range t.cells {
		st := a.states.stored(c).Status
		n[st]++
		ended = ended && st.Ended()
	}
	switch {
	case n[Diverged] > 0 || n[Failed] > 0 && !retry:
		t.lost = n[Diverged] > 0
		a.breakUp(t)
	case n[Failed] > 0:
		t.again = true
	default:
		t.broken = n[Pruned] > 0 && ended
	}
}

// breakUp gives a trial up: it is the worst of the rung that it did not reach.
func (a *asha) breakUp(t *trial) {
	t.broken = true
	t.scores[t.rung+1] = math.Inf(-1)
}

// scoreAt is the mean score of a trial's cells at a rung, false if one of them
// has not reached it. A rung before the first test has the worst of scores.
func (a *asha) scoreAt(t *trial, i int) (float64, bool) {
	var x []float64
	for _, c := range t.cells {
		st := a.states.stored(c)
		v, ok := st.Rungs[a.rungs[i]]
		if a.rungs[i] == 0 {
			v, ok = 0, st.Status == Done
		}
		if !ok {
			return 0, false
		}
		x = append(x, float64(v))
	}
	mean := metrics.Mean(x)
	if math.IsNaN(mean) {
		mean = math.Inf(-1)
	}
	return mean, true
}

// next promotes from the highest rung that has somebody to promote, or starts a
// new trial. A trial that has been where it is sent is there at once.
func (a *asha) next() (job, bool) {
	for len(a.queue) == 0 {
		t := a.promotable()
		if t == nil {
			return job{}, false
		}
		if a.send(t); t.busy == 0 {
			a.arrive(t)
		}
	}
	j := a.queue[0]
	a.queue = a.queue[1:]
	return j, true
}

// promotable finds the trial that goes on: first those that are tried again, then
// the best of their rung, then new ones. When all are used up, the best trial of
// the highest rung goes to the end, so a search has a winner.
func (a *asha) promotable() *trial {
	if i := slices.IndexFunc(a.trials, func(t *trial) bool { return t.again && t.idle() }); i >= 0 {
		return a.trials[i]
	}
	last := len(a.rungs) - 1
	for rung := last - 1; rung >= 0; rung-- {
		there := a.ranked(rung)
		for _, t := range there[:len(there)/a.eta] {
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

// leader is the best sound trial of the highest rung with a score, if it has not
// gone on from there. A trial that came to the end without being promoted, as short
// runs do, does not stand in its way.
func (a *asha) leader() *trial {
	for rung := len(a.rungs) - 2; rung >= 0; rung-- {
		there := slices.DeleteFunc(a.ranked(rung), func(t *trial) bool { return t.broken })
		if len(there) == 0 {
			continue
		}
		if there[0].rung == rung && there[0].idle() {
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

// send queues the cells of a trial that have not been at its next rung.
func (a *asha) send(t *trial) {
	t.again = false
	until := a.rungs[t.rung+1]
	for _, c := range t.cells {
		st := a.states.stored(c)
		if _, there := st.Rungs[until]; until > 0 && there || st.Status == Done && until == 0 {
			continue
		}
		a.queue = append(a.queue, job{c, until})
		t.busy++
	}
}

// arrive notes that all cells of a trial have been sent on and come back: it is at
// its next rung, or is given up.
func (a *asha) arrive(t *trial) {
	score, ok := a.scoreAt(t, t.rung+1)
	if !ok || t.broken {
		a.breakUp(t)
		return
	}
	t.rung++
	t.scores[t.rung] = score
}

// ended notes how far a trial has come. When a cell of it has failed, its other
// cells need not start.
func (a *asha) ended(j job, st State) {
	i := slices.IndexFunc(a.trials, func(t *trial) bool { return slices.Contains(t.cells, j.cell) })
	t := a.trials[i]
	t.busy--
	if _, there := st.Rungs[j.until]; !there && st.Status != Done {
		t.cut = t.cut || st.Status == Interrupted || st.Status == Running
		t.broken = t.broken || st.Status != Interrupted && st.Status != Running
		t.lost = t.lost || st.Status == Diverged
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
	if t.busy == 0 && (!t.cut || t.broken) {
		a.arrive(t)
	}
}

// close prunes the cells that were not promoted, once nothing is left to do.
func (a *asha) close() error {
	under := func(t *trial) bool { return t.busy > 0 || t.cut && !t.broken }
	if a.promotable() != nil || slices.ContainsFunc(a.trials, under) || !a.won() {
		return nil // interrupted, or all have failed: a later call goes on
	}
	for _, t := range a.trials {
		for _, c := range t.cells {
			if st := a.states.stored(c).Status; st.Ended() || st == Failed && !t.lost {
				continue
			}
			if err := a.states.prune(c); err != nil {
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

// Standing is how far a configuration has come in a search by ASHA.
type Standing struct {
	Rung  int64   // the last rung that all of its cells have reached, 0 for none
	Score float64 // there; meaningless without one
}

// Standings lists how far the configurations of a search have come, by their hash.
func (s *Sweep) Standings() map[string]Standing {
	out := map[string]Standing{}
	if !s.Search.Adaptive() {
		return out
	}
	a := newASHA(s.Search, s.Cells, s, true)
	for _, t := range a.trials {
		var at Standing
		if i := min(t.rung, len(a.rungs)-2); i >= 0 { // the end has no score of its own
			at = Standing{a.rungs[i], t.scores[i]}
		}
		out[t.cells[0].GroupHash] = at
	}
	return out
}
