package sweeps_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/conform/exe"
	"macpro/core/store"
	"macpro/core/sweep"
)

// noteSbatch notes the arguments of every submission and what of the environment
// its script would hand to the cells.
const noteSbatch = `#!/bin/sh
for script; do :; done
case "$script" in --wrap=*) exit 0;; esac
echo "$@" >> "$NOTES"
echo 7
`

const noSqueue = "#!/bin/sh\n"

// A sweep goes on as it was started; flags of resume change that and are told.
func TestResumeKeepsHowASweepWasRun(t *testing.T) {
	t.Parallel()
	dir, bin := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"sbatch": noteSbatch, "squeue": noSqueue} {
		exe.Write(t, filepath.Join(bin, name), []byte(text), 0o755)
	}
	notes := filepath.Join(dir, "notes")
	environ := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "NOTES=" + notes, "SC2PATH=/games/sc2", "TOKEN=secret"}
	call := func(line string, want ...string) {
		t.Helper()
		got := program.Call(t, dir, environ, strings.Fields(line)...)
		if got.Code != program.OK {
			t.Fatalf("%s: %+v", line, got)
		}
		for _, w := range want {
			if !strings.Contains(got.Stderr, w) {
				t.Errorf("%s: no %q in\n%s", line, w, got.Stderr)
			}
		}
		if told := strings.Contains(got.Stderr, "for this call:"); told != (len(want) > 0) {
			t.Errorf("%s: %s", line, got.Stderr)
		}
	}
	call("sweep --alg finetuning --env lbf --profile smoke --seeds 1..4 --name s --executor slurm --sbatch=--partition=long --sbatch=--mem=4G --throttle 2 --pack 1 --env-var DATA=/data/x --env-var TOKEN")
	call("sweep resume s")
	call("sweep resume s --throttle 2") // as it was
	call("sweep resume s --pack 4 --sbatch=--partition=short", "for this call: --pack 4 instead of 1", "--sbatch [--partition=short] instead of [--partition=long --mem=4G]")
	call("sweep resume s")
	data, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	var how []string
	for line := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
		var own []string
		for _, w := range strings.Fields(line) {
			if strings.HasPrefix(w, "--array") || strings.HasPrefix(w, "--mem") || strings.HasPrefix(w, "--partition") {
				own = append(own, w)
			}
		}
		how = append(how, strings.Join(own, " "))
	}
	first := "--array=0-3%2 --partition=long --mem=4G"
	if want := []string{first, first, first, "--array=0-0%2 --partition=short", first}; !slices.Equal(how, want) {
		t.Errorf("submissions: %q, want %q", how, want)
	}
	var plan struct {
		Environ map[string]string
		Jobs    int
	}
	read := func(name string) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, "results/sweeps", name, "sweep.json"))
		if err == nil {
			err = json.Unmarshal(data, &plan)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read("s")
	if plan.Environ["SC2PATH"] != "/games/sc2" || plan.Environ["DATA"] != "/data/x" || plan.Environ["TOKEN"] != "secret" || plan.Environ["NOTES"] != "" {
		t.Errorf("the environment that is kept: %v", plan.Environ)
	}
	for flag, want := range map[string]string{
		"--env-var NOSUCH":      "there is no such variable here",
		"--env-var MACPRO_LR=1": "keys of cells are set by --set",
		"--env-var =1":          "want NAME or NAME=VALUE",
		"--jobs 0":              "--jobs 0: want at least 1",
		"--throttle -1":         "--throttle -1: want at least 0",
	} {
		if got := program.Call(t, dir, environ, append(strings.Fields("sweep resume s"), strings.Fields(flag)...)...); got.Code != program.Usage || !strings.Contains(got.Stderr, want) {
			t.Errorf("%s: %+v", flag, got)
		}
	}
}

// Cells that have failed are tried again, left alone, or all that is tried.
func TestResumePicksCells(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	call := func(line string, code int) {
		t.Helper()
		if got := program.Call(t, dir, nil, strings.Fields(line)...); got.Code != code {
			t.Errorf("%s: %+v", line, got)
		}
	}
	call("sweep --alg finetuning --env lbf --profile smoke --set steps_per_task=60 --set test_nepisode=2 --grid lr=0.0005,0.001 --seeds 1..2 --name b --jobs 1 --quiet", program.OK)
	s, err := sweep.Open(store.OS(), filepath.Join(dir, "results"), "b")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cells { // whose lr cannot be read fails
		if slices.Contains(c.Sets, "lr=0.0005") {
			if err := os.WriteFile(s.Path("cells", c.ID, "config.yaml"), []byte("env: lbf\nlr: x\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	attempts := func() (failed, good int) {
		t.Helper()
		var s struct {
			Cells []struct {
				Sets  []string
				State struct{ Attempts int }
			}
		}
		got := program.Call(t, dir, nil, strings.Fields("sweep status b --json")...)
		if err := json.Unmarshal([]byte(got.Stdout), &s); err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Cells {
			if slices.Contains(c.Sets, "lr=0.0005") {
				failed += c.State.Attempts
			} else {
				good += c.State.Attempts
			}
		}
		return failed, good
	}
	program.Forget(t, dir, "results/runs/*", "results/sweeps/b/cells/*/cell.json")
	for _, c := range []struct {
		line         string
		failed, good int
		code         int
	}{
		{"sweep resume b --quiet", 2, 2, program.Failure},
		{"sweep resume b --quiet --skip-failed", 2, 2, program.Failure},
		{"sweep resume b --quiet --only-failed", 4, 2, program.Failure},
		{"sweep resume b --quiet --only-failed --skip-failed", 4, 2, program.Usage},
	} {
		call(c.line, c.code)
		if failed, good := attempts(); failed != c.failed || good != c.good {
			t.Errorf("%s: %d attempts of what fails and %d of others, want %+v", c.line, failed, good, c)
		}
	}
	program.Forget(t, dir, "results/runs/*", "results/sweeps/b/cells/*/cell.json")
	call("sweep resume b --quiet --only-failed", program.Failure) // nothing has failed, and nothing is done
	if failed, good := attempts(); failed+good > 0 {
		t.Errorf("%d and %d attempts of cells that have not failed", failed, good)
	}
}
