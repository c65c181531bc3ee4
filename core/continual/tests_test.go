package continual_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/metrics"
)

// The journal alone explains the result: one row an episode, means over exactly
// those, the matrix from the tests that close the tasks.
func TestRowsExplainTheResult(t *testing.T) {
	rec := &tape{t: t}
	r := start(t, rec, options("test_nepisode", 30, "final_avg_points", 1))
	res := finish(t, r)
	type key struct {
		t          int64
		task, mode string
	}
	count, sum, won := map[key]int{}, map[key]float64{}, map[key]int{}
	seeds := map[key]map[string]bool{}
	for _, e := range rec.of("test_episode") {
		k := key{e.T, e.Task, e.F["mode"].(string)}
		if int(e.F["index"].(float64)) != count[k] {
			t.Fatalf("%v: episode %v after %d", k, e.F["index"], count[k])
		}
		if seeds[k] == nil {
			seeds[k] = map[string]bool{}
		}
		seeds[k][e.F["seed"].(string)] = true
		count[k]++
		sum[k] += e.F["return"].(float64)
		if e.F["won"].(bool) {
			won[k]++
		}
		if e.F["won"] != (e.F["return"] == 1.0) { // of this environment
			t.Errorf("%v: return %v, won %v", k, e.F["return"], e.F["won"])
		}
	}
	matrix := map[string]metrics.Matrix{}
	for _, m := range r.Modes() {
		matrix[m] = metrics.NewMatrix(3)
	}
	starts := map[string]int64{}
	for _, s := range rec.of("task_start") {
		starts[s.Task] = s.T
	}
	for _, x := range rec.of("test") {
		k := key{x.T, x.Task, x.F["mode"].(string)}
		if count[k] != 30 || len(seeds[k]) != 30 || x.F["episodes"] != 30.0 {
			t.Errorf("%v: %d episodes, %d seeds", k, count[k], len(seeds[k]))
		}
		if got := x.F["score"].(float64); math.Abs(got-sum[k]/30) > 1e-12 || math.Abs(x.F["win_rate"].(float64)-float64(won[k])/30) > 1e-12 {
			t.Errorf("%v: score %v, episodes give %v", k, got, sum[k]/30)
		}
		if s, begun := starts[x.Task]; x.F["seen"].(bool) != (begun && x.T >= s && !(x.F["after"] != nil && x.F["index"].(float64) >= max(1, x.F["after"].(float64)))) {
			t.Errorf("%v: seen is %v", k, x.F["seen"])
		}
		if after, ok := x.F["after"]; ok {
			matrix[k.mode][int(after.(float64))][int(x.F["index"].(float64))] = x.F["score"].(float64)
		}
		delete(count, k)
	}
	if len(count) != 0 {
		t.Errorf("episodes without a test: %v", count)
	}
	for _, m := range r.Modes() {
		if fmt.Sprint(res.R[m]) != fmt.Sprint(matrix[m]) {
			t.Errorf("mode %s: matrix\n%v\nrows give\n%v", m, res.R[m], matrix[m])
		}
		if got, want := float64(res.FinalAverage[m]), matrix[m].Final(); got != want {
			t.Errorf("mode %s: final average %v, want %v", m, got, want)
		}
		for j, row := range matrix[m] {
			for i, x := range row { // a task's own head does not exist before the task
				if math.IsNaN(x) != (m == mini.ModeOwn && i >= max(1, j)) {
					t.Errorf("mode %s: R[%d][%d] is %v", m, j, i, x)
				}
			}
		}
	}
	if final := rec.of("final"); len(final) != 1 || len(final[0].F["r"].(map[string]any)) != 3 {
		t.Errorf("%d final rows", len(final))
	}
}

func TestFinalScoresAverageTheLastTestsOfTheTask(t *testing.T) {
	r := start(t, nil, options("final_avg_points", 3, "test_interval", 30))
	res := finish(t, r)
	unseen, matrix := r.Curves(mini.ModeProbe)[2], res.R[mini.ModeProbe]
	curves := r.Curves(mini.ModeOwn)
	for i, c := range curves {
		n := len(c)
		if want := (c[n-3].Score + c[n-2].Score + c[n-1].Score) / 3; math.Abs(res.R[mini.ModeOwn][3][i]-want) > 1e-12 {
			t.Errorf("task %d: %v, the last three tests give %v", i, res.R[mini.ModeOwn][3][i], want)
		}
	}
	// Tests from before the task that ends do not count, however many are asked for.
	r = start(t, nil, options("final_avg_points", 100, "test_interval", 30))
	res = finish(t, r)
	sum, n := 0.0, 0
	for _, p := range r.Curves(mini.ModeOwn)[0] {
		if p.T > res.TrainEnvSteps-160 {
			sum, n = sum+p.Score, n+1
		}
	}
	if got := res.R[mini.ModeOwn][3][0]; math.Abs(got-sum/float64(n)) > 1e-12 || n < 4 {
		t.Errorf("the last task's %d tests give %v, got %v", n, sum/float64(n), got)
	}
	// Unseen tasks are tested once per boundary, so nothing is averaged.
	if matrix[0][2] != unseen[0].Score || matrix[1][2] != unseen[1].Score {
		t.Error("the score of an unseen task is that of the boundary's test")
	}
}

