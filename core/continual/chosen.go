package continual

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// chosen says which of the earlier tasks a test covers.
type chosen struct {
	how   string
	tasks int // of window and sample
}

// The values of test_tasks.
const (
	allTasks  = "all"
	lastTasks = "window" // the other value draws
)

var chosenForm = regexp.MustCompile(`^(window|sample)\((0|[1-9][0-9]{0,5})\)$`)

func parseChosen(text string) (chosen, error) {
	if text == allTasks {
		return chosen{how: allTasks}, nil
	}
	p := chosenForm.FindStringSubmatch(text)
	if p == nil {
		return chosen{}, fmt.Errorf("test_tasks %q: write all, window(5) for the last five tasks before the one in training, or sample(5) for five drawn ones", text)
	}
	k, err := strconv.Atoi(p[2])
	return chosen{p[1], k}, err
}

// testedTasks lists the tasks of a test in ascending order; see test for row. If
// test_tasks chooses, a test covers the task in training and the chosen ones before
// it, and at a task's end the next one. The first and the last test cover all tasks, so
// that final scores, transfer and forgetting are defined. So does what was the last
// test before a run was extended.
func (r *Runner) testedTasks(row int) []int {
	seen := len(r.state.Starts)
	last := seen // one after the last that is tested
	if row != noRow && r.cfg.BoundaryFullTest {
		last = max(seen, r.known(row))
	}
	var out []int
	if r.cfg.chosen.how == allTasks || row == 0 || row == len(r.names) || slices.Contains(r.cfg.Extended, row) {
		for i := range last {
			out = append(out, i)
		}
		return out
	}
	out = append(r.earlier(seen-1), seen-1)
	if seen < last {
		out = append(out, seen)
	}
	return out
}

// earlier chooses among the first n tasks. A draw depends on the time alone.
func (r *Runner) earlier(n int) []int {
	k := min(r.cfg.chosen.tasks, n)
	out := make([]int, k)
	if r.cfg.chosen.how == lastTasks {
		for i := range out {
			out[i] = n - k + i
		}
		return out
	}
	r.root.Child("test_tasks").ChildInt(r.state.TEnv).Stream().Sample(out, make([]int, n), n)
	slices.Sort(out)
	return out
}
