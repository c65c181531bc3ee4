package stats

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"macpro/core/metrics"
	"macpro/core/rng"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The reference is an independent implementation, testdata/stats.py, which
// enumerates all resamples.
func TestStatisticsAgreeWithReference(t *testing.T) {
	data, err := os.ReadFile("testdata/stats.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name          string
		Scores, Other Scores
		Mean, IQM     float64
		MeanInterval  [2]float64 `json:"mean_interval"`
		IQMInterval   [2]float64 `json:"iqm_interval"`
		Improvement   float64
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			sorted, once := c.Scores.sorted(), ones(len(c.Scores))
			near(t, "mean", Mean(sorted, once, len(sorted)), c.Mean, 1e-12)
			near(t, "iqm", IQM(sorted, once, len(sorted)), c.IQM, 1e-12)
			near(t, "iqm", Trimmed(c.Scores.Flat()), c.IQM, 1e-12)
			near(t, "improvement", Improvement(c.Scores, c.Other), c.Improvement, 1e-12)
			for _, s := range []struct {
				what string
				stat Statistic
				want [2]float64
			}{{"mean", Mean, c.MeanInterval}, {"iqm", IQM, c.IQMInterval}} {
				got := Bootstrap(c.Scores, s.stat, 50000, rng.New(1))
				near(t, s.what+" low", float64(got.Low), s.want[0], 0.011)
				near(t, s.what+" high", float64(got.High), s.want[1], 0.011)
			}
		})
	}
}

func TestIQMCutsQuarters(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{7}, 7},
		{[]float64{0, 0, 9}, 3},
		{[]float64{100, 1, 3, -50}, 2},
		{[]float64{8, 1, 2, 3, 4, 5, 6, 7}, 4.5}, // 3 4 5 6
		{[]float64{9, 8, 1, 2, 3, 4, 5, 6, 7}, 5},
	} {
		near(t, "iqm", Trimmed(c.x), c.want, 1e-12)
	}
	if !math.IsNaN(Trimmed(nil)) {
		t.Error("the interquartile mean of nothing is a number")
	}
}

// Two runs on three tasks. A score that equals tau is not above it.
func TestProfile(t *testing.T) {
	s := Scores{{0, 0.5, 1}, {0.25, 0.5, 1}}
	for tau, want := range map[float64]float64{-0.1: 1, 0: 5. / 6, 0.25: 4. / 6, 0.3: 4. / 6, 0.5: 2. / 6, 0.99: 2. / 6, 1: 0} {
		near(t, "share", s.Of(Above(tau)), want, 1e-12)
	}
	// At 0.1 a draw of two runs has 2/3, 5/6 or 1 of its scores above: whole runs are drawn.
	if got := Bootstrap(s, Above(0.1), 2000, rng.New(1)); math.Abs(float64(got.Low)-2./3) > 1e-12 || got.High != 1 {
		t.Errorf("interval %v", got)
	}
	// With scores drawn one by one this would be an interval.
	if got := Bootstrap(Scores{{0, 1}, {0, 1}}, Above(0.5), 2000, rng.New(1)); got != (Interval{0.5, 0.5}) {
		t.Errorf("interval %v of runs that are alike", got)
	}
	if got := (Scores{}).Of(Above(0)); got == got {
		t.Errorf("%v of nothing", got)
	}
}

func TestBootstrapIsReproducibleAndBounded(t *testing.T) {
	s := Scores{{0.1, 0.9}, {0.4, 0.8}, {0.3, 1.0}, {0.2, 0.7}}
	a := Bootstrap(s, IQM, 2000, rng.New(3))
	if b := Bootstrap(s, IQM, 2000, rng.New(3)); a != b {
		t.Errorf("two intervals from one source: %v and %v", a, b)
	}
	if m := Trimmed(s.Flat()); float64(a.Low) > m || float64(a.High) < m {
		t.Errorf("interval %v does not hold %v", a, m)
	}
	for _, empty := range []Scores{nil, {{}}} {
		if i := Bootstrap(empty, Mean, 10, rng.New(1)); i.Low == i.Low || i.High == i.High {
			t.Errorf("interval of no values: %v", i)
		}
	}
	same := Bootstrap(Scores{{0.5}, {0.5}}, Mean, 100, rng.New(1))
	if same != (Interval{0.5, 0.5}) {
		t.Errorf("interval of equal runs: %v", same)
	}
}

