package tables

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"macpro/core/report/draw"
	"macpro/core/report/internal/study"
	"macpro/core/report/read"
	"macpro/core/store"
)

// Figures of all kinds are drawn in all formats. MACPRO_FIGURES names a folder
// that keeps them for the eye.
func TestFiguresOfAllKinds(t *testing.T) {
	dir := os.Getenv("MACPRO_FIGURES")
	if dir == "" {
		dir = t.TempDir()
	}
	for _, kind := range library(t).FigureKinds() {
		set := study.Full()
		o := Options{Library: library(t)}
		switch kind {
		case "context":
			set = study.Contextual()
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
	drawn, err := Draw("main", study.Small(), Options{Library: library(t), Env: "lbf"})
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
	if l.Color != library(t).ColorOf("macpro") {
		t.Error("MACPro has another color than elsewhere")
	}
}

func TestTaskCurvesStartWithTheirTask(t *testing.T) {
	drawn, err := Draw("tasks", study.Small(), Options{Library: library(t), Env: "lbf"})
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
	var unlike *UnlikeError
	if _, err := Draw("main", set, Options{Library: library(t)}); !errors.As(err, &unlike) {
		t.Errorf("%v", err)
	}
	var none *NoRunsError
	if _, err := Draw("context", study.Small(), Options{Library: library(t)}); !errors.As(err, &none) || !strings.Contains(err.Error(), "figure context") {
		t.Errorf("%v", err)
	}
	if _, err := Draw("mian", study.Small(), Options{Library: library(t)}); err == nil || !strings.Contains(err.Error(), `did you mean "main"`) {
		t.Errorf("%v", err)
	}
	drawn, err := Draw("main", study.Small(), Options{Library: library(t)})
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
			if headColor(head) == library(t).ColorOf(key) {
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

// The first two pictures have three components and the last has two; a dump without
// a third component is a picture of two everywhere.
func TestComponentsOfPictures(t *testing.T) {
	set := study.Contextual()
	solids := func() string {
		drawn, err := Draw("context", set, Options{Library: library(t)})
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, p := range drawn[0].Panels {
			if len(p.Points) == 0 {
				continue
			}
			out += map[bool]string{true: "3", false: "2"}[p.Solid()]
			if p.Solid() != (len(p.Points[0].Z) > 0) {
				t.Errorf("%s has %d depths", p.Title, len(p.Points[0].Z))
			}
			if !strings.HasPrefix(p.X, "component 1 (") || !strings.HasPrefix(p.Y, "component 2 (") {
				t.Errorf("axes %q and %q", p.X, p.Y)
			}
		}
		return out
	}
	if got := solids(); got != "332" {
		t.Errorf("components of the pictures: %s", got)
	}
	for _, s := range set.Runs {
		if len(s.Latents) > 0 {
			s.Latents[0].Explained = s.Latents[0].Explained[:2]
		}
	}
	if got := solids(); got != "232" {
		t.Errorf("components of the pictures, of a first dump with two: %s", got)
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
	drawn, err := Draw("main", set, Options{Library: library(t)})
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
