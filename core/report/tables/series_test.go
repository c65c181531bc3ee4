package tables

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macpro/core/report/draw"
	"macpro/core/report/format"
	"macpro/core/report/internal/study"
	"macpro/core/report/read"
)

// repeated is a study of three methods, one of which stands in no list.
func repeated() *read.Set {
	return study.Repeated(map[string][4]float64{"finetuning": {.4, .3, .2, .2}, "macpro": {.25, .4, .3, .35}, "zed": {.01, .2, .2, .2}})
}

// All values were worked out by hand; a tenth of 20 tasks is two.
func TestPlasticityTable(t *testing.T) {
	table := build(t, "plasticity", repeated(), Options{})[0]
	if rows := []string{table.Rows[0].Key, table.Rows[1].Key, table.Rows[2].Key}; len(table.Rows) != 3 || strings.Join(rows, " ") != "finetuning macpro zed" {
		t.Errorf("rows %v", rows)
	}
	const sigma = 0.816496580927726 // of -1, 0, 1
	for _, c := range []struct {
		row, column string
		mean, std   float64
	}{
		{"finetuning", "dormant first", (.10 + .11) / 2, .03 * sigma}, {"finetuning", "dormant last", (.28 + .29) / 2, .03 * sigma},
		{"finetuning", "rank first", 19.5, 0}, {"macpro", "rank last", 1.5, 0},
		{"finetuning", "norm first", 10.5, 0}, {"finetuning", "norm last", 28.5, 0},
		{"zed", "drift first", (.6 + .7) / 2, 0}, {"zed", "drift last", (2.3 + 2.4) / 2, 0},
		{"finetuning", "speed loss", 1 - .2/.4, .1 / .4 * sigma}, {"macpro", "speed loss", 1 - .35/.25, .1 / .25 * sigma},
	} {
		cell := cellOf(t, table, c.row, c.column)
		study.Near(t, c.row+" "+c.column, float64(cell.Mean), c.mean, 1e-9)
		study.Near(t, c.row+" "+c.column+" std", float64(cell.Std), c.std, 1e-9)
		if len(cell.Values) != 3 {
			t.Errorf("%s %s: %d values", c.row, c.column, len(cell.Values))
		}
	}
	if !cellOf(t, table, "zed", "speed loss").Missing() {
		t.Error("a method that learned nothing in its first visits has a loss of speed")
	}
	if !cellOf(t, table, "macpro", "speed loss").Best || cellOf(t, table, "macpro", "rank first").Best || !cellOf(t, table, "macpro", "rank last").Best {
		t.Error("the least loss and the largest rank at the end are best, and at the start nothing is")
	}
	var text bytes.Buffer
	if err := format.Write(&text, "text", []*format.Table{table}); err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "plasticity-mean.text", text.Bytes())
}

// A column of plasticity stands in a table only if a run has its values.
func TestPlasticityColumnsAreThoseMeasured(t *testing.T) {
	names := func(kind string, change func(*read.Summary)) string {
		set := repeated()
		for _, s := range set.Runs {
			change(s)
		}
		o := Options{Library: study.Library(t)}
		tables, err := Build(kind, set, o)
		var none *read.NoRunsError
		if errors.As(err, &none) {
			return err.Error()
		}
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range tables[0].Columns {
			out = append(out, c.Name)
		}
		return strings.Join(out, ", ")
	}
	all := func(*read.Summary) {}
	unmeasured := func(s *read.Summary) { s.Plasticity = nil }
	once := func(s *read.Summary) {
		for i := range s.Tasks {
			s.Tasks[i] = fmt.Sprint(i)
		}
	}
	both := func(s *read.Summary) { unmeasured(s); once(s) }
	const states = "dormant first, dormant last, rank first, rank last, norm first, norm last, drift first, drift last"
	const usual = "average, BWT, forgetting, forgetting/M, FWT0, AUC, FT"
	for _, c := range []struct {
		kind   string
		change func(*read.Summary)
		want   string
	}{
		{"plasticity", all, states + ", speed loss"}, {"plasticity", once, states}, {"plasticity", unmeasured, "speed loss"},
		{"plasticity", both, "no finished runs for the table plasticity, which needs runs with plasticity_nepisode above 0 or with repeated tasks"},
		{"metrics", all, usual + ", dormant last, rank last, speed loss"}, {"metrics", unmeasured, usual + ", speed loss"}, {"metrics", both, usual},
	} {
		if got := names(c.kind, c.change); got != c.want {
			t.Errorf("%s: %s, want %s", c.kind, got, c.want)
		}
	}
}

// Runs of another sequence beside those of the environment's own are named in the error.
func TestOtherSequencesAreNamed(t *testing.T) {
	set := repeated()
	set.Runs = append(set.Runs, study.Small().Runs...)
	for _, err := range []error{
		func() error { _, err := Build("plasticity", set, Options{Library: study.Library(t)}); return err }(),
		func() error { _, err := Draw("learning_speed", set, Options{Library: study.Library(t)}); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "of which train was looked for: choose with --sweep or --where sequence=train|train-x4") {
			t.Errorf("%v", err)
		}
	}
}

