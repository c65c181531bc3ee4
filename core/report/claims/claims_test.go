package claims

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"macpro/core/metrics"
	"macpro/core/report/read"
)

const text = `
envs: [{key: e, label: E, from: here, page: p.md, budget: 1/5}]
sides:
  a: {label: A, when: {alg: a}}
  b: {label: B, when: {alg: b}}
claims:
  - id: C1
    text: x
    checks: [{left: a, is: %s, right: [%s], measure: average, by: %v}]
`

// runs have one score a seed.
func runs(alg string, scores ...float64) []*read.Summary {
	var out []*read.Summary
	for i, x := range scores {
		out = append(out, &read.Summary{ID: fmt.Sprint(alg, i), Alg: alg, Env: "e", Seed: int64(i), Tasks: []string{"s", "t", "u", "v"},
			Modes: []string{"single"}, Metrics: map[string]metrics.Summary{"single": {FinalAverage: metrics.Number(x)}}})
	}
	return out
}

func judge(t *testing.T, is, right string, by float64, all ...[]*read.Summary) Finding {
	t.Helper()
	s, err := Parse("f", fmt.Appendf(nil, text, is, right, by))
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Judge(func(folder string) ([]*read.Summary, error) {
		var joined []*read.Summary
		for _, x := range all {
			joined = append(joined, x...)
		}
		return joined, nil
	})
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return found[0]
}

func TestVerdicts(t *testing.T) {
	a, b := runs("a", 0.9, 0.8, 0.7), runs("b", 0.5, 0.5, 0.5)
	for _, c := range []struct {
		is, right string
		by        float64
		want      Verdict
	}{
		{"above", "b", 0, Shown},
		{"above", "b", 0.15, Shown},
		{"above", "b", 0.3, Open}, // between 0.2 and 0.4
		{"above", "b", 0.5, Refuted},
		{"below", "b", 0, Refuted},
		{"below", "b", -0.5, Shown},
		{"near", "b", 0.45, Shown},
		{"near", "b", 0.3, Open},
		{"near", "b", 0.1, Refuted},
		{"near", "1/M", 0.7, Shown}, // of four tasks
		{"near", "1/M", 0.3, Refuted},
		{"above", "0.65", 0, Shown},
		{"above", "0.95", 0, Refuted},
	} {
		if f := judge(t, c.is, c.right, c.by, a, b); f.Verdict != c.want {
			t.Errorf("%s %s by %v: %s, want %s (%+v)", c.is, c.right, c.by, f.Verdict, c.want, f.Difference)
		}
	}
}

// Two seeds are too few, and only seeds that both sides have are compared.
func TestSeeds(t *testing.T) {
	if f := judge(t, "above", "b", 0, runs("a", 0.9, 0.9), runs("b", 0.1, 0.1)); f.Verdict != Open {
		t.Errorf("two seeds: %s", f.Verdict)
	}
	f := judge(t, "above", "b", 0, runs("a", 0.9, 0.8, 0.7, 0.1), runs("b", 0.5, 0.4, 0.3))
	if len(f.Seeds) != 3 || f.Verdict != Shown || math.Abs(f.Left-0.8) > 1e-9 || math.Abs(f.Other-0.4) > 1e-9 {
		t.Errorf("%+v", f)
	}
	if f := judge(t, "above", "b", 0, runs("a", 0.9)); f.Verdict != None {
		t.Errorf("without a right side: %s", f.Verdict)
	}
}

// Differences of 0.5, 0.5 and 0.1 have a bootstrap interval from 0.1 to 0.5 and one by
// Student's t from -0.2 to 0.94.
func TestVerdictsOfFewSeedsAreMarked(t *testing.T) {
	b := runs("b", 0, 0, 0)
	for _, c := range []struct {
		a      []float64
		strict Verdict
		text   string
	}{
		{[]float64{0.5, 0.5, 0.1}, Open, "shown†"},
		{[]float64{0.5, 0.5, 0.4}, Shown, "shown"},
	} {
		f := judge(t, "above", "b", 0, runs("a", c.a...), b)
		if f.Verdict != Shown || f.Strict != c.strict {
			t.Errorf("%v: %s, by Student's t %s", c.a, f.Verdict, f.Strict)
		}
		s, err := Parse("f", fmt.Appendf(nil, text, "above", "b", 0))
		if err != nil {
			t.Fatal(err)
		}
		table := s.Table([]Finding{f}, "")
		if !strings.Contains(table, "["+c.text+"](") || strings.Contains(table, "† Student's") != (c.strict != Shown) {
			t.Errorf("%v: table\n%s", c.a, table)
		}
		if !strings.Contains(s.Details([]Finding{f}), "| "+c.text+" |") {
			t.Errorf("%v: details\n%s", c.a, s.Details([]Finding{f}))
		}
	}
}

// The summaries of a folder are read once, however many checks need them.
func TestFoldersAreReadOnce(t *testing.T) {
	s, err := Parse("f", []byte(`
envs: [{key: e, label: E, from: here}, {key: g, label: G, from: here}, {key: h, label: H, from: nowhere}]
sides: {a: {label: A, when: {alg: a}}, b: {label: B, when: {alg: b}}}
claims:
  - {id: C1, checks: [{left: a, is: above, right: [b, "0.1"], measure: average}, {left: b, is: above, right: ["0.1"], measure: average, from: there, page: p.md, budget: 1/5}]}
  - {id: C2, checks: [{left: a, is: near, right: [b], measure: average}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	found, err := s.Judge(func(folder string) ([]*read.Summary, error) {
		count[folder]++
		if folder == "nowhere" {
			return nil, nil
		}
		return append(runs("a", 0.9), runs("b", 0.5)...), nil
	})
	if err != nil || len(found) != 12 || fmt.Sprint(count) != "map[here:1 nowhere:1 there:1]" {
		t.Errorf("%d findings, folders read %v, %v", len(found), count, err)
	}
}

func TestTwoRunsOfASeed(t *testing.T) {
	s, err := Parse("f", fmt.Appendf(nil, text, "above", "b", 0))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Judge(func(string) ([]*read.Summary, error) { return append(runs("a", 0.1), runs("a", 0.2)...), nil })
	if err == nil || !strings.Contains(err.Error(), "two runs of seed 0") {
		t.Errorf("error %v", err)
	}
}

func TestSum(t *testing.T) {
	of := func(v ...Verdict) []Finding {
		var all []Finding
		for _, x := range v {
			all = append(all, Finding{Verdict: x})
		}
		return all
	}
	for _, c := range []struct {
		of   []Finding
		want Verdict
	}{
		{of(Shown, Shown), Shown}, {of(Shown, Open), Open}, {of(Shown, None), Open}, {of(None, None), None}, {of(Shown, Refuted, None), Refuted},
	} {
		if got := Sum(c.of); got != c.want {
			t.Errorf("%v: %s, want %s", c.of, got, c.want)
		}
	}
}

func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
	for want, file := range map[string]string{
		`unknown side "c"`:       fmt.Sprintf(text, "above", "c", 0),
		`unknown relation "abve`: fmt.Sprintf(text, "abve", "b", 0),
		`budget "": want all`:    fmt.Sprintf(strings.Replace(text, "measure: average", "measure: average, from: there, page: p.md", 1), "above", "b", 0),
		`unknown key "other"`:    "other: 1\n",
	} {
		if _, err := Parse("f", []byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
