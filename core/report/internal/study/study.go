// Package study makes summaries of runs for the tests of the packages of reports.
package study

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"macpro/core/files"
	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/read"
	"macpro/core/report/spec"
	"macpro/core/rng"
	"macpro/core/store"
)

// Made is a finished run whose final scores are given for each mode; every task
// was learned to 1 and then fell in a line to its final score.
func Made(alg, env string, seed int64, final map[string][]float64) *read.Summary {
	const steps = 1000
	s := &read.Summary{
		Format: read.Format, ID: fmt.Sprintf("%s-%s-s%d", alg, env, seed), Status: record.Done,
		Created: time.Date(2026, 1, 1, 0, 0, int(seed), 0, time.UTC),
		Alg:     alg, Env: env, Learner: "qmix", Sequence: "train", Seed: seed,
		EnvHash: "0123456789abcdef-" + env, Versions: store.Versions{Macpro: "0.1.0"},
		Settings: map[string]string{"alg": alg, "env": env, "learner": "qmix", "ablation": "none", "profile": "reduced",
			"compat": "default", "seed": fmt.Sprint(seed), "steps_per_task": fmt.Sprint(steps)},
		R: map[string]metrics.Matrix{}, Metrics: map[string]metrics.Summary{}, Curves: map[string][]metrics.Curve{},
	}
	rehash(s)
	for mode := range final {
		s.Modes = append(s.Modes, mode)
	}
	if len(s.Modes) > 1 { // the method's own mode comes first
		s.Modes = []string{"ctde", "oracle", "random"}
	}
	tasks := len(final[s.Own()])
	for i := range tasks {
		s.Tasks = append(s.Tasks, fmt.Sprintf("task%d", i+1))
		s.Starts, s.Ends = append(s.Starts, int64(i*steps)), append(s.Ends, int64((i+1)*steps))
	}
	s.TEnv, s.Total = int64(tasks*steps), int64(tasks*steps)
	var spans [][2]int64
	for i := range tasks {
		spans = append(spans, [2]int64{s.Starts[i], s.Ends[i]})
	}
	for mode, row := range final {
		r := metrics.NewMatrix(tasks)
		curves := make([]metrics.Curve, tasks)
		for i := range tasks {
			for j := range tasks + 1 {
				switch {
				case j <= i:
					r[j][i] = 0
				case tasks == i+1:
					r[j][i] = row[i]
				default:
					r[j][i] = 1 + (row[i]-1)*float64(j-i-1)/float64(tasks-i-1)
				}
				curves[i] = append(curves[i], metrics.Point{T: int64(j * steps), Score: r[j][i]})
			}
		}
		s.R[mode], s.Curves[mode] = r, curves
		s.Metrics[mode] = metrics.Summarize(r, curves, spans, nil)
	}
	return s
}

// rehash gives the run the hashes of its settings.
func rehash(s *read.Summary) {
	rest := s.Without("")
	s.GroupHash = fmt.Sprintf("%x", sha256.Sum256([]byte(rest)))
	s.ConfigHash = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, rest, s.Seed)))
}

// With changes settings of a run, given as key and value.
func With(s *read.Summary, settings ...string) *read.Summary {
	for i := 0; i < len(settings); i += 2 {
		s.Settings[settings[i]] = settings[i+1]
		s.ID += "-" + settings[i] + settings[i+1]
	}
	rehash(s)
	return s
}

// Small is three seeds of Finetuning and MACPro on two environments.
func Small() *read.Set {
	set := &read.Set{}
	for seed := int64(1); seed <= 3; seed++ {
		x := 0.05 * float64(seed)
		set.Runs = append(set.Runs,
			Made("finetuning", "lbf", seed, map[string][]float64{"single": {0, x, 0, 0, 1}}),
			Made("macpro", "lbf", seed, map[string][]float64{
				"ctde": {1, 0.9, 0.8 + x, 0.7, 1}, "oracle": {1, 1, 1, 0.9, 1}, "random": {0.4, 0.2, 0.3, 0.3, x}}),
			Made("finetuning", "pp", seed, map[string][]float64{"single": {0.1, 0.2, x, 0.7}}),
			Made("macpro", "pp", seed, map[string][]float64{
				"ctde": {0.9, 0.8, 0.7, 0.9}, "oracle": {0.9, 0.9, 0.8, 0.9}, "random": {0.4, 0.2, 0.3, x}}))
	}
	return set
}

