package report

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/rng"
	"macpro/core/store"
)

// full is a study with everything that figures show: curves with noise, four
// environments, evaluations, contexts and heads.
func full() *Set {
	set := &Set{}
	r := rng.New(5).Stream()
	finals := map[string]float64{"finetuning": 0.2, "ewc": 0.35, "coreset": 0.6, "owl": 0.5, "macpro": 0.9}
	for _, env := range []string{"lbf", "pp", "marines", "sz"} {
		tasks := 4
		if env == "lbf" {
			tasks = 5
		}
		row := func(x float64) []float64 {
			out := make([]float64, tasks)
			for i := range out {
				out[i] = min(1, max(0, x+r.Uniform(-0.15, 0.15)))
			}
			out[tasks-1] = 1
			return out
		}
		for _, alg := range []string{"finetuning", "ewc", "coreset", "owl", "macpro"} {
			for seed := int64(1); seed <= 3; seed++ {
				final := map[string][]float64{"single": row(finals[alg])}
				if alg == "macpro" {
					final = map[string][]float64{"ctde": row(0.9), "oracle": row(0.95), "random": row(0.3)}
				}
				s := made(alg, env, seed, final)
				for mode := range s.Curves {
					e := record.Evaluation{Name: record.Generalization}
					e.Tests = []record.EvaluationTest{{Task: "far1", Mode: mode, Score: metrics.Number(r.Float64())}, {Task: "far2", Mode: mode, Score: metrics.Number(finals[alg])}}
					s.Evaluations = append(s.Evaluations, e)
				}
				set.Runs = append(set.Runs, s)
			}
		}
	}
	for i, a := range ablations[1:7] {
		for seed := int64(1); seed <= 3; seed++ {
			s := made("macpro", "lbf", seed, map[string][]float64{"ctde": {0.9, 0.8, r.Float64(), 0.1 * float64(i), 1}}).with("part", a.name)
			s.Ablation = a.name
			set.Runs = append(set.Runs, s)
		}
	}
	return set
}

// contextual adds runs with contexts and heads.
func contextual() *Set {
	set := &Set{}
	r := rng.New(6).Stream()
	for seed := int64(1); seed <= 3; seed++ {
		for _, ablation := range []string{"", "without_expansion"} {
			s := made("macpro", "pp", seed, map[string][]float64{"ctde": {0.8, 0.9, 0.7, 0.9}, "oracle": {1, 1, 1, 1}, "random": {0, 0, 0, 0}}).with("expansion", "x"+ablation)
			s.Ablation, s.Sequence = ablation, "pp10"
			s.Heads = []HeadPoint{{0, 1}, {1000, 2}, {3000, 3}}
			if ablation != "" {
				s.Heads = []HeadPoint{{0, 1}, {1000, 2}, {2000, 3}, {3000, 4}}
			}
			for dump := range 3 {
				var points []mean
				for task := range dump + 2 {
					for range 20 {
						for agent := -1; agent < 3; agent++ {
							mu := make([]float64, 8)
							for k := range mu {
								mu[k] = r.Norm() * 0.4
							}
							mu[task%8] += 4
							points = append(points, mean{Latent{Task: "t", Head: task, Agent: agent}, mu})
						}
					}
				}
				if d, ok := project(dumpKey{int64(1000 * (dump + 1)), "start"}, points); ok {
					s.Latents = append(s.Latents, d)
				}
			}
			set.Runs = append(set.Runs, s)
		}
	}
	return set
}