// lineOf finds a curve by the title of its panel and its label.
func lineOf(t *testing.T, f *draw.Figure, title, label string) draw.Line {
	t.Helper()
	for _, p := range f.Panels {
		for _, l := range p.Lines {
			if p.Title == title && l.Label == label {
				return l
			}
		}
	}
	t.Fatalf("%s has no curve %s in a panel %s", f.Title, label, title)
	return draw.Line{}
}

func TestPlasticityFigure(t *testing.T) {
	drawn, err := Draw("plasticity", repeated(), Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	l := lineOf(t, drawn[0], "dormant units", "MACPro")
	if len(l.X) != 20 || l.X[0] != 1000 || l.X[19] != 20000 {
		t.Errorf("places %v", l.X)
	}
	study.Near(t, "dormant", l.Y[7], .17, 1e-9)
	study.Near(t, "band", l.High[7]-l.Low[7], 2*.03*0.816496580927726, 1e-9)
	if l := lineOf(t, drawn[0], "drift within a task", "zed"); len(l.X) != 19 || l.X[0] != 2000 {
		t.Errorf("drift at %v", l.X)
	}
	if n := len(drawn[0].Panels); n != 4 || len(drawn[0].Panels[3].Borders) != 19 {
		t.Errorf("%d panels, borders %v", n, drawn[0].Panels[3].Borders)
	}
	looks := map[string]bool{}
	for _, l := range drawn[0].Panels[0].Lines {
		looks[fmt.Sprint(l.Dashes, l.Mark%draw.Marks)] = true
	}
	if len(looks) != 3 {
		t.Errorf("%d looks of 3 curves", len(looks))
	}
}

func TestLearningSpeedFigure(t *testing.T) {
	drawn, err := Draw("learning_speed", repeated(), Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	speed, relative := lineOf(t, drawn[0], "learning speed", "Finetuning"), lineOf(t, drawn[0], "compared with the first visits", "Finetuning")
	for k, want := range []float64{.4, .3, .2, .2} {
		study.Near(t, "visit", speed.X[k], float64(k+1), 0)
		study.Near(t, "area", speed.Y[k], want, 1e-9)
		study.Near(t, "quotient", relative.Y[k], want/.4, 1e-9)
	}
	if len(speed.X) != 4 || speed.High[3] <= speed.Y[3] {
		t.Errorf("%v, band to %v", speed.X, speed.High)
	}
	if n := len(drawn[0].Panels[1].Lines); n != 2 || len(drawn[0].Panels[0].Lines) != 3 {
		t.Errorf("%d quotients; what was not learned at first has none", n)
	}
	set := study.Small()
	var none *read.NoRunsError
	if _, err := Draw("learning_speed", set, Options{Library: study.Library(t)}); !errors.As(err, &none) || !strings.Contains(err.Error(), "needs runs with repeated tasks") {
		t.Errorf("%v", err)
	}
}

// Of many tasks every tenth border is drawn, and the caption says so.
func TestBordersOfManyTasks(t *testing.T) {
	set := &read.Set{Runs: []*read.Summary{study.Made("macpro", "lbf", 1, map[string][]float64{"single": make([]float64, 100)})}}
	drawn, err := Draw("main", set, Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{10000, 20000, 30000, 40000, 50000, 60000, 70000, 80000, 90000}
	if got := drawn[0].Panels[0].Borders; !slices.Equal(got, want) {
		t.Errorf("borders %v", got)
	}
	if foot := strings.Join(drawn[0].Foot, "; "); !strings.Contains(foot, "upright lines: tasks 11, 21, ... begin") {
		t.Errorf("the caption says %q", foot)
	}
}

// Curves of methods that stand in no list differ in dashes, too, from those with their mark.
func TestAnyNumberOfCurvesDiffer(t *testing.T) {
	set := study.Full()
	for i := range 20 {
		set.Runs = append(set.Runs, study.Made(fmt.Sprintf("extra%02d", i), "lbf", 1, map[string][]float64{"single": {1, 1, 1, 1, 1}}))
	}
	drawn, err := Draw("main", set, Options{Library: study.Library(t), Env: "lbf"})
	if err != nil {
		t.Fatal(err)
	}
	looks := map[string]string{}
	for _, l := range drawn[0].Panels[0].Lines {
		dashes := l.Dashes
		if dashes == "" {
			dashes = "solid"
		}
		look := fmt.Sprint(dashes, l.Mark%draw.Marks)
		if looks[look] != "" {
			t.Errorf("%s and %s look alike in grey", looks[look], l.Label)
		}
		looks[look] = l.Label
	}
	if len(looks) != 27 {
		t.Errorf("%d curves", len(looks))
	}
}
