package report

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
		Name           string
		Scores, Other  Scores
		Mean, Std, IQM float64
		MeanInterval   [2]float64 `json:"mean_interval"`
		IQMInterval    [2]float64 `json:"iqm_interval"`
		Improvement    float64
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			b := &builder{o: Options{Stats: StatsIQM}}
			cell := b.cell(c.Scores, nil)
			near(t, "mean", float64(cell.Mean), c.Mean, 1e-12)
			near(t, "std", float64(cell.Std), c.Std, 1e-12)
			near(t, "iqm", float64(cell.IQM), c.IQM, 1e-12)
			near(t, "improvement", Improvement(c.Scores, c.Other), c.Improvement, 1e-12)
			for _, s := range []struct {
				what string
				stat func(Scores) float64
				want [2]float64
			}{{"mean", MeanOf, c.MeanInterval}, {"iqm", IQMOf, c.IQMInterval}} {
				got := Bootstrap(c.Scores, s.stat, 50000, rng.New(1))
				near(t, s.what+" low", float64(got.Low), s.want[0], 0.011)
				near(t, s.what+" high", float64(got.High), s.want[1], 0.011)
			}
		})
	}
}

// The spreads that the paper prints: 4 of 5 runs at 1, 3 of 5, 2 of 3.
func TestPrintedSpreads(t *testing.T) {
	for _, c := range []struct {
		runs Scores
		want string
	}{
		{Scores{{1}, {1}, {1}, {1}, {0}}, "0.80 ± 0.40"},
		{Scores{{1}, {1}, {1}, {0}, {0}}, "0.60 ± 0.49"},
		{Scores{{1}, {1}, {0}}, "0.67 ± 0.47"},
		{nil, "missing"},
	} {
		table := &Table{Stats: StatsMean}
		if got := table.Text((&builder{}).cell(c.runs, nil)); got != c.want {
			t.Errorf("%v: %s, want %s", c.runs, got, c.want)
		}
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
		near(t, "iqm", IQM(c.x), c.want, 1e-12)
	}
	if !math.IsNaN(IQM(nil)) {
		t.Error("the interquartile mean of nothing is a number")
	}
}

func TestBootstrapIsReproducibleAndBounded(t *testing.T) {
	s := Scores{{0.1, 0.9}, {0.4, 0.8}, {0.3, 1.0}, {0.2, 0.7}}
	a := Bootstrap(s, IQMOf, 2000, rng.New(3))
	if b := Bootstrap(s, IQMOf, 2000, rng.New(3)); a != b {
		t.Errorf("two intervals from one source: %v and %v", a, b)
	}
	if m := IQMOf(s); float64(a.Low) > m || float64(a.High) < m {
		t.Errorf("interval %v does not hold %v", a, m)
	}
	for _, empty := range []Scores{nil, {{}}} {
		if i := Bootstrap(empty, MeanOf, 10, rng.New(1)); i.Low == i.Low || i.High == i.High {
			t.Errorf("interval of no values: %v", i)
		}
	}
	same := Bootstrap(Scores{{0.5}, {0.5}}, MeanOf, 100, rng.New(1))
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

var sink metrics.Number

func BenchmarkBootstrap(b *testing.B) {
	s := Scores{{0.1, 0.9, 0.2, 1}, {0.4, 0.8, 0.1, 1}, {0.3, 1, 0.5, 0.9}, {0.2, 0.7, 0.3, 1}, {0.6, 0.8, 0.2, 0.8}}
	for b.Loop() {
		sink = Bootstrap(s, MeanOf, resamples, rng.New(1)).Low
	}
}
