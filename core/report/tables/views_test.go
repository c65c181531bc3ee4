package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macpro/core/report/draw"
	"macpro/core/report/internal/study"
	"macpro/core/report/read"
)

func labels(lines []draw.Line) (out []string) {
	for _, l := range lines {
		out = append(out, l.Label)
	}
	return out
}

// A grid has a figure of its own: a curve a configuration, which is the mean over its
// seeds.
func TestConfigurationsFigure(t *testing.T) {
	set := grid()
	for seed := range int64(2) {
		for _, v := range []string{"1", "10"} {
			set.Runs = append(set.Runs, study.With(study.Made("ewc", "pp", seed, map[string][]float64{"single": {0, 1}}), "ewc_lambda", v))
		}
	}
	drawn, err := Draw("configurations", set, Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	if len(drawn) != 2 || drawn[0].Title != "Configurations of EWC on PP, QMIX" || drawn[1].Title != "Configurations of Finetuning on LBF, QMIX" {
		t.Fatalf("%+v", drawn)
	}
	lines := drawn[1].Panels[0].Lines
	want := "gamma=0.9, lr=0.0005; gamma=0.9, lr=0.001; gamma=0.99, lr=0.0005; gamma=0.99, lr=0.001"
	if got := strings.Join(labels(lines), "; "); got != want {
		t.Errorf("%s", got)
	}
	for i, end := range []float64{0.05, 0, 0.15, 0.1} {
		l := lines[i]
		study.Near(t, l.Label, l.Y[len(l.Y)-1], end, 1e-9)
		for j := range i {
			if l.Color == lines[j].Color {
				t.Errorf("%s and %s have one colour", l.Label, lines[j].Label)
			}
		}
	}
	var none *read.NoRunsError
	if _, err := Draw("configurations", study.Small(), Options{Library: study.Library(t)}); !errors.As(err, &none) {
		t.Errorf("runs that are no grid: %v", err)
	}
}

// Of a large grid the best are drawn, and the caption says so.
func TestFigureOfALargeGrid(t *testing.T) {
	set := &read.Set{}
	for i := range 20 {
		set.Runs = append(set.Runs, study.With(study.Made("ewc", "lbf", 1, map[string][]float64{"single": {0, float64(i*7%20) / 20}}), "ewc_lambda", fmt.Sprint(i)))
	}
	drawn, err := Draw("configurations", set, Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 20 {
		if i*7%20 >= 8 {
			want = append(want, fmt.Sprintf("ewc_lambda=%d", i))
		}
	}
	if got := labels(drawn[0].Panels[0].Lines); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	const foot = "12 of 20 configurations are drawn, those with the highest average at the end"
	if !slices.Contains(drawn[0].Foot, foot) {
		t.Errorf("%q", drawn[0].Foot)
	}
}

// The best of a large grid is drawn though many others are level.
func TestFigureOfALevelGrid(t *testing.T) {
	set := &read.Set{}
	for i := range 14 {
		x := 0.5
		if i == 13 {
			x = 0.9
		}
		set.Runs = append(set.Runs, study.With(study.Made("ewc", "lbf", 1, map[string][]float64{"single": {0, x}}), "ewc_lambda", fmt.Sprint(i)))
	}
	drawn, err := Draw("configurations", set, Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	if got := labels(drawn[0].Panels[0].Lines); len(got) != mostConfigurations || got[len(got)-1] != "ewc_lambda=13" {
		t.Errorf("%v", got)
	}
}

// A figure of one's own: curves by settings, and the tasks of every configuration.
func TestOwnFigure(t *testing.T) {
	lib := study.Library(t)
	for kind, text := range map[string]string{
		"mine":  "title: Mine\ndraw: average\nwhere: {gamma: 0.9}\nlines: {items: [{label: slow, when: {lr: 5e-4}}, {label: fast, when: {lr: 1e-3}, color: teal}]}\n",
		"tasks": "title: \"{alg}\"\ndraw: tasks\nlines: {of: configurations}\n",
	} {
		if err := lib.AddFigure(kind, kind+".yaml", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	drawn, err := Draw("mine", grid(), Options{Library: lib})
	if err != nil {
		t.Fatal(err)
	}
	if got := labels(drawn[0].Panels[0].Lines); !slices.Equal(got, []string{"slow", "fast"}) {
		t.Errorf("%v", got)
	}
	if drawn, err = Draw("tasks", grid(), Options{Library: lib}); err != nil {
		t.Fatal(err)
	}
	if len(drawn) != 1 || drawn[0].Title != "Finetuning" || len(drawn[0].Panels) != 2 || len(drawn[0].Panels[1].Lines) != 4 {
		t.Errorf("%+v", drawn[0])
	}
}

// The values of a key that chooses a plugin have the plugin's name.
func TestValuesThatArePlugins(t *testing.T) {
	set := &read.Set{}
	for _, learner := range []string{"vdn", "qplex"} {
		set.Runs = append(set.Runs, study.With(study.Made("finetuning", "pp", 1, map[string][]float64{"single": {0.5, 1}}), "learner", learner))
	}
	var labels []string
	for _, r := range build(t, "sensitivity", set, Options{Keys: []string{"learner"}})[0].Rows {
		labels = append(labels, r.Labels...)
	}
	if got := strings.Join(labels, " "); got != "QPLEX VDN" {
		t.Errorf("rows %s", got)
	}
}
