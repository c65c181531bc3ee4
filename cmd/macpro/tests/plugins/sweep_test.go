package plugins_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/conform/exe"
)

// fakeSbatch runs the task of a job array at once, in an environment that has
// nothing of the submission's but where programs and plugins' consents are.
const fakeSbatch = `#!/bin/sh
for script; do :; done
case "$script" in --wrap=*) exit 0;; esac
env -i PATH="$PATH" HOME="$HOME" XDG_CONFIG_HOME="$XDG_CONFIG_HOME" SLURM_ARRAY_TASK_ID=0 sh "$script" >&2
echo 7
`

// A sweep finds an external plugin of a folder in all of its cells, also those
// that Slurm or "sweep resume" starts without being told of the folder. When the
// plugin changes, cells fail, finished runs are not taken, and tables refuse the
// mixture.
func TestExternalSweep(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	examples, environ, dir := copied(t), program.Private(t), t.TempDir()
	corridor := filepath.Join(examples, "corridor")
	build(t, corridor, "corridor")
	flags := strings.Fields("--alg finetuning --env corridor --profile smoke --quiet --set steps_per_task=150 --set test_interval=75 --set test_nepisode=2 --plugin-dir " + examples)
	sweep := func(args ...string) program.Outcome {
		return program.Call(t, dir, environ, append(append([]string{"sweep"}, flags...), args...)...)
	}
	refused := func(o program.Outcome, says string) {
		t.Helper()
		if o.Code == program.OK || !strings.Contains(o.Stderr, says) {
			t.Errorf("exit %d, want %q:\n%s%s", o.Code, says, o.Stdout, o.Stderr)
		}
	}
	refused(sweep("--name", "one"), "has not been accepted")
	program.Must(t, dir, environ, "plugin", "accept", corridor)
	if o := sweep("--name", "one", "--seeds", "1..2"); o.Code != program.OK {
		t.Fatalf("exit %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	if o := program.Must(t, dir, environ, "list", "tasks", "--env", "corridor", "--plugin-dir", examples); !strings.Contains(o.Stdout, "sequence train: right, left") {
		t.Errorf("the tasks of a plugin are not listed: %s", o.Stdout)
	}
	program.Must(t, dir, environ, "table", "main", "--sweep", "one", "--env", "corridor")

	// What is gone is made again, without --plugin-dir.
	program.Forget(t, dir, "results/runs/*-s2-*", "results/sweeps/one/cells/*/cell.json")
	program.Must(t, dir, environ, "sweep", "resume", "one", "--quiet")

	// The tasks of a job array find the plugin as well.
	slurm := t.TempDir()
	exe.Write(t, filepath.Join(slurm, "sbatch"), []byte(fakeSbatch), 0o755)
	path := "PATH=" + slurm + ":" + os.Getenv("PATH")
	o := program.Call(t, dir, append(environ, path), append(append([]string{"sweep"}, flags...), "--name", "array", "--seeds", "3", "--executor", "slurm")...)
	if status := program.Must(t, dir, environ, "sweep", "status", "array"); !strings.Contains(status.Stdout, "1 done") {
		t.Errorf("Slurm's cell: %s\n%s", status.Stdout, o.Stderr)
	}

	// Another state of the plugin.
	program.Forget(t, dir, "results/runs/*-s2-*", "results/sweeps/one/cells/*/cell.json")
	if err := os.WriteFile(filepath.Join(corridor, "notes.txt"), []byte("another state"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(program.Call(t, dir, environ, "sweep", "resume", "one", "--quiet"), "has changed since it was accepted")
	program.Must(t, dir, environ, "plugin", "accept", corridor)
	refused(program.Call(t, dir, environ, "sweep", "resume", "one", "--quiet"), "(plugins.sha256)")
	if o := sweep("--name", "two", "--seeds", "2"); o.Code != program.OK {
		t.Fatalf("exit %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	refused(program.Call(t, dir, environ, "table", "main"), "env corridor has changed: finetuning-corridor")
	program.Must(t, dir, environ, "table", "main", "--mix")
	o = sweep("--name", "three", "--seeds", "1..2")
	if status := program.Must(t, dir, environ, "sweep", "status", "three", "--json"); o.Code != program.OK || strings.Count(status.Stdout, `"reused": true`) != 1 {
		t.Errorf("exit %d, of two runs one has this state:\n%s%s", o.Code, status.Stdout, o.Stderr)
	}
}
