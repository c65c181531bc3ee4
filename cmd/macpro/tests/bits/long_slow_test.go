//go:build slow

package bits_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/store"
)

// hundred is a run of 100 drawn tasks in a drawn order.
const hundred = "run --env lbf --profile smoke --quiet --threads 1 --set tasks=[] --set sequence=generated" +
	" --set env_args.generate=100 --set sequence_shuffle=true --set steps_per_task=300 --set batch_size=4" +
	" --set test_nepisode=2 --set test_interval=150 --set test_tasks=sample(5) --set checkpoint_interval=0" +
	" --set boundary_full_test=false --set buffer_size=100"

// hundredOf adds what a method needs.
var hundredOf = map[string]string{
	"finetuning": "", "er": " --set memory_size=200", "packnet": "",
	"macpro": " --set context_batch=4 --set enc_depth=2 --set kappa1=100 --set kappa2=200" +
		" --set context_groups_per_step=2 --set context_buffer_size=1000 --set probe_nepisode=2",
}

// taskPace is what a journal tells of the tasks from one to before another.
type taskPace struct{ speed, tests float64 } // transitions a second, test episodes a transition

// paceOf reads the part of a journal between the starts of two tasks, counted from 1.
func paceOf(t *testing.T, rec *store.Record, from, to int) taskPace {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(rec.Dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Event string  `json:"event"`
		TEnv  float64 `json:"t_env"`
		Wall  float64 `json:"wall_s"`
	}
	var first, last row
	task, tests := 0, 0.0
	for line := range strings.Lines(string(data)) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		switch r.Event {
		case "task_start":
			if task++; task == from {
				first = r
			} else if task == to {
				last = r
			}
		case "test_episode":
			if task >= from && task < to {
				tests++
			}
		}
	}
	steps := last.TEnv - first.TEnv
	return taskPace{steps / (last.Wall - first.Wall), tests / steps}
}

// A hundred tasks are trained to the end by methods of four kinds. Tasks 90 to 99
// are tested as often as tasks 11 to 20. The program stays below a gigabyte. A run that
// is killed in task 60 is resumed to the same bytes. Speeds are shown, not judged: they
// depend on what else the machine does.
func TestHundredTasks(t *testing.T) {
	for alg, keys := range hundredOf {
		line := hundred + " --alg " + alg + keys
		whole := t.TempDir()
		if got := program.Call(t, whole, nil, words(line)...); got.Code != 0 {
			t.Fatal(got.Stderr)
		}
		want, dir := program.TraceOf(t, whole), t.TempDir()
		cmd, output := program.Start(t, dir, words(line))
		program.Until(t, "task 60", func() bool {
			found, _ := filepath.Glob(filepath.Join(dir, "results", "runs", "*", "journal.jsonl")) // the pattern is right
			if len(found) == 0 {
				return false
			}
			data, err := os.ReadFile(found[0])
			return err == nil && strings.Count(string(data), `"event":"task_start"`) >= 60
		})
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatalf("%s came to its end before it was killed\n%s", alg, output)
		}
		rec := program.OnlyRun(t, dir)
		if got := program.Call(t, dir, nil, "resume", "--quiet", rec.Manifest.ID); got.Code != 0 {
			t.Fatalf("%s: %s", alg, got.Stderr)
		}
		if got := program.TraceOf(t, dir); got != want {
			t.Errorf("%s: killed in task 60 and resumed: %v, want %v", alg, got, want)
		}
		early, late := paceOf(t, program.OnlyRun(t, whole), 11, 21), paceOf(t, program.OnlyRun(t, whole), 90, 100)
		result, err := program.OnlyRun(t, whole).Final()
		if err != nil {
			t.Fatal(err)
		}
		memory := float64(result.PeakRSSBytes) / (1 << 20)
		t.Logf("%s: %.0f steps/s in tasks 11 to 20, %.0f in tasks 90 to 99 (%.2f), %.0f MiB", alg, early.speed, late.speed, late.speed/early.speed, memory)
		if memory > 1024 {
			t.Errorf("%s: %.0f MiB", alg, memory)
		}
		if late.tests > 1.05*early.tests || late.tests < .95*early.tests {
			t.Errorf("%s: %.4f test episodes a transition in tasks 11 to 20, %.4f in tasks 90 to 99", alg, early.tests, late.tests)
		}
	}
}