func TestImprovementIntervalHoldsEstimate(t *testing.T) {
	x, y := Scores{{1}, {1}, {0}}, Scores{{0}, {0}, {1}}
	p := Improvement(x, y)
	near(t, "P", p, (2*2.5+2*0.5)/9, 1e-12)
	i := BootstrapImprovement(x, y, 5000, rng.New(2))
	if float64(i.Low) > p || float64(i.High) < p || i.Low < 0 || i.High > 1 {
		t.Errorf("interval %v of %v", i, p)
	}
	if Improvement(x, x) != 0.5 {
		t.Error("a method must be as good as itself")
	}
}

// Weights say how often a run counts: the same as the statistic of the drawn runs
// themselves.
func TestWeightsCountRuns(t *testing.T) {
	r := rng.New(7).Stream()
	for range 200 {
		x, y := random(2+r.Intn(6), 3, r), random(2+r.Intn(6), 3, r)
		wx, wy := make([]int, len(x)), make([]int, len(y))
		draw(wx, r)
		draw(wy, r)
		drawn, other := x.times(wx), y.times(wy)
		near(t, "iqm", IQM(x.sorted(), wx, 3*len(x)), Trimmed(drawn.Flat()), 1e-12)
		near(t, "mean", Mean(x.sorted(), wx, 3*len(x)), metrics.Mean(drawn.Flat()), 1e-12)
		p := 0.0
		for task := range 3 {
			for _, a := range drawn {
				for _, b := range other {
					switch {
					case a[task] > b[task]:
						p++
					case a[task] == b[task]:
						p += 0.5
					}
				}
			}
		}
		near(t, "improvement", newDuel(x, y).improvement(wx, wy), p/float64(3*len(x)*len(y)), 1e-12)
	}
}

// random scores of few values, so that some are equal.
func random(runs, tasks int, r *rng.Stream) Scores {
	s := make(Scores, runs)
	for i := range s {
		for range tasks {
			s[i] = append(s[i], float64(r.Intn(5))/4)
		}
	}
	return s
}

func (s Scores) times(weight []int) Scores {
	var out Scores
	for i, n := range weight {
		for range n {
			out = append(out, s[i])
		}
	}
	return out
}

var sink metrics.Number

func BenchmarkBootstrap(b *testing.B) {
	r := rng.New(1).Stream()
	few, many := random(5, 4, r), random(1000, 5, r)
	for name, s := range map[string]Scores{"5 runs": few, "1000 runs": many} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sink = Bootstrap(s, IQM, 10000, rng.New(1)).Low
			}
		})
	}
}

// By hand: 1, 2, 3 have a standard error of 1/sqrt 3, and t is 4.302653; 0, 1 have one
// of 1/2, and t is 12.706205.
func TestStudentByHand(t *testing.T) {
	i := Student([]float64{1, 2, 3})
	near(t, "low", float64(i.Low), 2-4.302653/math.Sqrt(3), 1e-5)
	near(t, "high", float64(i.High), 2+4.302653/math.Sqrt(3), 1e-5)
	i = Student([]float64{0, 1})
	near(t, "low", float64(i.Low), 0.5-12.706205/2, 1e-5)
	near(t, "high", float64(i.High), 0.5+12.706205/2, 1e-5)
	if i := Student([]float64{5}); i.Low == i.Low || i.High == i.High {
		t.Errorf("interval %v of one value", i)
	}
}

// What the 95 % intervals of the mean of few normal values hold of its true value.
func TestCoverageOfFewRuns(t *testing.T) {
	src, r := rng.New(4), rng.New(3).Stream()
	for n, want := range map[int]float64{3: 0.75, 5: 0.84} {
		const times = 1500
		boot, student := 0, 0
		for k := range times {
			s := make(Scores, n)
			for i := range s {
				s[i] = []float64{r.Norm()}
			}
			if b := Bootstrap(s, Mean, 1000, src.ChildInt(int64(k))); b.Low <= 0 && b.High >= 0 {
				boot++
			}
			if b := Student(s.Flat()); b.Low <= 0 && b.High >= 0 {
				student++
			}
		}
		near(t, "coverage of the bootstrap", float64(boot)/times, want, 0.03)
		near(t, "coverage of Student's t", float64(student)/times, 0.95, 0.02)
	}
}
