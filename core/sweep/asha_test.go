package sweep

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"macpro/core/metrics"
	"macpro/core/rng"
)

// memory keeps the states of cells as a sweep's folder does.
type memory map[*Cell]State

func (m memory) stored(c *Cell) State {
	st, ok := m[c]
	if !ok {
		st.Status = Pending
	}
	st.Rungs = maps.Clone(st.Rungs)
	return st
}

func (m memory) prune(c *Cell) error {
	st := m.stored(c)
	st.Status, st.Error = Pruned, ""
	m[c] = st
	return nil
}

func (m memory) counts(cells []*Cell) map[Status]int {
	n := map[Status]int{}
	for _, c := range cells {
		n[m.stored(c).Status]++
	}
	return n
}

// game is a search in memory. The score of a trial is its number.
type game struct {
	memory
	search Search
	cells  []*Cell
	// fails says whether a cell fails on its way to a rung, ends whether it comes to
	// the end of its run before anybody stops it at the rung, as short runs do.
	fails, ends func(c *Cell, until int64) bool
	diverges    bool // what fails at a rung whose cell has seed 0
	jobs        int
}

func never(*Cell, int64) bool { return false }

// newGame is a search over n trials, each with some seeds.
func newGame(n, seeds, eta int, first, steps int64) *game {
	g := &game{memory: memory{}, search: Search{Strategy: "asha", Eta: eta, First: first}, fails: never, ends: never}
	for i := range n {
		for s := range seeds {
			g.cells = append(g.cells, &Cell{ID: fmt.Sprintf("%d-%d", i, s), GroupHash: fmt.Sprint(i), Seed: int64(s), Steps: steps})
		}
	}
	return g
}

func (g *game) trial(c *Cell) int {
	var i int
	if _, err := fmt.Sscan(c.GroupHash, &i); err != nil {
		panic(err)
	}
	return i
}

