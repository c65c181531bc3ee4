package record_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/metrics"
	"macpro/core/record"
)

// whole is a row of every kind with all of its fields.
var whole = []record.Entry{
	record.TaskStart{At: at("a"), Index: 2, Head: 1, Heads: 2, Epsilon: .05},
	record.TaskEnd{At: at("a"), Index: 2, Head: 1, Heads: 2, TaskSteps: 9, FinalAverage: map[string]float64{"m": .5}},
	record.Train{At: at("a"), Episodes: 3, ReturnMean: .5, LengthMean: 2, WinRate: 1, GradientSteps: 4, Epsilon: .1, Head: 1, Heads: 2,
		Gradients: &record.Gradients{Loss: 1, TDLoss: 2, Penalty: 3, TDAbs: 4, QTaken: 5, Target: 6, GradNorm: 7, Clip: 8}},
	record.Train{At: at("a"), Episodes: 3},
	record.Test{At: at("a"), Mode: "m", Index: 2, Seen: true, Episodes: 4, Score: .25,
		TestStats: record.TestStats{ReturnMean: 1, ReturnStd: 2, WinRate: 3, LengthMean: 4, HeadAccuracy: new(.5), ProbeEpisodes: 5, ProbeSteps: 6},
		After:     new(3), Extra: map[string]any{"mine": "x"}},
	record.Test{At: at("a"), Mode: "m", Index: -1},
	record.TestEpisode{At: at("a"), Mode: "m", Played: record.Played{Index: 1, Seed: record.SeedText(7), Return: .5, Length: 4, Won: true, Heads: []int32{-1, 2}}, TaskIndex: new(0)},
	record.TestEpisode{At: at("a"), Mode: "m"},
	record.Expansion{At: at("a"), Index: 2, Decision: "new", Head: 1, Heads: 2, Extra: map[string]any{"distance": []any{.5, 1.}}},
	record.Alarm{At: at("a"), Reason: record.AlarmDiverged, Extra: map[string]any{"quantity": "loss"}},
	record.Latents{At: at("a"), When: "task_start", Head: 1, ContextSteps: 3, G: [][]float32{{.1, 2}}, F: [][][]float32{{{.3}}}, Lengths: []int{4}, TaskIndex: new(1)},
	record.Checkpoint{At: at("a"), Reason: "interval"},
	record.Final{At: at(""), Outcome: record.Outcome{Tasks: []string{"a"}, Modes: []string{"m"}, R: map[string]metrics.Matrix{"m": {{0}, {1}}},
		FinalAverage: map[string]metrics.Number{"m": 1}, Metrics: map[string]metrics.Summary{"m": {FinalAverage: 1, Area: []metrics.Number{.5}}},
		TaskHeads: []int{0}, Heads: 1, Alarms: 1, PeakQRatio: 2, TrainEnvSteps: 3, TestEnvSteps: 4, MethodEnvSteps: map[string]int64{"probe": 5}, Episodes: 6, GradientSteps: 7, ContextSteps: 8}},
	record.Free{Kind: "mine", TEnv: 9, Task: "a", Fields: map[string]any{"x": 1.}},
	record.Plasticity{At: at("a"), Index: 2, Steps: 9, Dormant: .25, Rank: new(3), Norm: 2, Drift: new(.5)},
	record.Plasticity{At: at("a"), Index: 2, Steps: 9},
}

func at(task string) record.At { return record.At{TEnv: 40, Episode: 7, Task: task} }

// through writes a row as JSON and reads it back.
func through(t *testing.T, e core.Event) record.Row {
	t.Helper()
	data, err := json.Marshal(e.Fields)
	if err != nil {
		t.Fatal(err)
	}
	e.Fields = nil
	if err := json.Unmarshal(data, &e.Fields); err != nil {
		t.Fatal(err)
	}
	return record.Row{Event: e}
}

