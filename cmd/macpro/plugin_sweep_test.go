package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	examples, environ, dir := copied(t), private(t), t.TempDir()
	corridor := filepath.Join(examples, "corridor")
	build(t, corridor, "corridor")
	flags := words("--alg finetuning --env corridor --profile smoke --quiet --set steps_per_task=150 --set test_interval=75 --set test_nepisode=2 --plugin-dir " + examples)
	sweep := func(args ...string) outcome {
		return macpro(t, dir, environ, append(append([]string{"sweep"}, flags...), args...)...)
	}
	refused := func(o outcome, says string) {
		t.Helper()
		if o.code == exitOK || !strings.Contains(o.stderr, says) {
			t.Errorf("exit %d, want %q:\n%s%s", o.code, says, o.stdout, o.stderr)
		}
	}
	refused(sweep("--name", "one"), "has not been accepted")
	must(t, dir, environ, "plugin", "accept", corridor)
	if o := sweep("--name", "one", "--seeds", "1..2"); o.code != exitOK {
		t.Fatalf("exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := must(t, dir, environ, "list", "tasks", "--env", "corridor", "--plugin-dir", examples); !strings.Contains(o.stdout, "sequence train: right, left") {
		t.Errorf("the tasks of a plugin are not listed: %s", o.stdout)
	}
	must(t, dir, environ, "table", "main", "--sweep", "one", "--env", "corridor")

	// What is gone is made again, without --plugin-dir.
	forget(t, dir, "results/runs/*-s2-*", "results/sweeps/one/cells/*/cell.json")
	must(t, dir, environ, "sweep", "resume", "one", "--quiet")

	// The tasks of a job array find the plugin as well.
	slurm := t.TempDir()
	if err := os.WriteFile(filepath.Join(slurm, "sbatch"), []byte(fakeSbatch), 0o755); err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + slurm + ":" + os.Getenv("PATH")
	o := macpro(t, dir, append(environ, path), append(append([]string{"sweep"}, flags...), "--name", "array", "--seeds", "3", "--executor", "slurm")...)
	if status := must(t, dir, environ, "sweep", "status", "array"); !strings.Contains(status.stdout, "1 done") {
		t.Errorf("Slurm's cell: %s\n%s", status.stdout, o.stderr)
	}

	// Another state of the plugin.
	forget(t, dir, "results/runs/*-s2-*", "results/sweeps/one/cells/*/cell.json")
	if err := os.WriteFile(filepath.Join(corridor, "notes.txt"), []byte("another state"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(macpro(t, dir, environ, "sweep", "resume", "one", "--quiet"), "has changed since it was accepted")
	must(t, dir, environ, "plugin", "accept", corridor)
	refused(macpro(t, dir, environ, "sweep", "resume", "one", "--quiet"), "(plugins.sha256)")
	if o := sweep("--name", "two", "--seeds", "2"); o.code != exitOK {
		t.Fatalf("exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	refused(macpro(t, dir, environ, "table", "main"), "env corridor has changed: finetuning-corridor")
	must(t, dir, environ, "table", "main", "--mix")
	o = sweep("--name", "three", "--seeds", "1..2")
	if status := must(t, dir, environ, "sweep", "status", "three", "--json"); o.code != exitOK || strings.Count(status.stdout, `"reused": true`) != 1 {
		t.Errorf("exit %d, of two runs one has this state:\n%s%s", o.code, status.stdout, o.stderr)
	}
}

// forget removes files of the results.
func forget(t *testing.T, dir string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.Join(dir, p))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", p, files, err)
		}
		for _, f := range files {
			if err := os.RemoveAll(f); err != nil {
				t.Fatal(err)
			}
		}
	}
}
