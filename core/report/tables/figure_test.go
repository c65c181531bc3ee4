package tables

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macpro/core/report/alike"
	"macpro/core/report/draw"
	"macpro/core/report/internal/study"
	"macpro/core/report/read"
	"macpro/core/store"
)

// A figure of a single curve says whose it is.
func TestOneCurveHasAName(t *testing.T) {
	set, err := study.Small().Where([]string{"alg=finetuning"})
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := Draw("main", set, Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "main.svg")
	if _, err := draw.Save(store.WriteOutput, file, drawn); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), ">Finetuning<") {
		t.Errorf("the picture does not name its curve (%v)", err)
	}
}

// Figures of all kinds are drawn in all formats. MACPRO_FIGURES names a folder
// that keeps them for the eye.
func TestFiguresOfAllKinds(t *testing.T) {
	dir := os.Getenv("MACPRO_FIGURES")
	if dir == "" {
		dir = t.TempDir()
	}
	for _, kind := range study.Library(t).FigureKinds() {
		set := study.Full()
		o := Options{Library: study.Library(t)}
		switch kind {
		case "context":
			set = study.Contextual()
		case "configurations":
			set = grid()
		case "plasticity", "learning_speed":
			set = repeated()
		case "sensitivity":
			set, o.Keys = &read.Set{}, []string{"alpha_reg", "alpha_cont_g"}
			for i, v := range []string{"0", "50", "500", "5000"} {
				for seed := int64(1); seed <= 3; seed++ {
					x := 0.2*float64(i) + 0.05*float64(seed)
					row := map[string][]float64{"ctde": {x, x, x, x}, "oracle": {1, 1, 1, 1}, "random": {0, 0, 0, 0}}
					set.Runs = append(set.Runs, study.With(study.With(study.Made("macpro", "pp", seed, row), "alpha_reg", v), "alpha_cont_g", "0.1"))
					set.Runs = append(set.Runs, study.With(study.With(study.Made("macpro", "pp", seed, row), "alpha_reg", "500"), "alpha_cont_g", "0.2"+v))
				}
			}
		}
		drawn, err := Draw(kind, set, o)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		for _, format := range draw.Formats() {
			names, err := draw.Save(store.WriteOutput, filepath.Join(dir, kind+"."+format), drawn)
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			data, err := os.ReadFile(names[0])
			magic := map[string]string{"png": "\x89PNG", "svg": "<?xml", "pdf": "%PDF"}[format]
			if err != nil || !bytes.HasPrefix(data, []byte(magic)) || len(data) < 5000 {
				t.Errorf("%s.%s has %d bytes, %v", kind, format, len(data), err)
			}
		}
	}
}

func TestMainFigureFollowsTheCurves(t *testing.T) {
	drawn, err := Draw("main", study.Small(), Options{Library: study.Library(t), Env: "lbf"})
	if err != nil {
		t.Fatal(err)
	}
	var l draw.Line
	for _, x := range drawn[0].Panels[0].Lines {
		if x.Label == "MACPro" {
			l = x
		}
	}
	last := len(l.Y) - 1
	study.Near(t, "A at the end", l.Y[last], 0.9, 1e-9)
	study.Near(t, "upper end", l.High[last]-l.Y[last], 0.05*0.816496580927726/5, 1e-9)
	if l.X[0] != 0 || l.X[last] != 5000 {
		t.Errorf("the curve spans %v to %v", l.X[0], l.X[last])
	}
	if l.Color != study.Library(t).ColorOf("macpro") {
		t.Error("MACPro has another color than elsewhere")
	}
}

