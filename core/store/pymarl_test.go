package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"macpro/core/metrics"
	"macpro/core/record"
)

// emitRun writes rows of training, of tests of two tasks and of a plugin.
func emitRun(t *testing.T, r *Run) {
	t.Helper()
	at := func(step int64, task string) record.At { return record.At{TEnv: step, Task: task} }
	stats := func(x float64) record.TestStats {
		return record.TestStats{ReturnMean: 4 * metrics.Number(x), ReturnStd: metrics.Number(x) / 2, WinRate: metrics.Number(x), LengthMean: 10 * metrics.Number(x)}
	}
	for _, e := range []record.Entry{
		record.Train{At: at(10, "a"), ReturnMean: 1, LengthMean: 2, WinRate: 3, Epsilon: .5,
			Gradients: &record.Gradients{Loss: 4, TDLoss: 5, TDAbs: 6, QTaken: 7, Target: 8, GradNorm: 9}},
		record.Free{Kind: "context", TEnv: 10, Fields: map[string]any{"loss_g": .25, "approx": -1.5, "radius": []float64{1}, "note": "x"}},
		record.Test{At: at(20, "a"), Mode: "ctde", Index: 0, Seen: true, Score: .25, TestStats: stats(.25)},
		record.Test{At: at(20, "b"), Mode: "ctde", Index: 1, Seen: true, Score: .75, TestStats: stats(.75)},
		record.Test{At: at(20, "b"), Mode: "oracle", Index: 1, Seen: true, Score: 1, TestStats: stats(1)},
		record.Test{At: at(20, "c"), Mode: "ctde", Index: 2, Score: 1, TestStats: stats(1)},
		record.Test{At: at(30, "a"), Mode: "ctde", Index: 0, Seen: true, Score: 1, TestStats: stats(1)},
	} {
		if err := r.Emit(record.Event(e)); err != nil {
			t.Fatal(err)
		}
	}
}

// curves are the points step:value of TensorBoard's tags.
func curves(t *testing.T, m *memFS, r *Run) map[string][]string {
	t.Helper()
	data, err := ReadFile(m, filepath.Join(r.Dir(), "tb", fmt.Sprintf("events.out.tfevents.%d.macpro", testManifest().Created.Unix())))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, message := range unframe(t, data) {
		e := decodeEvent(t, message)
		for tag, x := range e.values {
			out[tag] = append(out[tag], fmt.Sprintf("%d:%g", e.step, x))
		}
	}
	return out
}

// Both views have PyMARL's names beside ours, and the curves of plugins.
func TestPyMARLNames(t *testing.T) {
	r, m := newRun(t, sound)
	emitRun(t, r)
	if err := r.Interrupt(); err != nil {
		t.Fatal(err)
	}
	tb := curves(t, m, r)
	type curve struct {
		Steps  []int64
		Values []float64
	}
	sacred := readJSON[map[string]curve](t, m, r, "metrics.json")
	for name, want := range map[string][]string{
		"return_mean": {"10:1"}, "ep_length_mean": {"10:2"}, "battle_won_mean": {"10:3"}, "epsilon": {"10:0.5"},
		"loss": {"10:4"}, "td_error_abs": {"10:6"}, "q_taken_mean": {"10:7"}, "target_mean": {"10:8"}, "grad_norm": {"10:9"},
		"test_return_mean": {"20:2", "30:4"}, "test_return_std": {"20:0.25", "30:0.5"}, "test_battle_won_mean": {"20:0.5", "30:1"},
		"test_ep_length_mean": {"20:5", "30:10"}, "test_score": {"20:0.5", "30:1"},
	} {
		if !slices.Equal(tb[name], want) {
			t.Errorf("TensorBoard has %v of %s, want %v", tb[name], name, want)
		}
		var got []string
		for i, step := range sacred[name].Steps {
			got = append(got, fmt.Sprintf("%d:%g", step, sacred[name].Values[i]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("Sacred has %v of %s, want %v", got, name, want)
		}
	}
	for ours, theirs := range map[string]string{"train/td_abs": "td_error_abs", "train/win_rate": "battle_won_mean"} {
		if !slices.Equal(tb[ours], tb[theirs]) || len(tb[ours]) == 0 {
			t.Errorf("%s is %v, %s is %v", ours, tb[ours], theirs, tb[theirs])
		}
	}
	if got := fmt.Sprint(tb["context/loss_g"], tb["context/approx"], sacred["context.loss_g"].Values); got != "[10:0.25] [10:-1.5] [0.25]" {
		t.Errorf("curves of a plugin's rows: %s", got)
	}
	for _, name := range []string{"context/radius", "context/note", "td_loss"} {
		if tb[name] != nil {
			t.Errorf("TensorBoard has %s", name)
		}
	}
}
