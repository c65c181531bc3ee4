package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macpro/core/store"
	"macpro/core/sweep"
)

// startTime is what the program and its first configurations may take.
const startTime = 2 * time.Second

// Planning costs at most a millisecond a cell, whether they differ by their seed
// or by more, and says how far it is.
func TestPlanningIsQuick(t *testing.T) {
	t.Parallel()
	const cells = 2000
	for name, c := range map[string]struct{ gammas, seeds int }{"seeds": {10, cells / 10}, "configurations": {cells, 1}} {
		var gammas []string
		for i := range c.gammas {
			gammas = append(gammas, fmt.Sprintf("0.%05d", 10_000+i))
		}
		got := macpro(t, t.TempDir(), nil, "sweep", "--alg", "finetuning", "--env", "lbf", "--profile", "smoke",
			"--grid", "gamma="+strings.Join(gammas, ","), "--seeds", fmt.Sprintf("1..%d", c.seeds), "--dry-run")
		if n := strings.Count(got.Stdout, "\n"); got.Code != exitOK || n != cells {
			t.Fatalf("%s: %d cells, %s", name, n, got.Stderr)
		}
		if got.CPU > startTime+cells*time.Millisecond {
			t.Errorf("%s: planning %d cells took %v", name, cells, got.CPU)
		}
		if told := strings.Contains(got.Stderr, "configurations were opened"); told != (c.gammas > openAll) {
			t.Errorf("%s: what was not opened: %s", name, got.Stderr)
		}
	}
}

// What is planned for a configuration that was not opened is what opening it gives.
func TestUnopenedCells(t *testing.T) {
	p, q := newPlanner("results", nil), newPlanner("results", nil)
	for i := range openAll + 30 {
		sets := []string{"profile=smoke", "env=lbf", "alg=finetuning", "seed=1", fmt.Sprintf("steps_per_task=%d", 60+i%7), fmt.Sprintf("gamma=0.%d", 5000+i)}
		if i%3 == 0 {
			sets = append(sets, "tasks=[topright,bottomleft]")
		}
		got, err := p.resolve(sets)
		if err != nil {
			t.Fatal(err)
		}
		if i < openAll+26 {
			continue
		}
		want, err := q.resolve(sets)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%v\nis planned as %+v\nwant %+v", sets, got.Cell, want.Cell)
		}
	}
	if p.unopened == 0 || q.unopened != 0 {
		t.Errorf("%d and %d were not opened", p.unopened, q.unopened)
	}
	bad := []string{"profile=smoke", "env=lbf", "alg=finetuning", "seed=1", "gamma=0.42", "batch_size=5", "buffer_size=4"}
	p.fresh(bad) // each of its values is known to be good
	if _, err := p.resolve(bad); err == nil || !strings.Contains(err.Error(), "buffer_size 4 is smaller than batch_size 5") {
		t.Errorf("keys that do not go together: %v", err)
	}
}

// Work of less than a second is not talked about.
func TestSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // with a clock that stands still while anything is done
		var out strings.Builder
		show := (&slowly{log: slog.New(slog.NewTextHandler(&out, nil))}).show("planning")
		show(1, 9)
		if out.Len() > 0 {
			t.Errorf("at once: %s", &out)
		}
		time.Sleep(time.Second)
		show(5, 9)
		show(6, 9)
		if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "msg=planning done=5 of=9") {
			t.Errorf("after a second: %s", got)
		}
	})
}

// Only what trains collects garbage often.
func TestGarbageIsCollectedOften(t *testing.T) {
	percent := func() int {
		n := debug.SetGCPercent(100)
		debug.SetGCPercent(n)
		return n
	}
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	var out strings.Builder
	if code := execute(words("sweep --alg finetuning --env lbf --profile smoke --dry-run"), &out, &out); code != exitOK || percent() != 100 {
		t.Errorf("after a sweep's plan GOGC is %d: %s", percent(), &out)
	}
	line := "run --alg finetuning --env lbf --profile smoke --set steps_per_task=30 --set test_nepisode=1 --quiet --out " + t.TempDir()
	if code := execute(words(line), &out, &out); code != exitOK || percent() != gcPercent {
		t.Errorf("after a run GOGC is %d: %s", percent(), &out)
	}
}