// MACPro's LBF scores of Small are 1, 0.9, 0.8+x, 0.7 and 1 for x of 0.05, 0.1 and
// 0.15: of 15 scores 6 are 1, and 12 are above 0.75.
func TestProfiles(t *testing.T) {
	drawn, err := Draw("profiles", study.Small(), Options{Library: study.Library(t), Env: "lbf"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(drawn[0].Panels); n != 1 {
		t.Fatalf("%d panels", n)
	}
	i := slices.IndexFunc(drawn[0].Panels[0].Lines, func(l draw.Line) bool { return l.Label == "MACPro" })
	l := drawn[0].Panels[0].Lines[i]
	for at, want := range map[int]float64{0: 1, 69: 1, 75: 12. / 15, 97: 6. / 15, 100: 0} {
		study.Near(t, fmt.Sprintf("share above %v", l.X[at]), l.Y[at], want, 1e-9)
		if l.Low[at] > l.Y[at] || l.High[at] < l.Y[at] {
			t.Errorf("band %v to %v of %v", l.Low[at], l.High[at], l.Y[at])
		}
	}
	if foot := strings.Join(drawn[0].Foot, "; "); !strings.Contains(foot, "band: 95 % bootstrap interval, drawn from whole runs; ") {
		t.Errorf("the text below says %q", foot)
	}
	// Every run has four of five scores above 0.75, so that no draw of runs differs.
	study.Near(t, "low", l.Low[75], 0.8, 1e-9)
	study.Near(t, "high", l.High[75], 0.8, 1e-9)
}

func TestTaskCurvesStartWithTheirTask(t *testing.T) {
	drawn, err := Draw("tasks", study.Small(), Options{Library: study.Library(t), Env: "lbf"})
	if err != nil {
		t.Fatal(err)
	}
	p := drawn[0].Panels[2]
	if p.Spans[0] != (draw.Span{From: 2000, To: 3000}) || p.Title != "task 3: task3" {
		t.Errorf("%s: grey from %v to %v", p.Title, p.Spans[0].From, p.Spans[0].To)
	}
	if foot := strings.Join(drawn[0].Foot, "; "); !strings.Contains(foot, "own training; profile reduced, seeds 1 2 3, ") {
		t.Errorf("the text below says %q", foot)
	}
	for _, l := range p.Lines {
		if l.X[0] < 2000 {
			t.Errorf("%s is drawn from %v on, before its task began", l.Label, l.X[0])
		}
	}
}

func TestFiguresRefuseLikeTables(t *testing.T) {
	set := study.Small()
	study.With(set.Runs[0], "lr", "0.01")
	var unlike *alike.Error
	if _, err := Draw("main", set, Options{Library: study.Library(t)}); !errors.As(err, &unlike) {
		t.Errorf("%v", err)
	}
	var none *read.NoRunsError
	if _, err := Draw("context", study.Small(), Options{Library: study.Library(t)}); !errors.As(err, &none) || !strings.Contains(err.Error(), "figure context") {
		t.Errorf("%v", err)
	}
	if _, err := Draw("mian", study.Small(), Options{Library: study.Library(t)}); err == nil || !strings.Contains(err.Error(), `did you mean "main"`) {
		t.Errorf("%v", err)
	}
	drawn, err := Draw("main", study.Small(), Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := drawn[0].Encode("gif"); err == nil {
		t.Error("a figure was drawn as gif")
	}
}

// Heads have none of the colours of the curves beside their contexts.
func TestHeadColors(t *testing.T) {
	for head := range 20 {
		for _, key := range []string{"macpro", "without_expansion", "finetuning"} {
			if headColor(head) == study.Library(t).ColorOf(key) {
				t.Errorf("head %d has the color of %s", head, key)
			}
		}
	}
}

// Contexts are shown at the starts of tasks 3 and 6 and at the end, if they are there.
func TestPictures(t *testing.T) {
	s := &read.Summary{Starts: []int64{0, 10, 20, 30, 40, 50, 60}}
	for _, at := range []int64{20, 30, 40, 50, 60, 70} {
		s.Latents = append(s.Latents, read.Dump{T: at, When: "task_end"}, read.Dump{T: at, When: "task_start"})
	}
	s.Latents = s.Latents[:len(s.Latents)-1]
	want := []read.Dump{{T: 20, When: "task_start"}, {T: 50, When: "task_start"}, {T: 70, When: "task_end"}}
	if got := pictures(s); !reflect.DeepEqual(got, want) {
		t.Errorf("pictures %v, want %v", got, want)
	}
	s.Starts = s.Starts[:4]
	if got := pictures(s); len(got) != 3 || got[0].T != 20 || got[2].T != 70 {
		t.Errorf("pictures of a short run %v", got)
	}
}

// Contexts are drawn on their first two components, also where there is a third.
func TestComponentsOfPictures(t *testing.T) {
	drawn, err := Draw("context", study.Contextual(), Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range drawn[0].Panels {
		if len(p.Points) == 0 {
			continue
		}
		n++
		if !strings.HasPrefix(p.X, "component 1 (") || !strings.HasPrefix(p.Y, "component 2 (") {
			t.Errorf("axes %q and %q", p.X, p.Y)
		}
	}
	if n != 3 {
		t.Errorf("%d pictures of contexts", n)
	}
}

// Where a task ends stands in the figure of averages, unless runs do not agree.
func TestBordersOfTasks(t *testing.T) {
	set := study.Small()
	draws := func() []float64 {
		drawn, err := Draw("main", set, Options{Library: study.Library(t), Env: "lbf"})
		if err != nil {
			t.Fatal(err)
		}
		if foot := strings.Join(drawn[0].Foot, "; "); strings.Contains(foot, "next task begins") != (len(drawn[0].Panels[0].Borders) > 0) {
			t.Errorf("the caption says %q", foot)
		}
		return drawn[0].Panels[0].Borders
	}
	if got := draws(); !slices.Equal(got, []float64{1000, 2000, 3000, 4000}) {
		t.Errorf("borders at %v", got)
	}
	set.Runs[1].Starts = []int64{0, 1004, 2010, 3000, 4000} // the last episode of a task may be long
	if got := draws(); !slices.Equal(got, []float64{1000, 2000, 3000, 4000}) {
		t.Errorf("borders of runs that differ by an episode at %v", got)
	}
	set.Runs[0].Starts = []int64{0, 900, 2000, 3000, 4000}
	if got := draws(); got != nil {
		t.Errorf("borders of runs that do not agree at %v", got)
	}
}

// No two curves of a figure have the same dashes and marks, and what was not run
// has no name in the legend and no panel.
func TestCurvesDifferWithoutColour(t *testing.T) {
	for _, kind := range []string{"main", "tasks"} {
		drawn, err := Draw(kind, study.Full(), Options{Library: study.Library(t), Env: "lbf"})
		if err != nil {
			t.Fatal(err)
		}
		looks := map[string]string{}
		for _, l := range drawn[0].Panels[0].Lines {
			look := fmt.Sprint(l.Dashes, l.Mark)
			if other := looks[look]; other != "" {
				t.Errorf("%s: %s and %s look alike in grey", kind, l.Label, other)
			}
			looks[look] = l.Label
		}
		if len(looks) != 7 {
			t.Errorf("%s: %d curves", kind, len(looks))
		}
	}
	set := study.WithVDN(study.Small()) // no QPLEX
	drawn, err := Draw("integrative", set, Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range drawn[0].Panels {
		for _, b := range p.Bars {
			if !b.Paper && !math.IsNaN(b.Values[2]) || p.Categories[2] != "QPLEX" {
				t.Errorf("%s: %v of %v", b.Label, b.Values, p.Categories)
			}
		}
	}
	set.Runs = slices.DeleteFunc(set.Runs, func(s *read.Summary) bool { return s.Env == "pp" })
	if drawn, err = Draw("integrative", set, Options{Library: study.Library(t)}); err != nil || len(drawn[0].Panels) != 1 {
		t.Errorf("an environment without runs has a panel; %v", err)
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "< 0.1 %", 0.0004: "< 0.1 %", 0.0011: "0.1 %", 0.45: "45 %", 0.9906: "99.1 %", 1: "100 %"} {
		if got := percent(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

// Captions and feet name every overridden key with its values.
func TestCaptionsNameOverriddenKeys(t *testing.T) {
	set := study.Small()
	for i, s := range set.Runs {
		s.Settings["lr"], s.Settings["kappa"] = []string{"0.001", "0.0005"}[i%2], "5"
		s.Overridden = []string{"lr"}
		if s.Alg == "macpro" {
			s.Overridden = []string{"kappa", "lr"}
		}
	}
	drawn, err := Draw("main", set, Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	const want = "profile reduced with kappa=5, lr=0.0005 or 0.001, "
	if foot := strings.Join(drawn[0].Foot, "; "); !strings.Contains(foot, want+"seeds 1 2 3") {
		t.Errorf("the caption says %q", foot)
	}
	if foot := strings.Join(build(t, "main", set, Options{})[0].Foot, "; "); !strings.Contains(foot, want+"compat default") {
		t.Errorf("the foot says %q", foot)
	}
}