func TestBoundaryTestsCanBeLeftOut(t *testing.T) {
	rec := &tape{t: t}
	res := finish(t, start(t, rec, options("boundary_full_test", false)))
	for _, x := range rec.of("test") {
		if !x.F["seen"].(bool) || x.T == 0 {
			t.Errorf("test of %s at %d", x.Task, x.T)
		}
	}
	m := res.R[mini.ModeSteps]
	if !math.IsNaN(m[0][0]) || !math.IsNaN(m[1][1]) || math.IsNaN(m[1][0]) || math.IsNaN(float64(res.FinalAverage[mini.ModeSteps])) {
		t.Errorf("matrix %v", m)
	}
}

// double is an environment that pays twice as much, and is scored as it says.
type (
	double struct {
		core.EnvPlugin
		score core.Score
	}
	doubleEnv struct {
		core.Env
		score core.Score
	}
)

func (p double) Open(task string, lanes int, s core.Settings) (core.Env, error) {
	e, err := p.EnvPlugin.Open(task, lanes, s)
	return doubleEnv{e, p.score}, err
}

func (e doubleEnv) Spec() core.EnvSpec {
	s := e.Env.Spec()
	s.Score, s.MaxReturn = e.score, 4
	return s
}

func (e doubleEnv) Step(lanes []int, joint []int32, f *core.Frame) error {
	err := e.Env.Step(lanes, joint, f)
	for _, k := range lanes {
		f.Reward[k] *= 2
	}
	return err
}

// A score is the return in units of the largest one, or the share of episodes
// that were won; deviations are those of the population.
func TestScoresAndStatistics(t *testing.T) {
	for score, field := range map[core.Score]string{core.ScoreReturn: "return_mean", core.ScoreWinRate: "win_rate"} {
		rec := &tape{t: t}
		o := options("test_nepisode", 8)
		o.Env = double{o.Env, score}
		finish(t, start(t, rec, o))
		var returns, lengths []float64
		won, checked := 0, 0
		for _, x := range rec.all() {
			switch x.Kind {
			case "test_episode":
				returns, lengths = append(returns, x.F["return"].(float64)), append(lengths, x.F["length"].(float64))
				if x.F["won"].(bool) {
					won++
				}
			case "test":
				want := map[string]float64{
					"return_mean": metrics.Mean(returns), "return_std": metrics.Std(returns), "length_mean": metrics.Mean(lengths), "win_rate": float64(won) / 8,
				}
				want["score"] = want[field]
				if score == core.ScoreReturn {
					want["score"] /= 4
				}
				for k, w := range want {
					if got := x.F[k].(float64); math.Abs(got-w) > 1e-12 {
						t.Errorf("%s, test at %d: %s is %v, want %v", score, x.T, k, got, w)
					}
				}
				if won > 0 && won < 8 {
					checked++
				}
				returns, lengths, won = nil, nil, 0
			}
		}
		if checked < 5 {
			t.Errorf("%s: only %d tests tell anything", score, checked)
		}
	}
}

// counting is an environment that counts actions, and those that are not the
// last available one; decided is a learner that prefers that one.
type (
	counting struct {
		core.EnvPlugin
		actions, others int
	}
	countingEnv struct {
		core.Env
		*counting
	}
	decided    struct{ core.LearnerPlugin }
	decidedOne struct{ core.Learner }
)

func (p *counting) Open(task string, lanes int, s core.Settings) (core.Env, error) {
	e, err := p.EnvPlugin.Open(task, lanes, s)
	return countingEnv{e, p}, err
}

func (e countingEnv) Step(lanes []int, joint []int32, f *core.Frame) error {
	s := e.Spec()
	for _, k := range lanes {
		for row := k * s.Agents; row < (k+1)*s.Agents; row++ {
			e.actions++
			if slices.Contains(f.Avail[row*s.Actions+int(joint[row])+1:(row+1)*s.Actions], 1) {
				e.others++
			}
		}
	}
	return e.Env.Step(lanes, joint, f)
}

