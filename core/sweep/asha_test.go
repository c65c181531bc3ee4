package sweep

import (
	"fmt"
	"slices"
	"testing"
)

// play lets the cells of an ASHA search have the score of their learning rate
// and returns how many jobs ran. A cell fails on its way to the given rung.
func play(t *testing.T, s *Sweep, stopAfter int, failing map[string]int64) int {
	t.Helper()
	w := &Worker{Sweep: s}
	plan := w.schedule(s.Cells)
	jobs := 0
	for ; jobs < stopAfter; jobs++ {
		j, ok := plan.next()
		if !ok {
			break
		}
		var lr float64
		if _, err := fmt.Sscanf(j.cell.Sets[0], "lr=%g", &lr); err != nil {
			t.Fatal(err)
		}
		st := s.stored(j.cell)
		if st.Rungs == nil {
			st.Rungs = map[int64]float64{}
		}
		if st.Status = Done; j.until > 0 {
			st.Status, st.Rungs[j.until] = Pending, lr
		}
		if until, fails := failing[j.cell.Sets[0]]; fails && until == j.until {
			delete(st.Rungs, until)
			st.Status, st.Error = Failed, "values are not finite"
		}
		if err := s.put(j.cell, st); err != nil {
			t.Fatal(err)
		}
		plan.ended(j, st)
	}
	if jobs < stopAfter {
		if err := plan.close(); err != nil {
			t.Fatal(err)
		}
	}
	return jobs
}

func TestASHAKeepsTheBest(t *testing.T) {
	var points [][]string
	for i := range 9 {
		points = append(points, []string{fmt.Sprintf("lr=%d", (i*4)%9)})
	}
	search := Search{Strategy: "asha", Eta: 3, First: 100}
	if got := rungs(search, []*Cell{{Steps: 1000}, {Steps: 5000}}); !slices.Equal(got, []int64{100, 300, 900, 0}) {
		t.Errorf("rungs %v", got)
	}
	s := makeSweep(t, search, points, 1, 2)
	play(t, s, 7, nil) // and the search is cut
	play(t, s, 1000, nil)
	n := s.Counts()
	if n[Done] == 0 || n[Done]+n[Pruned] != 18 || n[Done] > 6 {
		t.Errorf("states %v", n)
	}
	for _, c := range s.Cells {
		if st := s.State(c); c.Sets[0] == "lr=8" && st.Status != Done {
			t.Errorf("the best configuration is %s", st.Status)
		}
	}
	if s.Unfinished() != nil || play(t, s, 1000, nil) != 0 {
		t.Error("a finished search goes on")
	}
}

// trials is a search over learning rates 0 to n-1.
func trials(t *testing.T, n, eta int, seeds ...int64) *Sweep {
	t.Helper()
	var points [][]string
	for i := range n {
		points = append(points, []string{fmt.Sprintf("lr=%d", i)})
	}
	return makeSweep(t, Search{Strategy: "asha", Eta: eta, First: 100}, points, seeds...)
}

// A trial that fails is the worst of its rung: the others are promoted, it is
// given up with its error, and the search is complete.
func TestASHAGivesUpWhatFails(t *testing.T) {
	for name, failing := range map[string]map[string]int64{
		"at the start":       {"lr=8": 100, "lr=0": 100},
		"the best of a rung": {"lr=8": 300},
		"the last that runs": {"lr=8": 0, "lr=7": 0},
		"all but the worst":  {"lr=8": 0, "lr=7": 900, "lr=6": 300, "lr=5": 100, "lr=4": 100, "lr=3": 100, "lr=2": 100, "lr=1": 100},
	} {
		s := trials(t, 9, 3, 1, 2)
		play(t, s, 1000, failing)
		n := s.Counts()
		if err := s.Unfinished(); err != nil || n[Done] < 2 {
			t.Errorf("%s: %v: %v", name, n, err)
		}
		for _, c := range s.Cells {
			st := s.State(c)
			if _, fails := failing[c.Sets[0]]; fails && st.Status != Pruned {
				t.Errorf("%s: %v, which fails, is %s", name, c.Sets, st.Status)
			}
		}
		if again := play(t, s, 1000, failing); again != 0 {
			t.Errorf("%s: %d jobs after the end", name, again)
		}
	}
}

// What failed in one call is tried again by the next as long as there is no
// winner, and a search of which all trials fail is not complete.
func TestASHAWithoutWinner(t *testing.T) {
	s := trials(t, 3, 3, 1)
	all := map[string]int64{"lr=0": 100, "lr=1": 100, "lr=2": 0}
	play(t, s, 1000, all)
	if n := s.Counts(); s.Unfinished() == nil || n[Failed] != 3 {
		t.Errorf("%v", n)
	}
	play(t, s, 1000, map[string]int64{"lr=1": 100})
	if n := s.Counts(); s.Unfinished() != nil || n[Done] != 1 || s.State(s.Cells[2]).Status != Done {
		t.Errorf("%v", n)
	}
}

// An interrupted trial is neither given up nor passed over.
func TestASHAWaitsForWhatWasInterrupted(t *testing.T) {
	s := trials(t, 2, 2, 1)
	plan := (&Worker{Sweep: s}).schedule(s.Cells)
	for _, status := range []Status{Interrupted, Failed} {
		j, ok := plan.next()
		if !ok {
			t.Fatal("nothing to do")
		}
		st := State{Status: status}
		if err := s.put(j.cell, st); err != nil {
			t.Fatal(err)
		}
		plan.ended(j, st)
	}
	if j, ok := plan.next(); ok {
		t.Errorf("%v is next", j.cell.Sets)
	}
	if err := plan.close(); err != nil || s.Counts()[Pruned] != 0 {
		t.Errorf("pruned: %v %v", s.Counts(), err)
	}
}
