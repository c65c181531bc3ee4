package metrics

import (
	"encoding/json"
	"math"
	"testing"
)

var nan = math.NaN()

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

// All values below were worked out by hand.
func TestTwoTasks(t *testing.T) {
	forgets := Matrix{{nan, nan}, {1, 0}, {0, 1}}
	near(t, "ACC", forgets.Final(), 0.5)
	near(t, "BWT", forgets.BackwardTransfer(), -1)
	near(t, "forgetting_gem", forgets.ForgettingGEM(), 1)
	near(t, "forgetting_cw", forgets.ForgettingCW(), 0.5)
	near(t, "FWT0 without row 0", forgets.ForwardTransfer(), nan)

	half := Matrix{{0, 0.2}, {1, 0}, {0.5, 1}}
	near(t, "ACC", half.Final(), 0.75)
	near(t, "BWT", half.BackwardTransfer(), -0.5)
	near(t, "forgetting_gem", half.ForgettingGEM(), 0.5)
	near(t, "FWT0", half.ForwardTransfer(), -0.2)
}

func TestThreeTasks(t *testing.T) {
	r := Matrix{
		{0.1, 0.0, 0.2},
		{0.9, 0.3, 0.1},
		{0.6, 0.8, 0.4},
		{0.7, 0.5, 1.0},
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	near(t, "ACC", r.Final(), 2.2/3)
	near(t, "BWT", r.BackwardTransfer(), ((0.7-0.9)+(0.5-0.8))/2)
	near(t, "FWT0", r.ForwardTransfer(), ((0.3-0.0)+(0.4-0.2))/2)
	near(t, "forgetting_gem", r.ForgettingGEM(), (0.2+0.3)/2)
	near(t, "forgetting_cw", r.ForgettingCW(), (0.2+0.3+0)/3)
	best := []float64{0.9, 0.8, 1}
	f := r.IsolatedForgetting(best)
	near(t, "IF[0][1]", f[0][1], (0.9-0.6)/0.9)
	near(t, "IF[0][2]", f[0][2], (0.6-0.7)/0.9)
	near(t, "IF[1][2]", f[1][2], (0.8-0.5)/0.8)
	near(t, "IF[1][1]", f[1][1], nan)
	z := r.ZeroShotTransfer(best)
	near(t, "ZT[1][0]", z[1][0], (0.3-0.0)/0.8)
	near(t, "ZT[2][0]", z[2][0], (0.1-0.2)/1)
	near(t, "ZT[2][1]", z[2][1], (0.4-0.1)/1)
	near(t, "ZT[0][1]", z[0][1], nan)
}

func TestOneTaskHasNoTransfer(t *testing.T) {
	r := Matrix{{0}, {0.7}}
	near(t, "ACC", r.Final(), 0.7)
	near(t, "BWT", r.BackwardTransfer(), nan)
	near(t, "FWT0", r.ForwardTransfer(), nan)
	near(t, "forgetting_gem", r.ForgettingGEM(), nan)
	near(t, "forgetting_cw", r.ForgettingCW(), 0)
}

func TestMatrixShape(t *testing.T) {
	for _, r := range []Matrix{nil, {{1}}, {{0, 0}, {1, 0}, {1}}, {{0}, {1}, {1}}} {
		if r.Check() == nil {
			t.Errorf("accepted %v", r)
		}
	}
	if err := NewMatrix(4).Check(); err != nil {
		t.Error(err)
	}
}

// The paper's table entries identify the population standard deviation.
func TestStandardDeviationOfThePapersTables(t *testing.T) {
	for _, c := range []struct {
		x         []float64
		mean, std string
	}{
		{[]float64{1, 1, 1, 1, 0}, "0.80", "0.40"},
		{[]float64{1, 1, 0}, "0.67", "0.47"},
		{[]float64{1, 1, 1, 0, 0}, "0.60", "0.49"},
	} {
		m, s := math.Round(Mean(c.x)*100)/100, math.Round(Std(c.x)*100)/100
		if got, _ := json.Marshal([]float64{m, s}); string(got) != "["+trim(c.mean)+","+trim(c.std)+"]" {
			t.Errorf("%v: %s, want %s +- %s", c.x, got, c.mean, c.std)
		}
	}
}

func trim(s string) string {
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	return s
}

func TestArea(t *testing.T) {
	c := Curve{{0, 0}, {10, 1}, {20, 0.5}, {40, 0.5}}
	near(t, "whole", c.Area(0, 40), (5+7.5+10)/40)
	near(t, "inside one piece", c.Area(2, 4), 0.3)
	near(t, "across a point", c.Area(5, 15), (5*0.75+5*0.875)/10)
	near(t, "beyond the last", c.Area(40, 60), 0.5)
	near(t, "before the first", Curve{{10, 0.4}, {20, 0.8}}.Area(0, 20), (4+6)/20.0)
	near(t, "empty interval", c.Area(5, 5), nan)
	near(t, "no points", Curve(nil).Area(0, 1), nan)
}

// The first task was to be trained for 20 and ended at 10 with a score of 1, the second
// took all of its 20, the third has not begun. What comes after a task does not count.
func TestAreaOfATaskThatEndedEarly(t *testing.T) {
	curves := []Curve{{{0, 0}, {10, 1}, {30, 0}}, {{10, 0}, {20, 0.5}, {30, 0.5}, {40, 0}}, {{40, 1}}}
	spans, budget := [][2]int64{{0, 10}, {10, 30}, {}}, []int64{20, 20, 20}
	for _, c := range []struct {
		budget []int64
		want   []float64
	}{{nil, []float64{0.5, 0.375, nan}}, {budget, []float64{0.75, 0.375, nan}}} {
		s := Summarize(NewMatrix(3), curves, spans, c.budget)
		for i, want := range c.want {
			near(t, "area", float64(s.Area[i]), want)
		}
	}
}

func TestLearningTransfer(t *testing.T) {
	c := Curve{{100, 0}, {150, 0.6}, {200, 1}}
	ref := Curve{{0, 0}, {50, 0.6}, {100, 1}}
	near(t, "the reference itself", LearningTransfer(c.Area(100, 200), ref.Area(0, 100)), 0)
	near(t, "faster", LearningTransfer(0.8, 0.6), 0.5)
	near(t, "slower", LearningTransfer(0.5, 0.6), -0.25)
	near(t, "no room", LearningTransfer(1, 0.985), nan)
	near(t, "no reference", LearningTransfer(1, nan), nan)
	near(t, "mean over those defined", MeanDefined([]float64{0.5, nan, -0.25}), 0.125)
	near(t, "none defined", MeanDefined([]float64{nan}), nan)
}

// A(t) uses the tasks that have been started by t and no value from before.
func TestAverageSeen(t *testing.T) {
	curves := []Curve{
		{{0, 0}, {50, 0.5}, {100, 1}, {150, 0.4}, {200, 0.2}},
		{{0, 0.9}, {100, 0.9}, {150, 0.6}, {200, 1}}, // tested before its start at 101, too
	}
	starts := []int64{0, 101}
	near(t, "start", AverageSeen(curves, starts, 0), 0)
	near(t, "first task", AverageSeen(curves, starts, 75), 0.75)
	near(t, "last moment of the first", AverageSeen(curves, starts, 100), 1)
	near(t, "second started", AverageSeen(curves, starts, 101), ((1-0.6/50)+0.6)/2)
	near(t, "end", AverageSeen(curves, starts, 200), 0.6)
	near(t, "nothing started", AverageSeen(curves, []int64{5, 10}, 0), nan)
	near(t, "started, never tested", AverageSeen([]Curve{{{0, 1}}}, []int64{3}, 7), nan)
}

func TestLastPoints(t *testing.T) {
	c := Curve{{0, 0}, {100, 0.9}, {150, 0.3}, {200, 0.6}}
	near(t, "one", c.Last(1, 0), 0.6)
	near(t, "two", c.Last(2, 0), 0.45)
	near(t, "not before the task's start", c.Last(3, 100), 0.45)
	near(t, "none", c.Last(3, 200), nan)
	near(t, "best", c.Best(), 0.9)
}

func TestJSONKeepsWhatWasNotMeasured(t *testing.T) {
	s := Summarize(Matrix{{nan, nan}, {1, nan}, {0.5, 1}}, []Curve{{{10, 1}, {20, 0.5}}, {{20, 1}}}, [][2]int64{{0, 10}, {10, 20}}, nil)
	b, err := json.Marshal(map[string]any{"r": Matrix{{nan, 0.25}, {1, 0}}, "s": s})
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		R Matrix
		S Summary
	}
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(back.R[0][0]) || back.R[0][1] != 0.25 || back.R[1][0] != 1 {
		t.Errorf("matrix came back as %v", back.R)
	}
	near(t, "final average", float64(back.S.FinalAverage), 0.75)
	near(t, "bwt", float64(back.S.BackwardTransfer), -0.5)
	near(t, "fwt0", float64(back.S.ForwardTransfer), nan)
	near(t, "best", float64(back.S.Best[0]), 1)
	near(t, "area of a curve that starts late", float64(back.S.Area[1]), 1)
}