func (p decided) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	l, err := p.LearnerPlugin.New(s, spec, o)
	return decidedOne{l}, err
}

func (l decidedOne) Act(s *core.ActStep) error {
	err := l.Learner.Act(s)
	for i := range s.Q {
		s.Q[i] = float32(i % mini.Actions)
	}
	return err
}

// Tests are played greedily, whatever exploration the training asks for.
func TestTestsAreGreedy(t *testing.T) {
	o := options("epsilon_finish", 1.0, "explore_sticky", 0.5)
	env := &counting{EnvPlugin: o.Env}
	o.Env, o.Learner = env, decided{o.Learner}
	r := start(t, nil, o)
	finish(t, r)
	if env.others == 0 {
		t.Error("nobody has explored in training")
	}
	env.actions, env.others = 0, 0
	if _, err := r.Evaluate(context.Background(), continual.EvalOptions{Generalization: true}); err != nil {
		t.Fatal(err)
	}
	if env.actions == 0 || env.others > 0 {
		t.Errorf("%d of %d actions in tests were not greedy", env.others, env.actions)
	}
}

func TestTrainRowsCoverEveryEpisodeOnce(t *testing.T) {
	rec := &tape{t: t}
	res := finish(t, start(t, rec, options("log_interval", 40)))
	episodes, updates, steps := 0.0, 0.0, 0.0
	var last int64
	for _, x := range rec.of("train") {
		episodes += x.F["episodes"].(float64)
		updates += x.F["gradient_steps"].(float64)
		steps += x.F["episodes"].(float64) * x.F["length_mean"].(float64)
		if int64(math.Round(steps)) != x.T || float64(x.Episode) != episodes {
			t.Errorf("row at %d covers up to %v", x.T, steps)
		}
		if x.T-last >= 40+mini.Limit {
			t.Errorf("%d steps without a row", x.T-last)
		}
		last = x.T
		if _, ok := x.F["loss"]; ok != (x.F["gradient_steps"].(float64) > 0) {
			t.Errorf("row at %d: %v", x.T, x.F)
		}
	}
	if int64(episodes) != res.Episodes || int64(updates) != res.GradientSteps || int64(math.Round(steps)) != res.TrainEnvSteps {
		t.Errorf("rows cover %v episodes, %v updates, %v steps of %+v", episodes, updates, steps, res)
	}
}

func TestStepsAreCountedByPurpose(t *testing.T) {
	rec := &tape{t: t}
	res := finish(t, start(t, rec, options()))
	var probe, test, identify float64
	for _, x := range rec.of("test") {
		if n, ok := x.F["probe_steps"]; ok {
			probe += n.(float64)
		}
		test += x.F["length_mean"].(float64) * x.F["episodes"].(float64)
	}
	for _, x := range rec.of("expansion") {
		identify += x.F["steps"].(float64)
	}
	if got := res.MethodEnvSteps; got["probe"] != int64(probe) || got["identify"] != int64(identify) || identify == 0 {
		t.Errorf("counted %v, rows give probe %v and identify %v", got, probe, identify)
	}
	if res.TestEnvSteps != int64(math.Round(test)) {
		t.Errorf("%d test steps, rows give %v", res.TestEnvSteps, test)
	}
	if res.ContextSteps != res.Episodes/5 || res.PeakRSSBytes < 1<<20 || res.WallS <= 0 || res.TrainEnvStepsPerS <= 0 {
		t.Errorf("throughput %+v", res)
	}
	if fmt.Sprint(res.TaskHeads) != "[0 1 2]" || res.Heads != 3 {
		t.Errorf("heads %v of %d", res.TaskHeads, res.Heads)
	}
}