func Near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Full is a study with everything that figures show: curves with noise, four
// environments, evaluations, contexts and heads.
func Full() *read.Set {
	set := &read.Set{}
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
				s := Made(alg, env, seed, final)
				for mode := range s.Curves {
					e := record.Evaluation{Name: record.Generalization}
					e.Tests = []record.EvaluationTest{{Task: "far1", Mode: mode, Score: metrics.Number(r.Float64())}, {Task: "far2", Mode: mode, Score: metrics.Number(finals[alg])}}
					s.Evaluations = append(s.Evaluations, e)
				}
				set.Runs = append(set.Runs, s)
			}
		}
	}
	for i, ablation := range []string{"without_model", "without_cont_g", "without_poe", "without_oracle", "without_cont_l", "without_cont_gl"} {
		for seed := int64(1); seed <= 3; seed++ {
			s := With(Made("macpro", "lbf", seed, map[string][]float64{"ctde": {0.9, 0.8, r.Float64(), 0.1 * float64(i), 1}}), "part", ablation)
			s.Ablation = ablation
			set.Runs = append(set.Runs, s)
		}
	}
	return WithVDN(set)
}

// WithVDN adds MACPro with VDN on LBF, one seed, to the set.
func WithVDN(set *read.Set) *read.Set {
	s := With(Made("macpro", "lbf", 1, map[string][]float64{"ctde": {1, 1, 1, 1, 1}}), "learner", "vdn")
	s.Learner = "vdn"
	set.Runs = append(set.Runs, s)
	return set
}

// Contextual is runs with contexts and heads.
func Contextual() *read.Set {
	set := &read.Set{}
	r := rng.New(6).Stream()
	for seed := int64(1); seed <= 3; seed++ {
		for _, ablation := range []string{"", "without_expansion"} {
			s := With(Made("macpro", "pp", seed, map[string][]float64{"ctde": {0.8, 0.9, 0.7, 0.9}, "oracle": {1, 1, 1, 1}, "random": {0, 0, 0, 0}}), "expansion", "x"+ablation)
			s.Ablation, s.Sequence = ablation, "pp10"
			s.Heads = []read.HeadPoint{{T: 0, Heads: 1}, {T: 1000, Heads: 2}, {T: 3000, Heads: 3}}
			if ablation != "" {
				s.Heads = []read.HeadPoint{{T: 0, Heads: 1}, {T: 1000, Heads: 2}, {T: 2000, Heads: 3}, {T: 3000, Heads: 4}}
			}
			for dump := range 3 {
				d := read.Dump{T: int64(1000 * (dump + 1)), When: "start", Explained: []float64{0.6, 0.3, 0.1}}
				for task := range dump + 2 {
					for range 20 {
						for agent := -1; agent < 3; agent++ {
							p := read.Latent{Task: "t", Head: task, Agent: agent}
							for k := range p.At {
								p.At[k] = r.Norm() * 0.4
							}
							p.At[task%3] += 4
							d.Points = append(d.Points, p)
						}
					}
				}
				s.Latents = append(s.Latents, d)
			}
			set.Runs = append(set.Runs, s)
		}
	}
	return set
}

// Repeated is three seeds of methods on five tasks in four rounds: 20 places of 1,000
// steps. In its k-th visit a task's curve rises in a line to twice the given area; seeds
// differ by 0.1 in the last visit of all methods. Plasticity at the end of place i from 0:
// dormant .1+.01i, and .03 between seeds; rank 20-i; norm 10+i; drift .5+.1i, none for the first.
func Repeated(areas map[string][4]float64) *read.Set {
	const steps, tasks = 1000, 5
	set := &read.Set{}
	for _, alg := range slices.Sorted(maps.Keys(areas)) {
		for seed := int64(1); seed <= 3; seed++ {
			s := Made(alg, "lbf", seed, map[string][]float64{"single": make([]float64, 4*tasks)})
			s.Sequence = "train-x4"
			for i := range s.Tasks {
				visit := i / tasks
				s.Tasks[i] = fmt.Sprintf("task%d", (i*(visit+1))%tasks+1)
				area := areas[alg][visit]
				if visit == 3 {
					area += 0.1 * float64(seed-2)
				}
				from := int64(i * steps)
				s.Curves["single"][i] = metrics.Curve{{T: from, Score: 0}, {T: from + steps, Score: 2 * area}, {T: s.TEnv + 1, Score: 0}}
				p := read.Plasticity{T: from + steps, Index: i, Dormant: metrics.Number(.1 + .01*float64(i) + .03*float64(seed-2)),
					Rank: metrics.Number(20 - i), Norm: metrics.Number(10 + i), Drift: metrics.Number(.5 + .1*float64(i))}
				if i == 0 {
					p.Drift = metrics.Number(math.NaN())
				}
				s.Plasticity = append(s.Plasticity, p)
			}
			set.Runs = append(set.Runs, s)
		}
	}
	return set
}

// Library has the built-in tables and figures, and the paper's numbers.
func Library(t testing.TB) *spec.Library {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..", "..", "..")
	paper, err := files.Read(filepath.Join(root, "results", "paper.json"))
	if err != nil {
		t.Fatal(err)
	}
	lib, err := spec.Open(os.DirFS(filepath.Join(root, "configs")), paper)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}
