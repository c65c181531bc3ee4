package plugins_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
)

// build compiles a plugin in its folder.
func build(t *testing.T, dir, name string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-mod=mod", "-ldflags=-s -w", "-o", name, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// Every skeleton in Go builds, and passes its own test and the suite.
func TestSkeletons(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds four programs")
	}
	repo, environ := program.Repository(t), program.Private(t)
	sum, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"env", "method", "learner", "ablation"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			program.Must(t, dir, environ, "plugin", "new", kind, "my_"+kind, "--source", repo)
			folder := filepath.Join(dir, "my_"+kind)
			if err := os.WriteFile(filepath.Join(folder, "go.sum"), sum, 0o644); err != nil {
				t.Fatal(err)
			}
			build(t, folder, "my_"+kind)
			program.Must(t, folder, environ, "plugin", "check", ".", "--write")
			cmd := exec.Command("go", "test", "-mod=mod", "-ldflags=-s -w", ".")
			cmd.Dir = folder
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			if out, err := exec.Command("gofmt", "-l", folder).Output(); err != nil || len(out) > 0 {
				t.Errorf("gofmt would change %s (%v)", out, err)
			}
		})
	}
}

// External plugins of all kinds make a run together; it is recorded with their
// hashes and tested again without being told where they are.
func TestExternalRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds four programs")
	}
	examples, environ, dir := copied(t), program.Private(t), t.TempDir()
	flags := strings.Fields("--alg anchor --learner wvdn --ablation halfbatch --profile smoke --seed 3 --quiet --set steps_per_task=300 --set test_interval=150")
	for _, name := range []string{"corridor", "anchor", "wvdn", "halfbatch"} {
		build(t, filepath.Join(examples, name), name)
		program.Must(t, dir, environ, "plugin", "check", filepath.Join(examples, name))
		flags = append(flags, "--env-plugin", filepath.Join(examples, name))
	}
	program.Must(t, dir, environ, append([]string{"run"}, flags...)...)
	runs, err := filepath.Glob(filepath.Join(dir, "results/runs/*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, %v", runs, err)
	}
	data, err := os.ReadFile(filepath.Join(runs[0], "manifest.json"))
	if err != nil || strings.Count(string(data), `"hash"`) != 4 {
		t.Errorf("the record names no hash of each plugin: %v\n%s", err, data)
	}
	program.Must(t, dir, environ, "eval", runs[0], "--episodes", "2")
	moved := filepath.Join(examples, "moved")
	if err := os.Rename(filepath.Join(examples, "corridor"), moved); err != nil {
		t.Fatal(err)
	}
	if o := program.Call(t, dir, environ, "eval", runs[0], "--episodes", "2"); o.Code != program.Usage || !strings.Contains(o.Stderr, "if it has moved, name its place by --env-plugin") {
		t.Errorf("a plugin that has moved: exit %d, %s", o.Code, o.Stderr)
	}
	program.Must(t, dir, environ, "eval", runs[0], "--episodes", "2", "--env-plugin", moved)
	if err := os.Rename(moved, filepath.Join(examples, "corridor")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(examples, "anchor/notes.txt"), []byte("another state"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := program.Call(t, dir, environ, "eval", runs[0], "--episodes", "2")
	if o.Code == program.OK || !strings.Contains(o.Stderr, "another state of the plugins") {
		t.Errorf("a plugin with other files tests a run: exit %d, %s", o.Code, o.Stderr)
	}
}

// A method that a user has written, in a process of its own, makes the networks
// of the built-in one bit for bit: A-GEM, which edits every gradient after it has
// asked for another one.
func TestExternalMethodHasTheBitsOfTheBuiltIn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	examples, environ := copied(t), program.Private(t)
	folder := filepath.Join(examples, "agem")
	build(t, folder, "agem")
	run := func(flags string) []byte {
		dir := t.TempDir()
		program.Must(t, dir, environ, append(strings.Fields("run --env lbf --profile smoke --seed 3 --threads 1 --quiet --set steps_per_task=400"+
			" --set test_interval=300 --set test_nepisode=2 --set batch_size=4 "+flags), "--env-plugin", folder)...)
		runs, err := filepath.Glob(filepath.Join(dir, "results/runs/*"))
		if err != nil || len(runs) != 1 {
			t.Fatalf("%v, %v", runs, err)
		}
		return program.LastCheckpoint(t, runs[0])["learner"]
	}
	built := run("--alg agem --set agem_batch=4 --set memory_size=30")
	if plain := run("--alg finetuning"); bytes.Equal(built, plain) {
		t.Fatal("A-GEM changes nothing here")
	}
	if !bytes.Equal(built, run("--alg my_agem --set my_agem_batch=4 --set my_agem_memory=30")) {
		t.Error("the learner differs from that of the built-in method")
	}
}

// copied is a copy of the examples, for builds that leave nothing behind.
func copied(t *testing.T) string {
	t.Helper()
	dir, repo := filepath.Join(t.TempDir(), "examples"), program.Repository(t)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(repo, "examples"))); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(strings.Replace(string(mod), "=> ../", "=> "+repo, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