func TestHeadAccuracy(t *testing.T) {
	rec := &tape{t: t}
	finish(t, start(t, rec, options("test_nepisode", 40)))
	seen := 0
	for _, x := range rec.of("test") {
		a, ok := x.F["head_accuracy"].(float64)
		switch {
		case x.F["mode"] == mini.ModeOwn && x.F["index"].(float64) != lastBegun(rec, x.T):
			seen++
			if !ok || a != 1 {
				t.Errorf("own head of %s: accuracy %v", x.Task, x.F["head_accuracy"])
			}
		case x.F["mode"] == mini.ModeProbe && x.F["after"] == 3.0:
			seen++
			if a < 0.1 || a > 0.6 { // a random one of three heads, 40 draws
				t.Errorf("random head of %s: accuracy %v", x.Task, a)
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d tests were checked", seen)
	}
}

// Heads that change during an episode are counted at every step: in this mode the
// head of step t is (first+t) mod 3, so that the last one gives all.
func TestHeadAccuracyByStep(t *testing.T) {
	rec := &tape{t: t}
	res := finish(t, start(t, rec, options("test_nepisode", 7)))
	right, all := map[string]int{}, map[string]int{}
	const heads = 3
	for _, x := range rec.of("test_episode") {
		if x.F["mode"] != mini.ModeSteps || x.T < res.TrainEnvSteps {
			continue
		}
		want := slices.IndexFunc(rec.of("task_start"), func(s row) bool { return s.Task == x.Task })
		length := int(x.F["length"].(float64))
		head := int(x.F["heads"].([]any)[0].(float64))
		for back := range length {
			if ((head-back)%heads+heads)%heads == want {
				right[x.Task]++
			}
		}
		all[x.Task] += length
	}
	checked := 0
	for _, x := range rec.of("test") {
		if x.F["mode"] != mini.ModeSteps || x.T < res.TrainEnvSteps {
			continue
		}
		checked++
		if a := x.F["head_accuracy"]; a != float64(right[x.Task])/float64(all[x.Task]) {
			t.Errorf("%s: accuracy %v, %d of %d steps", x.Task, a, right[x.Task], all[x.Task])
		}
	}
	if checked != heads {
		t.Errorf("%d tests were checked", checked)
	}
}

// lastBegun is the index of the task that is trained at time t.
func lastBegun(r *tape, t int64) float64 {
	last := 0.0
	for _, s := range r.of("task_end") {
		if s.T < t {
			last = s.F["index"].(float64) + 1
		}
	}
	return last
}

// An evaluation of a checkpoint repeats the test of that time, reaches tasks
// that are never trained, and changes nothing.
func TestEvaluate(t *testing.T) {
	rec := &tape{t: t}
	finish(t, start(t, rec, options()))
	c := rec.Checkpoints[1]
	r := start(t, nil, options())
	if err := conform.LoadParts(r, c.Parts); err != nil {
		t.Fatal(err)
	}
	told := 0
	got, err := r.Evaluate(context.Background(), continual.EvalOptions{Generalization: true, Each: func(continual.TestResult) error { told++; return nil }})
	if err != nil || told != len(got) {
		t.Fatalf("%d results, told of %d: %v", len(got), told, err)
	}
	sameParts(t, "after the evaluation", parts(t, r), c.Parts, continual.PartRun) // probes are counted there
	want := map[string]float64{}
	for _, x := range rec.of("test") {
		if x.T == c.Meta.TEnv {
			want[x.Task+x.F["mode"].(string)] = x.F["return_mean"].(float64)
		}
	}
	late, compared := 0, 0
	for _, x := range got {
		if x.Task == "late" {
			late++
			if *x.Index != -1 || x.Seen || len(x.Rows) != 5 {
				t.Errorf("generalization: %+v", x)
			}
			continue
		}
		if score, ok := want[x.Task+x.Mode]; ok && x.Mode != mini.ModeOwn {
			compared++
			if float64(x.ReturnMean) != score {
				t.Errorf("%s in mode %s: %v, the run's test gave %v", x.Task, x.Mode, x.ReturnMean, score)
			}
		}
	}
	if late != 2 || compared < 6 {
		t.Errorf("%d results of an unseen task, %d compared", late, compared)
	}
	some, err := r.Evaluate(context.Background(), continual.EvalOptions{Tasks: []string{"second"}, Modes: []string{mini.ModeSteps}, Episodes: 70})
	if err != nil || len(some) != 1 || len(some[0].Rows) != 70 {
		t.Errorf("%v: %v", some, err)
	}
}

func TestEvaluateRefuses(t *testing.T) {
	r := start(t, nil, options())
	finish(t, r)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for want, o := range map[string]continual.EvalOptions{
		`did you mean "late"`:  {Tasks: []string{"lade"}},
		`did you mean "probe"`: {Modes: []string{"prob"}},
		"-1 episodes":          {Episodes: -1},
	} {
		if _, err := r.Evaluate(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	if _, err := r.Evaluate(ctx, continual.EvalOptions{}); err != context.Canceled {
		t.Errorf("a cancelled evaluation: %v", err)
	}
}

func TestProgressTellsWhereTheRunStands(t *testing.T) {
	o := options()
	var all []continual.Status
	o.Progress = func(s continual.Status) { all = append(all, s) }
	finish(t, start(t, nil, o))
	var last int64
	for _, s := range all {
		if s.TEnv < last || s.Total != 480 || s.Tasks[s.Index] != s.Task || len(s.Scores) != s.Index+1 {
			t.Fatalf("status %+v after t_env %d", s, last)
		}
		last = s.TEnv
	}
	if len(all) < 20 || last < 480 {
		t.Errorf("%d reports, the last at %d", len(all), last)
	}
}
