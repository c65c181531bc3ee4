package sweep

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"macpro/core/cputime"
)

// Every form of a range draws what it says, and reaches its ends.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		form  string
		low   float64
		high  float64
		whole bool
		below float64 // half of the draws lie below
	}{
		{"uniform(1, 3)", 1, 3, false, 2},
		{"loguniform(1e-4,1e-2)", 1e-4, 1e-2, false, 1e-3},
		{"int(8,64)", 8, 64, true, 36.5},
		{"int(-3, 2)", -3, 2, true, 0},
		{"logint(1,99)", 1, 99, true, 10},
		{"logint(4, 1e3)", 4, 1000, true, 63},
		{"choice(8,16,64)", 8, 64, true, 16.5},
	} {
		a, err := ParseAxis("k=" + c.form)
		if err != nil {
			t.Fatal(err)
		}
		file, err := Parse("x.yaml", []byte("grids: [{k: '"+c.form+"'}]"), "smoke", "")
		if err != nil || fmt.Sprint(file.Grids[0][0].Values, file.Grids[0][0].Draw) != fmt.Sprint(a.Values, a.Draw) {
			t.Errorf("%s in a file: %v %v", c.form, file.Grids, err)
		}
		s := Spec{Seeds: []int64{1}, Grids: []Grid{{a, {Key: "n", Draw: &Distribution{Low: 0, High: 1}}}}}
		points, _, err := s.Expand(Search{Strategy: "random", Trials: 3000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		low, high, below := c.high, c.low, 0
		for _, p := range points {
			text := strings.TrimPrefix(p[0], "k=")
			x, err := strconv.ParseFloat(text, 64)
			if err != nil || x < c.low || x > c.high || c.whole && text != strconv.Itoa(int(x)) {
				t.Fatalf("%s gave %s", c.form, text)
			}
			if low, high = min(low, x), max(high, x); x < c.below {
				below++
			}
		}
		span := (c.high - c.low) / 50
		if low > c.low+span || high < c.high-span {
			t.Errorf("%s gave %g to %g", c.form, low, high)
		}
		if share := float64(below) / 3000; c.form[:3] != "cho" && (share < 0.45 || share > 0.55) {
			t.Errorf("%s: %.2f of the values are below %g", c.form, share, c.below)
		}
	}
}

func TestRangesPrintThemselves(t *testing.T) {
	for _, form := range []string{"uniform(0.1,0.5)", "loguniform(0.0001,0.01)", "int(8,64)", "logint(1,99)"} {
		if a, err := ParseAxis("k=" + form); err != nil || a.Draw.String() != form {
			t.Errorf("%s became %v, %v", form, a.Draw, err)
		}
	}
}

// What is too large is refused at a stated bound, at once.
func TestSizes(t *testing.T) {
	values := func(n int) (out []string) {
		for i := range n {
			out = append(out, strconv.Itoa(i))
		}
		return out
	}
	wide := Grid{{Key: "a", Values: values(10_000)}, {Key: "b", Values: values(10_000)}}
	for name, c := range map[string]struct {
		spec   Spec
		search Search
		want   string
	}{
		"a grid":        {Spec{Seeds: []int64{1}, Grids: []Grid{wide}}, Search{Strategy: "grid"}, "the sweep has 100000000 cells (10000 values of a, 10000 values of b, 1 seed), and a sweep has at most 100000"},
		"trials":        {Spec{Seeds: []int64{1}, Grids: []Grid{wide}}, Search{Strategy: "random", Trials: 1_000_000_000}, "has 1000000000 cells (1000000000 trials, 1 seed)"},
		"seeds":         {Spec{Seeds: make([]int64, 1000), Grids: []Grid{{{Key: "a", Values: values(101)}}}}, Search{Strategy: "grid"}, "has 101000 cells"},
		"an axis seed":  {Spec{Seeds: make([]int64, 1000), Grids: []Grid{{{Key: "seed", Values: values(100_000)}}}}, Search{Strategy: "grid"}, ""},
		"just enough":   {Spec{Seeds: []int64{1, 2}, Grids: []Grid{{{Key: "a", Values: values(50_000)}}}}, Search{Strategy: "grid"}, ""},
		"few to draw":   {Spec{Seeds: []int64{1}, Grids: []Grid{{{Key: "a", Values: values(30_000)}}}}, Search{Strategy: "random", Trials: 100_000}, ""},
		"the same grid": {Spec{Seeds: []int64{1}, Grids: []Grid{{{Key: "a", Values: values(3)}}, {{Key: "a", Values: values(3)}}}}, Search{Strategy: "random", Trials: 100_000}, ""},
	} {
		began := cputime.Used()
		_, _, err := c.spec.Expand(c.search)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if d := cputime.Used() - began; d > 5*time.Second {
			t.Errorf("%s took %v", name, d)
		}
	}
}