// Every row is read back as it was written, before and after it was JSON.
func TestRowsAreReadBack(t *testing.T) {
	for _, want := range whole {
		e := record.Event(want)
		for form, row := range map[string]record.Row{"written": {Event: e}, "read": through(t, e)} {
			got, err := record.Parse(row)
			if err != nil {
				t.Errorf("%s, %s: %v", e.Kind, form, err)
			} else if !reflect.DeepEqual(record.Event(got), e) || reflect.TypeOf(got) != reflect.TypeOf(want) {
				t.Errorf("%s, %s: %#v\nwas written as %#v", e.Kind, form, got, want)
			}
		}
	}
}

// What a test or episode does not have leaves no field.
func TestAbsentFields(t *testing.T) {
	for i, want := range map[int]string{
		3: "episodes epsilon gradient_steps head heads length_mean return_mean win_rate",
		5: "episodes index length_mean mode return_mean return_std score seen win_rate",
		7: "index length mode return seed won",
	} {
		e := record.Event(whole[i])
		for _, name := range strings.Fields(want) {
			if _, ok := e.Fields[name]; !ok {
				t.Errorf("%s has no %q", e.Kind, name)
			}
		}
		if n := len(strings.Fields(want)); len(e.Fields) != n {
			t.Errorf("%s has %d fields, want %d: %v", e.Kind, len(e.Fields), n, e.Fields)
		}
	}
}

// A number that is not finite is null in a journal and NaN in a row.
func TestNaN(t *testing.T) {
	e := record.Event(record.Test{Mode: "m", Score: math.NaN()})
	for _, x := range []any{e.Fields["score"], nil} {
		e.Fields["score"] = x
		got, err := record.Parse(record.Row{Event: e})
		if test, ok := got.(record.Test); !ok || err != nil || !math.IsNaN(test.Score) {
			t.Errorf("%v was read as %+v, %v", x, got, err)
		}
	}
}

func TestRowsOfAnotherForm(t *testing.T) {
	for field, bad := range map[string]any{
		"score": "high", "index": 1.5, "mode": 3., "seen": "yes", "episodes": 1e300, "after": []any{},
	} {
		e := record.Event(record.Test{Mode: "m"})
		e.TEnv, e.Fields[field] = 40, bad
		_, err := record.Parse(record.Row{Event: e})
		if want := fmt.Sprintf(`row "test" at t_env 40: field %q`, field); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %v: %v", field, bad, err)
		}
	}
	e := record.Event(record.Test{Mode: "m"})
	delete(e.Fields, "score")
	if _, err := record.Parse(record.Row{Event: e}); err == nil || !strings.Contains(err.Error(), `"score" is missing`) {
		t.Errorf("a test without a score: %v", err)
	}
	for field, bad := range map[string]any{"heads": 3., "return": nil} {
		e := record.Event(record.TestEpisode{})
		e.Fields[field] = bad
		_, err := record.Parse(record.Row{Event: e})
		if (err == nil) != (field == "return") {
			t.Errorf("%s %v: %v", field, bad, err)
		}
	}
}

func TestLabels(t *testing.T) {
	tasks := []string{"a", "b", "a", "a"}
	if got := record.Labels(tasks); !reflect.DeepEqual(got, []string{"a", "b", "a#2", "a#3"}) {
		t.Errorf("labels %v", got)
	}
	l := record.Labeller{}
	for range 2 {
		for i, want := range record.Labels(tasks) {
			if got := l.Label(tasks[i], i); got != want {
				t.Errorf("task %d is labelled %s, want %s", i, got, want)
			}
		}
	}
	for i, want := range []*int{new(0), nil, new(2), new(3)} {
		got := record.Repeated(tasks, i)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("task %d: %v", i, got)
		}
		if at := record.IndexOf(tasks, tasks[i], got); at != i {
			t.Errorf("task %d is read as %d", i, at)
		}
	}
	if record.Repeated(tasks, -1) != nil || record.IndexOf(tasks, "x", nil) != -1 || record.IndexOf(tasks, "a", new(9)) != 0 {
		t.Error("a task outside of the sequence has an index")
	}
}