// play goes on with the search until it ends, or for some jobs and is cut, with up
// to width jobs at the same time, which end in a random order.
func (g *game) play(t *testing.T, most, width int, r *rng.Stream, retry bool) {
	t.Helper()
	a := newASHA(g.search, g.cells, g.memory, retry)
	var under []job
	for n := 0; n < most; n++ {
		for len(under) < width {
			j, ok := a.next()
			if !ok {
				break
			}
			if slices.ContainsFunc(under, func(u job) bool { return u.cell == j.cell }) {
				t.Fatalf("%s is under way twice", j.cell.ID)
			}
			if st := g.stored(j.cell); !retry && st.Status == Failed {
				t.Fatalf("%s has failed and is tried again", j.cell.ID)
			}
			under = append(under, j)
		}
		if len(under) == 0 {
			if err := a.close(); err != nil {
				t.Fatal(err)
			}
			return
		}
		i := r.Intn(len(under))
		j := under[i]
		under = slices.Delete(under, i, i+1)
		g.jobs++
		a.ended(j, g.work(j))
	}
	for _, j := range under { // the search is cut
		st := g.stored(j.cell)
		if r.Intn(2) == 0 && !st.Status.Ended() {
			st.Status = Interrupted
			g.memory[j.cell] = st
			a.ended(j, st)
		}
	}
	if r.Intn(2) == 0 {
		if err := a.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// work is what a worker does with a job.
func (g *game) work(j job) State {
	st := g.stored(j.cell)
	if st.Status == Diverged {
		return st
	}
	if st.Status != Done { // a finished run is taken
		st.Status, st.Error = Pending, ""
		switch {
		case g.fails(j.cell, j.until):
			st.Status, st.Error = Failed, "no space left"
			if g.diverges && j.cell.Seed == 0 {
				st.Status, st.Error = Diverged, "values are not finite"
			}
			g.memory[j.cell] = st
			return st
		case j.until == 0 || g.ends(j.cell, j.until):
			st.Status = Done
		}
	}
	if j.until > 0 {
		if st.Rungs == nil {
			st.Rungs = map[int64]metrics.Number{}
		}
		st.Rungs[j.until] = metrics.Number(g.trial(j.cell))
	}
	g.memory[j.cell] = st
	return st
}

func TestRungs(t *testing.T) {
	for _, c := range []struct {
		first, eta int64
		steps      []int64
		want       string
	}{
		{100, 3, []int64{1000, 5000}, "[100 300 900 0]"},
		{1000, 3, []int64{1000}, "[0]"},
		{1, 1 << 62, []int64{1e12}, "[1 0]"},
		{6e18, 2, []int64{7e18}, "[6000000000000000000 0]"},
		{3, 7, []int64{9e18}, "[3 21 147 1029 7203 50421 352947 2470629 17294403 121060821 847425747 5931980229 41523861603 290667031221 2034669218547 14242684529829 99698791708803 697891541961621 4885240793731347 34196685556119429 239376798892836003 1675637592249852021 0]"},
	} {
		var cells []*Cell
		for _, s := range c.steps {
			cells = append(cells, &Cell{Steps: s})
		}
		if got := fmt.Sprint(rungs(Search{First: c.first, Eta: int(c.eta)}, cells)); got != c.want {
			t.Errorf("from %d by %d: %s, want %s", c.first, c.eta, got, c.want)
		}
	}
}

// However a search goes, whatever fails or is cut, it ends with every cell ended or
// failed, a trial at the end, and nothing left to do.
func TestASHAEnds(t *testing.T) {
	r := rng.New(7).Stream()
	for round := range 3000 {
		n, seeds, eta := 1+r.Intn(9), 1+r.Intn(3), 2+r.Intn(2)
		g := newGame(n, seeds, eta, 100, int64(100+r.Intn(1500)))
		failing, ending := map[string]bool{}, map[string]bool{}
		for _, c := range g.cells {
			for _, until := range append(rungs(g.search, g.cells), 0) {
				id := fmt.Sprint(c.ID, " ", until)
				failing[id], ending[id] = r.Intn(12) == 0, r.Intn(4) == 0
			}
		}
		if round%2 == 0 {
			g.fails = func(c *Cell, until int64) bool { return failing[fmt.Sprint(c.ID, " ", until)] }
			g.diverges = round%4 == 0
		}
		if round%3 > 0 {
			g.ends = func(c *Cell, until int64) bool { return ending[fmt.Sprint(c.ID, " ", until)] }
		}
		for range r.Intn(4) {
			g.play(t, r.Intn(12), 1+r.Intn(3), r, true)
		}
		g.play(t, 1e6, 1+r.Intn(3), r, true)
		check(t, g, fmt.Sprintf("round %d", round))
		jobs, before := g.jobs, maps.Clone(g.memory)
		g.play(t, 1e6, 2, r, false)
		if g.jobs != jobs {
			t.Fatalf("round %d: %d jobs after the end, failed cells left alone: %v", round, g.jobs-jobs, before)
		}
		g.fails = never
		g.play(t, 1e6, 2, r, true)
		k := g.counts(g.cells)
		lost := map[string]bool{}
		for _, c := range g.cells {
			if g.stored(c).Status == Diverged {
				lost[c.GroupHash] = true
			}
		}
		if len(lost) == n {
			continue // nobody is sound, and nobody ever will be
		}
		if k[Failed] > 0 || k[Done]+k[Pruned]+k[Diverged] != len(g.cells) {
			t.Fatalf("round %d: once the cause is gone: %v", round, k)
		}
	}
}

// check says whether a search that was played to its end has one.
func check(t *testing.T, g *game, name string) {
	t.Helper()
	n := g.counts(g.cells)
	whole := map[string]int{}
	for _, c := range g.cells {
		if g.stored(c).Status == Done {
			whole[c.GroupHash]++
		}
	}
	seeds := 0
	for _, c := range g.cells {
		if c.GroupHash == "0" {
			seeds++
		}
	}
	won := slices.Contains(slices.Collect(maps.Values(whole)), seeds)
	ended := n[Done]+n[Pruned]+n[Failed]+n[Diverged] == len(g.cells)
	if !won && n[Failed]+n[Diverged] > 0 {
		return // nobody is sound: nothing is pruned
	}
	if !won || !ended {
		t.Fatalf("%s: %v, a winner: %v", name, n, won)
	}
}

// The best trial is never given up, and most others are.
func TestASHAKeepsTheBest(t *testing.T) {
	g := newGame(9, 2, 3, 100, 1000)
	r := rng.New(1).Stream()
	g.play(t, 7, 2, r, true) // and the search is cut
	g.play(t, 1000, 2, r, true)
	n := g.counts(g.cells)
	if n[Done] < 2 || n[Done] > 6 || n[Done]+n[Pruned] != 18 {
		t.Errorf("states %v", n)
	}
	for _, c := range g.cells {
		if st := g.stored(c); g.trial(c) == 8 && st.Status != Done {
			t.Errorf("the best configuration is %s", st.Status)
		}
	}
}

// Runs so short that all of them come to their end before their first rung is
// noticed end the search as well.
func TestASHAOfShortRuns(t *testing.T) {
	g := newGame(4, 3, 2, 300, 3000)
	g.ends = func(*Cell, int64) bool { return true }
	g.play(t, 1000, 2, rng.New(1).Stream(), true)
	if n := g.counts(g.cells); n[Done] != 12 {
		t.Errorf("%v, want 12 that are done", n)
	}
}

// A run that comes to its end before it is stopped at its rung does not take the
// place of the best, also if the search is cut at that moment.
func TestASHAFinishesTheBest(t *testing.T) {
	g := newGame(3, 1, 4, 100, 200)
	g.ends = func(c *Cell, _ int64) bool { return g.trial(c) == 1 }
	for range 20 { // a call for every job
		g.play(t, 1, 1, rng.New(2).Stream(), true)
	}
	g.play(t, 100, 1, rng.New(2).Stream(), true)
	if st := g.stored(g.cells[2]); st.Status != Done {
		t.Errorf("the best is %s: %v", st.Status, g.counts(g.cells))
	}
}

// What fails stays failed, its other seeds are pruned, others are promoted, and the
// next call tries it again before all else.
func TestASHAKeepsFailures(t *testing.T) {
	for name, failing := range map[string]map[int]int64{
		"at the start":       {8: 100, 0: 100},
		"the best of a rung": {8: 300},
		"the last that runs": {8: 0, 7: 0},
		"all but the worst":  {8: 0, 7: 900, 6: 300, 5: 100, 4: 100, 3: 100, 2: 100, 1: 100},
	} {
		g := newGame(9, 2, 3, 100, 1000)
		g.fails = func(c *Cell, until int64) bool {
			at, fails := failing[g.trial(c)]
			return fails && until == at && c.Seed == 1
		}
		r := rng.New(1).Stream()
		g.play(t, 1000, 1, r, true)
		n := g.counts(g.cells)
		if n[Failed] != len(failing) || n[Done] < 2 || n[Done]+n[Pruned]+n[Failed] != 18 {
			t.Errorf("%s: %v, want %d failed", name, n, len(failing))
		}
		a := newASHA(g.search, g.cells, g.memory, true)
		j, ok := a.next()
		if _, fails := failing[g.trial(j.cell)]; !ok || !fails {
			t.Errorf("%s: %v is next, which has not failed", name, j.cell)
		}
	}
}

// A search of which all trials fail has no winner, and tries all again.
func TestASHAWithoutWinner(t *testing.T) {
	g := newGame(3, 1, 3, 100, 1000)
	g.fails = func(*Cell, int64) bool { return true }
	r := rng.New(1).Stream()
	g.play(t, 1000, 1, r, true)
	if n := g.counts(g.cells); n[Failed] != 3 {
		t.Errorf("%v", n)
	}
	g.fails = func(c *Cell, _ int64) bool { return g.trial(c) == 1 }
	g.play(t, 1000, 1, r, true)
	if n := g.counts(g.cells); n[Done] != 1 || n[Failed] != 1 || n[Pruned] != 1 || g.stored(g.cells[2]).Status != Done {
		t.Errorf("%v", n)
	}
}

// An interrupted trial is neither given up nor passed over.
func TestASHAWaitsForWhatWasInterrupted(t *testing.T) {
	g := newGame(2, 1, 2, 100, 1000)
	a := newASHA(g.search, g.cells, g.memory, true)
	for _, status := range []Status{Interrupted, Failed} {
		j, ok := a.next()
		if !ok {
			t.Fatal("nothing to do")
		}
		g.memory[j.cell] = State{Status: status}
		a.ended(j, g.memory[j.cell])
	}
	if j, ok := a.next(); ok {
		t.Errorf("%v is next", j.cell.ID)
	}
	if err := a.close(); err != nil || g.counts(g.cells)[Pruned] != 0 {
		t.Errorf("pruned: %v %v", g.counts(g.cells), err)
	}
}