// Figures of all kinds are drawn in all formats. MACPRO_FIGURES names a folder
// that keeps them for the eye.
func TestFiguresOfAllKinds(t *testing.T) {
	dir := os.Getenv("MACPRO_FIGURES")
	if dir == "" {
		dir = t.TempDir()
	}
	for _, kind := range FigureKinds() {
		set := full()
		o := Options{Paper: paper(t)}
		switch kind {
		case "context":
			set = contextual()
		case "sensitivity":
			set, o.Keys = &Set{}, []string{"alpha_reg", "alpha_cont_g"}
			for i, v := range []string{"0", "50", "500", "5000"} {
				for seed := int64(1); seed <= 3; seed++ {
					x := 0.2*float64(i) + 0.05*float64(seed)
					row := map[string][]float64{"ctde": {x, x, x, x}, "oracle": {1, 1, 1, 1}, "random": {0, 0, 0, 0}}
					set.Runs = append(set.Runs, made("macpro", "pp", seed, row).with("alpha_reg", v).with("alpha_cont_g", "0.1"))
					set.Runs = append(set.Runs, made("macpro", "pp", seed, row).with("alpha_reg", "500").with("alpha_cont_g", "0.2"+v))
				}
			}
		}
		drawn, err := Draw(kind, set, o)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		for _, format := range FigureFormats() {
			names, err := SaveFigures(store.WriteOutput, filepath.Join(dir, kind+"."+format), drawn)
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
	drawn, err := Draw("main", study(), Options{Env: "lbf"})
	if err != nil {
		t.Fatal(err)
	}
	var l Line
	for _, x := range drawn[0].Panels[0].Lines {
		if x.Label == "MACPro" {
			l = x
		}
	}
	last := len(l.Y) - 1
	near(t, "A at the end", l.Y[last], 0.9, 1e-9)
	near(t, "upper end", l.High[last]-l.Y[last], 0.05*0.816496580927726/5, 1e-9)
	if l.X[0] != 0 || l.X[last] != 5000 {
		t.Errorf("the curve spans %v to %v", l.X[0], l.X[last])
	}
	if l.Color != colors["macpro"] {
		t.Error("MACPro has another color than elsewhere")
	}
}

func TestTaskCurvesStartWithTheirTask(t *testing.T) {
	drawn, err := Draw("tasks", study(), Options{Env: "lbf"})
	if err != nil {
		t.Fatal(err)
	}
	p := drawn[0].Panels[2]
	if p.Spans[0] != (Span{2000, 3000}) || p.Title != "task 3: task3" {
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

// The first component of points on a line is that line, pointing up.
func TestProjection(t *testing.T) {
	var points []mean
	for i := range 5 {
		x := float64(i)
		points = append(points, mean{Latent{Agent: -1}, []float64{-2 * x, -x, 7}})
	}
	points = append(points, mean{Latent{Agent: 0}, []float64{0, 0, 7}})
	d, ok := project(dumpKey{3, "end"}, points)
	if !ok || d.T != 3 {
		t.Fatal("no picture")
	}
	near(t, "share of the first component", d.Explained[0], 1, 1e-9)
	near(t, "distance of neighbours", math.Abs(d.Points[1].At[0]-d.Points[0].At[0]), math.Sqrt(5), 1e-3)
	near(t, "f is projected alike", d.Points[5].At[0], d.Points[0].At[0], 1e-9)
	if d.Points[0].At[0] < d.Points[4].At[0] {
		t.Error("the largest loading is negative")
	}
	if _, ok := project(dumpKey{}, points[:1]); ok {
		t.Error("one point has components")
	}
	points[0].mu = []float64{1}
	if _, ok := project(dumpKey{}, points); ok {
		t.Error("points of different widths have components")
	}
}

func TestFiguresRefuseLikeTables(t *testing.T) {
	set := study()
	set.Runs[0].with("lr", "0.01")
	var unlike *UnlikeError
	if _, err := Draw("main", set, Options{}); !errors.As(err, &unlike) {
		t.Errorf("%v", err)
	}
	var none *NoRunsError
	if _, err := Draw("context", study(), Options{}); !errors.As(err, &none) || !strings.Contains(err.Error(), "figure context") {
		t.Errorf("%v", err)
	}
	if _, err := Draw("mian", study(), Options{}); err == nil || !strings.Contains(err.Error(), `did you mean "main"`) {
		t.Errorf("%v", err)
	}
	drawn, err := Draw("main", study(), Options{})
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
			if headColor(head) == colorOf(key) {
				t.Errorf("head %d has the color of %s", head, key)
			}
		}
	}
}

// Contexts are shown at the starts of tasks 3 and 6 and at the end, if they are there.
func TestPictures(t *testing.T) {
	s := &Summary{Starts: []int64{0, 10, 20, 30, 40, 50, 60}}
	for _, at := range []int64{20, 30, 40, 50, 60, 70} {
		s.Latents = append(s.Latents, Dump{T: at, When: "task_end"}, Dump{T: at, When: "task_start"})
	}
	s.Latents = s.Latents[:len(s.Latents)-1]
	want := []Dump{{T: 20, When: "task_start"}, {T: 50, When: "task_start"}, {T: 70, When: "task_end"}}
	if got := s.pictures(); !reflect.DeepEqual(got, want) {
		t.Errorf("pictures %v, want %v", got, want)
	}
	s.Starts = s.Starts[:4]
	if got := s.pictures(); len(got) != 3 || got[0].T != 20 || got[2].T != 70 {
		t.Errorf("pictures of a short run %v", got)
	}
}