// Environment variables that a sweep does not heed are told.
func TestVariablesWithoutEffect(t *testing.T) {
	t.Parallel()
	line := words("sweep --alg finetuning --env lbf --profile smoke --grid lr=0.1,0.2 --set gamma=0.5 --dry-run")
	for variable, want := range map[string]string{
		"MACPRO_SEED=7":        "MACPRO_SEED=7 has no effect: a sweep lists its seeds with --seeds, such as --seeds 7",
		"MACPRO_LR=0.3":        "MACPRO_LR=0.3 has no effect: the sweep sets lr itself",
		"MACPRO_GAMMA=0.3":     "MACPRO_GAMMA=0.3 has no effect",
		"MACPRO_PROFILE=paper": "MACPRO_PROFILE=paper has no effect",
		"MACPRO_BATCH_SIZE=5":  "",
		"MACPRO_PLUGIN_PATH=x": "",
	} {
		got := macpro(t, t.TempDir(), []string{variable}, line...)
		if told := strings.Contains(got.Stderr, "has no effect"); got.Code != exitOK || told != (want != "") || !strings.Contains(got.Stderr, want) {
			t.Errorf("%s: %+v", variable, got)
		}
	}
}

// Ranges that do not fit their key are refused with one that does.
func TestRangesFitTheirKeys(t *testing.T) {
	t.Parallel()
	for grid, want := range map[string]string{
		"batch_size=uniform(8,64)":      "batch_size=uniform(8,64): batch_size is a whole number, and this range has others, too: draw from int(8,64)",
		"batch_size=loguniform(7.5,64)": "draw from logint(8,64)",
		"double_q=int(0,1)":             "double_q is no number: list its values, as in double_q=choice(a,b)",
		"tasks=uniform(0,1)":            "tasks is no number",
		"batch_size=int(8,64)":          "",
		"batch_size=logint(8,64)":       "",
		"batch_size=choice(8,16)":       "",
		"lr=int(1,4)":                   "",
		"double_q=choice(true,false)":   "",
	} {
		got := macpro(t, t.TempDir(), nil, "sweep", "--alg", "finetuning", "--env", "lbf", "--profile", "smoke", "--strategy", "random", "--trials", "3", "--grid", grid, "--dry-run")
		if (got.Code == exitOK) != (want == "") || !strings.Contains(got.Stderr, want) {
			t.Errorf("%s: %+v", grid, got)
		}
	}
}

// A plan keeps the versions of its plugins. Cells that are left to do are not made with
// others.
func TestSweepOfAnotherVersion(t *testing.T) {
	root := t.TempDir()
	r, err := newPlanner(root, nil).resolve(words("profile=smoke env=lbf alg=owl seed=1"))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Plugins, func(p store.PluginVersion) bool { return p.Kind == "method" && p.Name == "owl" })
	if i < 0 || len(r.Plugins) != 3 {
		t.Fatalf("the plugins of the cell are %v", r.Plugins)
	}
	r.Plugins[i].Version = "0"
	plan := sweep.Plan{ID: "old", Execution: sweep.Execution{Executor: "local"}, Search: sweep.Search{Strategy: "grid"}}
	if _, err := sweep.Create(store.OS(), root, plan, []sweep.Resolved{r}, nil); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"resume", "work"} {
		var out, told bytes.Buffer
		if code := execute([]string{"sweep", verb, "old", "--out", root}, &out, &told); code == exitOK || !strings.Contains(told.String(), "version 0 of method owl") {
			t.Errorf("sweep %s: exit %d, %s", verb, code, told.String())
		}
	}
}
