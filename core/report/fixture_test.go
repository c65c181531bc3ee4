package report

import (
	"crypto/sha256"
	"fmt"
	"math"
	"testing"
	"time"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/store"
)

// made is a finished run whose final scores are given for each mode; every task
// was learned to 1 and then fell in a line to its final score.
func made(alg, env string, seed int64, final map[string][]float64) *Summary {
	const steps = 1000
	s := &Summary{
		Format: summaryFormat, ID: fmt.Sprintf("%s-%s-s%d", alg, env, seed), Status: record.Done,
		Created: time.Date(2026, 1, 1, 0, 0, int(seed), 0, time.UTC),
		Alg:     alg, Env: env, Learner: "qmix", Sequence: "train", Seed: seed,
		EnvHash: "0123456789abcdef-" + env, Versions: store.Versions{Macpro: "0.1.0"},
		Settings: map[string]string{"alg": alg, "env": env, "learner": "qmix", "ablation": "none", "profile": "reduced",
			"compat": "default", "seed": fmt.Sprint(seed), "steps_per_task": fmt.Sprint(steps)},
		R: map[string]metrics.Matrix{}, Metrics: map[string]metrics.Summary{}, Curves: map[string][]metrics.Curve{},
	}
	s.rehash()
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
		s.Metrics[mode] = metrics.Summarize(r, curves, spans)
	}
	return s
}

// rehash gives the run the hashes of its settings.
func (s *Summary) rehash() {
	rest := s.without("")
	s.GroupHash = fmt.Sprintf("%x", sha256.Sum256([]byte(rest)))
	s.ConfigHash = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, rest, s.Seed)))
}

// with changes a setting of a run.
func (s *Summary) with(key, value string) *Summary {
	s.Settings[key] = value
	s.ID += "-" + key + value
	s.rehash()
	return s
}

// study is three seeds of Finetuning and MACPro on two environments.
func study() *Set {
	set := &Set{}
	for seed := int64(1); seed <= 3; seed++ {
		x := 0.05 * float64(seed)
		set.Runs = append(set.Runs,
			made("finetuning", "lbf", seed, map[string][]float64{"single": {0, x, 0, 0, 1}}),
			made("macpro", "lbf", seed, map[string][]float64{
				"ctde": {1, 0.9, 0.8 + x, 0.7, 1}, "oracle": {1, 1, 1, 0.9, 1}, "random": {0.4, 0.2, 0.3, 0.3, x}}),
			made("finetuning", "pp", seed, map[string][]float64{"single": {0.1, 0.2, x, 0.7}}),
			made("macpro", "pp", seed, map[string][]float64{
				"ctde": {0.9, 0.8, 0.7, 0.9}, "oracle": {0.9, 0.9, 0.8, 0.9}, "random": {0.4, 0.2, 0.3, x}}))
	}
	return set
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
