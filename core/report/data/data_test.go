package data_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/data"
	"macpro/core/report/read"
	"macpro/core/store"
)

// summary is a finished run of two tasks, without its folder.
func summary(id, alg string) *read.Summary {
	return &read.Summary{
		ID: id, Alg: alg, Env: "e", Learner: "l", Seed: 3, Status: record.Done,
		Settings: map[string]string{"profile": "smoke", "lr": "0.1"}, Overridden: []string{"lr"},
		Tasks: []string{"a", "a"}, Modes: []string{"m", "o"}, Starts: []int64{0, 10}, Ends: []int64{10, 20}, TEnv: 20,
		R:      map[string]metrics.Matrix{"m": {{0, .125}, {.5, .25}, {.75, 1}}},
		Curves: map[string][]metrics.Curve{"m": {{{T: 0, Score: 0}, {T: 10, Score: .5}}, {{T: 0, Score: .125}, {T: 20, Score: 1}}}, "o": {nil, nil}},
		Metrics: map[string]metrics.Summary{"m": {FinalAverage: .875, BackwardTransfer: .25, ForwardTransfer: metrics.Number(math.NaN()),
			Best: []metrics.Number{.75, 1}, Area: []metrics.Number{.25, .5}}},
	}
}

func rows(runs ...*read.Summary) iter.Seq2[data.Row, error] {
	return func(yield func(data.Row, error) bool) {
		for _, s := range runs {
			for r, err := range data.Rows(store.OS(), s) {
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

func lines(t *testing.T, s *read.Summary) []string {
	t.Helper()
	var b bytes.Buffer
	if err := data.CSV(&b, rows(s)); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}

func TestRowsOfASummary(t *testing.T) {
	head := "r,3,x,none,e,l,smoke,lr=0.1,"
	measured := summary("r", "x")
	none := metrics.Number(math.NaN())
	measured.Plasticity = []read.Plasticity{{T: 10, Index: 0, Dormant: .5, Rank: 3, Norm: 2, Drift: none}, {T: 20, Index: 1, Dormant: 0, Rank: none, Norm: 2, Drift: .25}}
	want := []string{
		"run,seed,method,ablation,env,learner,profile,settings,task,mode,seen,t_env,metric,value",
		head + "a,m,true,0,score,0", head + "a,m,true,10,score,0.5", head + "a#2,m,false,0,score,0.125", head + "a#2,m,true,20,score,1",
		head + "a,train,true,10,plasticity.dormant,0.5", head + "a,train,true,10,plasticity.rank,3", head + "a,train,true,10,plasticity.norm,2",
		head + "a#2,train,true,20,plasticity.dormant,0", head + "a#2,train,true,20,plasticity.norm,2", head + "a#2,train,true,20,plasticity.drift,0.25",
		head + ",m,true,20,final_average,0.875", head + ",m,true,20,bwt,0.25", head + ",m,true,20,forgetting_gem,0", head + ",m,true,20,forgetting_cw,0",
		head + ",m,true,20,speed_loss,-2.125", // areas .25 and .78125
		head + "a,m,true,20,auc,0.25", head + "a#2,m,true,20,auc,0.5", head + "a,m,true,20,best,0.75", head + "a#2,m,true,20,best,1",
	}
	if got := lines(t, measured); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// recorded writes a run of two tasks and returns its summary as far as it is needed.
func recorded(t *testing.T) *read.Summary {
	t.Helper()
	run, err := store.Create(store.OS(), t.TempDir(), store.Manifest{Alg: "x", Env: "e", Learner: "l"}, []byte("lr: 0.1\n"))
	if err != nil {
		t.Fatal(err)
	}
	after := func(n int) *int { return &n }
	at := func(step int64, task string) record.At { return record.At{TEnv: step, Task: task} }
	test := func(step int64, index, n int, score float64) record.Entry {
		return record.Test{At: at(step, "a"), Mode: "m", Index: index, Seen: index < max(n, 1), Score: score, After: after(n),
			TestStats: record.TestStats{ReturnMean: metrics.Number(8 * score), WinRate: metrics.Number(score / 2)}}
	}
	for _, e := range []record.Entry{
		record.TaskStart{At: at(0, "a"), Index: 0}, test(0, 0, 0, 0), test(0, 1, 0, .125),
		record.Train{At: at(5, "a"), ReturnMean: 2, Gradients: &record.Gradients{Loss: .5, TDLoss: math.Inf(1)}},
		record.Free{Kind: "context", TEnv: 6, Fields: map[string]any{"loss_g": .25, "note": "x"}},
		record.TestEpisode{At: at(10, "a"), Mode: "m", Played: record.Played{Return: 99}},
		test(10, 0, 1, .5), test(10, 1, 1, .25),
		record.TaskStart{At: at(10, "a"), Index: 1},
		record.Train{At: at(15, "a"), ReturnMean: 3},
		test(20, 0, 2, .75), test(20, 1, 2, 1),
		record.Plasticity{At: at(20, "a"), Index: 1, Steps: 7, Dormant: .25},
	} {
		if err := run.Emit(record.Event(e)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Finish(record.Result{}); err != nil {
		t.Fatal(err)
	}
	s := summary("r", "x")
	s.Dir, s.Metrics = run.Dir(), nil
	return s
}

func TestRowsOfARun(t *testing.T) {
	got := strings.ReplaceAll(strings.Join(lines(t, recorded(t)), "\n"), "r,3,x,none,e,l,smoke,lr=0.1,", "") + "\n"
	for _, want := range []string{
		"a,train,true,5,return_mean,2", "a,train,true,5,loss,0.5", "a,train,true,6,context.loss_g,0.25", "a#2,train,true,15,return_mean,3",
		"a,m,true,10,return_mean,4", "a#2,m,false,10,score,0.25", "a#2,m,true,20,win_rate,0.5",
		"a#2,train,true,20,plasticity.dormant,0.25", "a#2,train,true,20,plasticity.steps,7",
	} {
		if !strings.Contains(got, "\n"+want+"\n") {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
	for _, bad := range []string{"td_loss", "99", "note", "index", "after", "episodes"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q in\n%s", bad, got)
		}
	}
}

func TestRowsOfAMissingRun(t *testing.T) {
	s := summary("r", "x")
	s.Dir = filepath.Join(t.TempDir(), "gone")
	if err := data.CSV(new(bytes.Buffer), rows(s)); err == nil || !strings.Contains(err.Error(), "run r: ") {
		t.Errorf("error %v", err)
	}
}

// Parquet has the rows of CSV.
func TestParquet(t *testing.T) {
	runs := []*read.Summary{summary("r", "x"), summary("q", "y")}
	for range 200 { // more than one batch
		runs = append(runs, summary("p", "y"))
	}
	var b bytes.Buffer
	if err := data.Parquet(&b, rows(runs...)); err != nil {
		t.Fatal(err)
	}
	got, err := parquet.Read[data.Row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var want []data.Row
	for r := range rows(runs...) {
		want = append(want, r)
	}
	if !slices.Equal(got, want) || len(want) != 202*13 {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
}

type runsOf = map[string]map[string]map[string]any

func marlEval(t *testing.T, runs ...*read.Summary) map[string]map[string]runsOf {
	t.Helper()
	var b bytes.Buffer
	if err := data.MARLEval(&b, store.OS(), runs); err != nil {
		t.Fatal(err)
	}
	var out map[string]map[string]runsOf
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMARLEval(t *testing.T) {
	got := marlEval(t, recorded(t))
	for task, want := range map[string]string{
		"a":   "map[absolute_metrics:map[return:[6] score:[0.75] win_rate:[0.375]] step_0:map[return:[0] score:[0] step_count:0 win_rate:[0]] step_1:map[return:[4] score:[0.5] step_count:10 win_rate:[0.25]] step_2:map[return:[6] score:[0.75] step_count:20 win_rate:[0.375]]]",
		"a#2": "map[absolute_metrics:map[return:[8] score:[1] win_rate:[0.5]] step_0:map[return:[1] score:[0.125] step_count:0 win_rate:[0.0625]] step_1:map[return:[2] score:[0.25] step_count:10 win_rate:[0.125]] step_2:map[return:[8] score:[1] step_count:20 win_rate:[0.5]]]",
	} {
		if text := fmt.Sprint(got["e"][task]["x"]["r"]); text != want {
			t.Errorf("task %s is\n%s, want\n%s", task, text, want)
		}
	}
	// Names of steps stand in the order of time.
	long := summary("r", "x")
	long.Tasks, long.Starts, long.Ends, long.R["m"] = nil, nil, nil, nil
	for i := range 11 {
		long.Tasks = append(long.Tasks, fmt.Sprint(i))
		long.Starts, long.Ends = append(long.Starts, int64(i)), append(long.Ends, int64(i+1))
	}
	for range 12 {
		long.R["m"] = append(long.R["m"], make([]float64, 11))
	}
	steps := marlEval(t, long)["e"]["10"]["x"]["r"]
	if len(steps) != 13 || steps["step_02"] == nil || steps["step_11"] == nil {
		t.Errorf("steps %v", steps)
	}
}

func TestMARLEvalNeedsAllTests(t *testing.T) {
	s := summary("r", "x")
	s.R["m"][1][1] = math.NaN()
	err := data.MARLEval(new(bytes.Buffer), store.OS(), []*read.Summary{s})
	if err == nil || !strings.Contains(err.Error(), "run r: task a was not tested after 1 tasks") || !strings.Contains(err.Error(), "boundary_full_test") {
		t.Errorf("error %v", err)
	}
	s.R = nil
	if err := data.MARLEval(new(bytes.Buffer), store.OS(), []*read.Summary{s}); err == nil || !strings.Contains(err.Error(), "score matrix") {
		t.Errorf("error %v", err)
	}
}

// Runs that differ have different names, without commas.
func TestAlgorithms(t *testing.T) {
	a, b, c := summary("1", "x"), summary("2", "x"), summary("3", "y")
	if got := data.Algorithms([]*read.Summary{a, b, c}); !slices.Equal(got, []string{"x", "x", "y"}) {
		t.Errorf("%q", got)
	}
	b.Ablation, c.Learner, c.Settings = "no_reg", "vdn", map[string]string{"profile": "smoke", "lr": "[1, 2]"}
	if got := data.Algorithms([]*read.Summary{a, b, c}); !slices.Equal(got, []string{"x l lr=0.1", "x_no_reg l lr=0.1", "y vdn lr=[1; 2]"}) {
		t.Errorf("%q", got)
	}
}
