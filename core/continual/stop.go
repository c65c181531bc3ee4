package continual

import (
	"fmt"
	"regexp"
	"strconv"

	"macpro/core/config"
)

// noStop is the value of stop_when that lets every task spend its budget.
const noStop = "none"

// stopRule ends the training of a task before its budget is spent: once its last
// tests, as many as tests says, all had at least a score. The zero rule never does.
type stopRule struct {
	score float64
	tests int
}

var stopForm = regexp.MustCompile(`^score *>= *([0-9.eE+-]+)(?: +x *([0-9]+))?$`)

func parseStop(text string) (stopRule, error) {
	if text == noStop {
		return stopRule{}, nil
	}
	wrong := func(what string) (stopRule, error) {
		return stopRule{}, fmt.Errorf("stop_when %q: %s; write score>=0.95 x3 for three tests in a row with a score of 0.95 or more, or %s", text, what, noStop)
	}
	m := stopForm.FindStringSubmatch(text)
	if m == nil {
		return wrong("it is no condition")
	}
	score, err := config.ParseFloat(m[1])
	if err != nil || score <= 0 || score > 1 {
		return wrong("scores lie between 0 and 1, " + m[1] + " does not")
	}
	r := stopRule{score, 1}
	if m[2] != "" {
		if r.tests, err = strconv.Atoi(m[2]); err != nil || r.tests < 1 || r.tests > 1000 {
			return wrong("x" + m[2] + " is no number of tests from 1 to 1000")
		}
	}
	return r, nil
}

// reached tells whether stop_when ends the task that is trained. It follows from the
// tests of the task since its training began, in the method's own mode, so it is no
// state of its own.
func (r *Runner) reached() bool {
	t := r.state.Task
	if r.cfg.stop.tests == 0 || t >= len(r.state.Starts) {
		return false
	}
	curve, n := r.curves[r.modes[0]][t], r.cfg.stop.tests
	if len(curve) < n || curve[len(curve)-n].T <= r.state.Starts[t] {
		return false
	}
	for _, p := range curve[len(curve)-n:] {
		if !(p.Score >= r.cfg.stop.score) {
			return false
		}
	}
	return true
}
