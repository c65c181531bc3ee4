package continual_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"

	"macpro/core/conform"
	"macpro/core/continual"
	"macpro/core/record"
)

// Killing a run after any of its episodes and resuming it changes no bit.
func TestResumeFromEveryEpisode(t *testing.T) {
	for _, lanes := range []int{1, 3} {
		t.Run(fmt.Sprintf("lanes=%d", lanes), func(t *testing.T) {
			change := []any{"checkpoint_interval", 1, "envs_per_rollout", lanes}
			whole := &tape{t: t}
			r := start(t, whole, options(change...))
			want := finish(t, r)
			end := parts(t, r)
			reasons := map[string]int{}
			for i, c := range whole.Checkpoints {
				reasons[c.Meta.Reason]++
				if testing.Short() && i%7 != 0 && c.Meta.Reason == continual.ReasonInterval {
					continue
				}
				again := &tape{Record: *whole.From(c), t: t}
				r := start(t, again, options(change...))
				if err := conform.LoadParts(r, c.Parts); err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("resumed at t_env %d (%s)", c.Meta.TEnv, c.Meta.Reason)
				sameParts(t, what+", at once", parts(t, r), c.Parts)
				got := finish(t, r)
				sameRows(t, what, again.Rows, whole.Rows)
				sameParts(t, what, parts(t, r), end)
				got.Speed, want.Speed = record.Speed{}, record.Speed{}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: result\n%v\n%v", what, got, want)
				}
			}
			if reasons["interval"] < 30 || reasons["task_end"] != 2 || reasons["final"] != 1 {
				t.Errorf("checkpoints %v", reasons)
			}
		})
	}
}

// A run that was stopped from outside and resumed has the journal of one that
// never was, whatever it was doing.
func TestStopAndResume(t *testing.T) {
	change := []any{"checkpoint_interval", 50}
	whole := &tape{t: t}
	r := start(t, whole, options(change...))
	finish(t, r)
	end := parts(t, r)
	for n := 1; n < 25; n += 3 {
		rec := &tape{t: t}
		ctx, cancel := context.WithCancel(context.Background())
		o := options(change...)
		calls := 0
		o.Progress = func(continual.Status) {
			if calls++; calls == n {
				cancel()
			}
		}
		r := start(t, rec, o)
		res, err := r.Run(ctx)
		cancel()
		if !errors.Is(err, context.Canceled) || res.Finished {
			t.Fatalf("stopped after %d reports: %v, finished %v", n, err, res.Finished)
		}
		last := rec.Checkpoints[len(rec.Checkpoints)-1]
		if last.Rows != len(rec.Rows) {
			t.Fatalf("stopped after %d reports: rows follow the last checkpoint", n)
		}
		again := start(t, rec, options(change...))
		if err := conform.LoadParts(again, last.Parts); err != nil {
			t.Fatal(err)
		}
		finish(t, again)
		sameRows(t, fmt.Sprintf("stopped after %d reports", n), rec.Rows, whole.Rows)
		sameParts(t, "end", parts(t, again), end)
	}
}

func TestFinishedRunStaysFinished(t *testing.T) {
	rec := &tape{t: t}
	r := start(t, rec, options())
	finish(t, r)
	again := &tape{t: t}
	r2 := start(t, again, options())
	if err := conform.LoadParts(r2, rec.Checkpoints[len(rec.Checkpoints)-1].Parts); err != nil {
		t.Fatal(err)
	}
	if res := finish(t, r2); !res.Finished || len(again.Rows) != 0 || len(again.Checkpoints) != 0 {
		t.Errorf("resuming a finished run wrote %d rows", len(again.Rows))
	}
}

// Neither tests nor the number of processors change what is learned.
func TestEvaluationIsPure(t *testing.T) {
	base := &tape{t: t}
	r := start(t, base, options())
	finish(t, r)
	want := parts(t, r)
	for _, change := range [][]any{
		{"test_interval", 1}, {"test_interval", 1 << 30}, {"test_nepisode", 1}, {"test_nepisode", 40},
		{"boundary_full_test", false, "test_interval", 1 << 30}, {"log_interval", 1}, {"final_avg_points", 5},
	} {
		rec := &tape{t: t}
		r := start(t, rec, options(change...))
		finish(t, r)
		sameParts(t, fmt.Sprint(change), parts(t, r), want, continual.PartRun)
	}
}

func TestDeterminism(t *testing.T) {
	base := &tape{t: t}
	r := start(t, base, options())
	finish(t, r)
	want := parts(t, r)
	for _, procs := range []int{1, 2, 4} {
		old := runtime.GOMAXPROCS(procs)
		rec := &tape{t: t}
		r := start(t, rec, options())
		finish(t, r)
		runtime.GOMAXPROCS(old)
		sameRows(t, fmt.Sprint(procs, " processors"), rec.Rows, base.Rows)
		sameParts(t, fmt.Sprint(procs, " processors"), parts(t, r), want)
	}
	other := &tape{t: t}
	r = start(t, other, options("seed", 2))
	finish(t, r)
	if m := parts(t, r); string(m[continual.PartLearner]) == string(want[continual.PartLearner]) {
		t.Error("another seed learned the same")
	}
}

func TestLoadRefusesAnotherRun(t *testing.T) {
	rec := &tape{t: t}
	finish(t, start(t, rec, options()))
	good := rec.Checkpoints[0].Parts
	for want, change := range map[string][]any{
		"a run with seed 1, this one has 5":                           {"seed", 5},
		`["first","second","third"], this one has ["second","first"]`: {"tasks", []string{"second", "first"}},
		"room for 8 (buffer_size)":                                    {"buffer_size", 8},
	} {
		if err := conform.LoadParts(start(t, nil, options(change...)), good); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", change, err, want)
		}
	}
	for _, name := range []string{continual.PartRun, continual.PartLearner, continual.PartMethod} {
		for what, b := range map[string][]byte{"empty": nil, "cut": good[name][:len(good[name])/2], "swapped": good[map[string]string{
			continual.PartRun: continual.PartMethod, continual.PartLearner: continual.PartRun, continual.PartMethod: continual.PartLearner}[name]]} {
			bad := maps.Clone(good)
			bad[name] = b
			if err := conform.LoadParts(start(t, nil, options()), bad); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("part %q", name)) {
				t.Errorf("%s part %s: %v", what, name, err)
			}
		}
	}
}
