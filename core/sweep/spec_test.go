package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const example = `
seeds: {reduced: 1..3, paper: [1, 2, 7]}
fixed: {learner: qmix, gamma: 0.9}
grids:
  - env: [lbf, pp]
    alg: [ewc, macpro]
  - alg: macpro
    tasks: [[right], [a, b]]
exclude:
  - {env: pp, alg: ewc}
evaluate:
  - {name: generalization, tasks: generalization}
  - name: probes
    grid: {probe_nepisode: [1, 5]}
`

func TestParseAndExpand(t *testing.T) {
	s, err := Parse("x.yaml", []byte(example), "paper", "")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Seeds, []int64{1, 2, 7}) || len(s.Evaluate) != 3 || s.Evaluate[2].Label() != "probes-probe_nepisode=5" {
		t.Errorf("seeds %v, evaluations %v", s.Seeds, s.Evaluate)
	}
	points, _, err := s.Expand(Search{Strategy: "grid"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range points {
		got = append(got, strings.Join(p, " "))
	}
	want := []string{
		"learner=qmix gamma=0.9 env=lbf alg=ewc", "learner=qmix gamma=0.9 env=lbf alg=macpro",
		"learner=qmix gamma=0.9 env=pp alg=macpro",
		"learner=qmix gamma=0.9 alg=macpro tasks=[right]", "learner=qmix gamma=0.9 alg=macpro tasks=[a, b]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("points\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestBrokenSpecs(t *testing.T) {
	for text, want := range map[string]string{
		"grid: [1]":                 `line 1: unknown key "grid", did you mean "grids"? (known: profile, seeds, fixed,`,
		"evaluate: [{nam: a}]":      `unknown key "nam", did you mean "name"?`,
		"- seeds":                   "line 1: this has another form than in a sweep",
		"":                          "nothing is in it; a sweep has some of profile, seeds, fixed",
		"# later\n---\n":            "nothing is in it",
		"seeds: 1\n---\nseeds: 2":   "line 2: a second document starts here",
		"seeds: 1\n---\n: [":        "did not find",
		"seeds: {paper: 1..5}":      "none for profile \"reduced\", only for paper",
		"seeds: 5..1":               `seeds "5..1"`,
		"seeds: [1, 1]":             "1 is listed twice",
		"seeds: one":                `seeds "one"`,
		"grids: [{alg: []}]":        "alg has no values",
		"grids: [7]":                "want keys with values",
		"grids: [{alg: a, alg: b}]": "set twice",
		"exclude: [{}]":             "exclude 1",
		"evaluate: [{tasks: all}]":  "the name is missing",
		"evaluate: [{name: a}, {name: a, tasks: all}]": "there is an evaluation a already",
		"evaluate: [{name: a, grid: {n: [1, 1]}}]":     "a-n=1 is listed twice",
		"fixed: {profile: smoke}":                      "profile is not set there, but beside fixed",
		"fixed: [a]":                                   "fixed: ",
		"seeds: [1\n":                                  "x.yaml: ",
	} {
		if _, err := Parse("x.yaml", []byte(text), "reduced", ""); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "x.yaml: ") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestAxes(t *testing.T) {
	a, err := ParseAxis("tasks=[right,bottom],[left]")
	if err != nil || !slices.Equal(a.Values, []string{"[right,bottom]", "[left]"}) {
		t.Errorf("%v %v", a, err)
	}
	for _, bad := range []string{"lr", "=1", "lr=1,,2", "lr=", "lr=1,1", "lr=uniform(2,1)", "lr=loguniform(0,1)", "lr=uniform(a,b)",
		"lr=uniform(1)", "lr=uniform(1,2,3)", "n=int(8,8)", "n=int(1.5,4)", "n=logint(0,4)", "n=int(0,1e17)", "n=choice()", "n=choice(1,1)"} {
		if a, err := ParseAxis(bad); err == nil {
			t.Errorf("%s was read as %v", bad, a)
		}
	}
	if _, _, err := (Spec{Grids: []Grid{{{Key: "lr", Draw: &Distribution{Low: 0, High: 1}}}}}).Expand(Search{Strategy: "grid"}); err == nil {
		t.Error("a grid of a range was expanded")
	}
	if _, _, err := (Spec{Fixed: []string{"a=1"}, Exclude: []map[string]string{{"a": "1"}}}).Expand(Search{Strategy: "grid"}); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("a grid without points: %v", err)
	}
}

func TestFlagsAdaptAnExperiment(t *testing.T) {
	s, err := Parse("x.yaml", []byte(example), "reduced", "4,5")
	if err != nil || !slices.Equal(s.Seeds, []int64{4, 5}) {
		t.Fatal(s.Seeds, err)
	}
	if err := s.Choose("env", []string{"lbf"}); err != nil || len(s.Grids[0][0].Values) != 1 {
		t.Errorf("choosing lbf: %v %v", s.Grids, err)
	}
	if err := s.Choose("alg", []string{"owl"}); err == nil || !strings.Contains(err.Error(), "only ewc, macpro") {
		t.Errorf("an absent value was chosen: %v", err)
	}
	if err := s.Choose("ablation", []string{"a", "b"}); err != nil || len(s.Grids[1]) != 3 {
		t.Errorf("a new axis: %v %v", s.Grids, err)
	}
	if s.Vary(Axis{Key: "alg", Values: []string{"x"}}) == nil || s.Override([]string{"alg=x"}) == nil || s.Override([]string{"x"}) == nil {
		t.Error("a key was given twice")
	}
	if err := s.Override([]string{"gamma=0.5"}); err != nil || !slices.Contains(s.Fixed, "gamma=0.5") || slices.Contains(s.Fixed, "gamma=0.9") {
		t.Errorf("%v %v", s.Fixed, err)
	}
}

func TestRandomSearchIsReproducibleAndDifferent(t *testing.T) {
	s := Spec{Grids: []Grid{{{Key: "lr", Draw: &Distribution{Low: 1e-4, High: 1e-2, Log: true}}, {Key: "n", Values: []string{"1", "2"}}}}}
	a, _, err := s.Expand(Search{Strategy: "random", Trials: 50, Seed: 1})
	b, _, _ := s.Expand(Search{Strategy: "random", Trials: 50, Seed: 1})
	if err != nil || len(a) != 50 || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Fatalf("%d points, %v", len(a), err)
	}
	low := 0
	for _, p := range a {
		var lr float64
		if _, err := fmt.Sscanf(p[0], "lr=%g", &lr); err != nil || lr < 1e-4 || lr > 1e-2 {
			t.Errorf("%v is out of range", p)
		}
		if lr < 1e-3 {
			low++
		}
	}
	if low < 13 || low > 37 { // about half of the points; outside has probability 0.0005
		t.Errorf("%d of 50 points are in the lower decade", low)
	}
	few := Spec{Grids: []Grid{{{Key: "n", Values: []string{"1", "2"}}}}}
	if p, _, err := few.Expand(Search{Strategy: "random", Trials: 9}); err != nil || len(p) != 2 {
		t.Errorf("a grid of 2 points gave %v, %v", p, err)
	}
}

// The profile is the flag's, or the experiment's own, or reduced; it chooses seeds.
func TestProfileOfAnExperiment(t *testing.T) {
	for _, c := range []struct{ file, flag, want string }{
		{"profile: smoke\nseeds: {smoke: 1..2, paper: 1..9}", "", "smoke 2"},
		{"profile: smoke\nseeds: {smoke: 1..2, paper: 1..9}", "paper", "paper 9"},
		{"seeds: {reduced: 1..5}", "", "reduced 5"},
		{"profile: smoke\nfixed: {env: pp}", "", "smoke 1"},
	} {
		s, err := Parse("x.yaml", []byte(c.file), c.flag, "")
		if got := fmt.Sprint(s.Profile, " ", len(s.Seeds)); err != nil || got != c.want {
			t.Errorf("%q with %q: %s, want %s; %v", c.file, c.flag, got, c.want, err)
		}
	}
}
