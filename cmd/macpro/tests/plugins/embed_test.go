package plugins_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
)

// A Go program trains, tests and prints a table; what it leaves behind is what the
// command line leaves and reads.
func TestEmbeddedExperiment(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	examples, environ, dir := copied(t), program.Private(t), t.TempDir()
	folder := filepath.Join(examples, "embed")
	build(t, folder, "embed")
	cmd := exec.Command(filepath.Join(folder, "embed"), "results")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	printed, err := cmd.Output()
	if err != nil || !strings.Contains(string(printed), "| Finetuning |") {
		t.Fatalf("the program printed\n%s%v", printed, err)
	}
	if table := program.Must(t, dir, environ, strings.Fields("table generalization --format md")...); table.Stdout != string(printed) {
		t.Errorf("the program printed\n%s\nmacpro prints\n%s", printed, table.Stdout)
	}
	want := program.OnlyRun(t, dir)
	again := t.TempDir()
	program.Must(t, again, environ, strings.Fields("run --env lbf --alg finetuning --profile smoke --seed 3 --quiet --set steps_per_task=200 --set test_nepisode=2")...)
	got := program.OnlyRun(t, again)
	a, err := want.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := got.Digest(); err != nil || a != b || got.Manifest.ConfigHash != want.Manifest.ConfigHash {
		t.Errorf("the program's journal is %s, the command line's %s, %v", a, b, err)
	}
}
