package terminal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/store"
	"macpro/core/sweep"
)

// What a command prints fits a terminal of 80 columns and holds every word that it
// prints elsewhere. Paths, hashes and commands to be pasted stay whole.
func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stubResults(t, dir)
	private := program.Private(t)
	for _, line := range tableCommands(t, dir, private) {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(line)
			p := program.OnTerminal(t, dir, 80, append(slices.Clone(private), "NO_COLOR=1"), args...)
			code := p.Wait()
			piped := program.Call(t, dir, private, args...)
			shown := p.Raw()
			if code != piped.Code || code != 0 || shown == "" {
				t.Fatalf("exit codes %d and %d: %s", code, piped.Code, shown)
			}
			if bad := program.TooWide(shown, 80); bad != nil {
				t.Errorf("%d lines are too wide:\n%s", len(bad), strings.Join(bad, "\n"))
			}
			have := map[string]bool{}
			for _, w := range plainWords(strings.Join(program.Emulate(shown, 100000), "\n")) {
				have[w] = true
			}
			var lost []string
			for _, w := range plainWords(piped.Stdout) {
				if !have[w] && !moving(line) {
					lost = append(lost, w)
				}
			}
			if lost != nil {
				t.Errorf("%q are lost on the terminal:\n%s", lost, shown)
			}
		})
	}
}

// moving says whether two calls of a command print other numbers.
func moving(line string) bool { return line == "doctor" || strings.Contains(line, "--estimate") }

// plainWords are the words of an output without what only separates them.
func plainWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \r\n\t,:*#│┌┐└┘├┤┬┴┼─", r) })
}

// tableCommands are those that print tables and lists.
func tableCommands(t *testing.T, dir string, private []string) []string {
	t.Helper()
	id := onlyRunOf(t, dir, "macpro")
	lines := []string{"list", "list runs", "docs keys", "doctor", "version", "plugin list", "sweep status", "sweep status s --cells", "sweep status broken",
		"sweep best s", "sweep best broken", "sweep --alg macpro,ewc --env lbf,marines --grid lr=0.001,0.002 --dry-run",
		"sweep --alg finetuning --env lbf --profile smoke --set steps_per_task=200 --set batch_size=4 --set test_nepisode=2 --estimate",
		"eval results/runs/" + id + " --rows --episodes 2", "table metrics --sweep s", "table main --from " + filepath.Join(program.Repository(t), "results", "reduced")}
	for _, name := range []string{"envs", "tasks", "learners", "methods", "ablations", "profiles", "compat", "sweeps", "runs"} {
		lines = append(lines, "list "+name)
	}
	var envs []struct{ Name string }
	if err := json.Unmarshal([]byte(program.Must(t, dir, private, "list", "envs", "--json").Stdout), &envs); err != nil || len(envs) < 5 {
		t.Fatal(envs, err)
	}
	for _, env := range envs {
		lines = append(lines, "list tasks --env "+env.Name, "run --dry-run --env "+env.Name)
	}
	for _, kind := range []string{"main", "ablation", "generalization"} {
		lines = append(lines, "table "+kind+" --stats iqm --from "+filepath.Join(program.Repository(t), "results", "reduced"))
	}
	var help func(verb string)
	help = func(verb string) {
		lines = append(lines, strings.TrimSpace(verb+" --help"))
		text := program.Must(t, dir, private, strings.Fields(verb+" --help")...).Stdout
		_, list, _ := strings.Cut(text, "\nAvailable Commands:\n")
		list, _, _ = strings.Cut(list, "\n\n")
		for line := range strings.Lines(list) {
			if sub := strings.Fields(line)[0]; sub != "help" {
				help(strings.TrimSpace(verb + " " + sub))
			}
		}
	}
	help("")
	return lines
}

// stubResults makes short runs, and a sweep with cells that have failed.
func stubResults(t *testing.T, dir string) {
	t.Helper()
	for _, line := range []string{
		"sweep --alg finetuning,macpro --env lbf --profile smoke --quiet --set steps_per_task=200 --set batch_size=4 --set test_nepisode=2 --seeds 1 --name s",
		"sweep --alg ewc --env lbf --profile smoke --seeds 1..2 --grid lr=0.001,0.002 --grid td_lambda=0.4,0.5 --set steps_per_task=100 --set batch_size=4 --set test_nepisode=2 --name broken --quiet",
	} {
		if out := program.Call(t, dir, nil, strings.Fields(line)...); out.Code != 0 {
			t.Fatalf("%s: %s", line, out.Stderr)
		}
	}
	s, err := sweep.Open(store.OS(), filepath.Join(dir, "results"), "broken")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("something that takes many words went wrong; ", 5)
	for i, text := range []string{
		`{"status": "failed", "error": "` + long + `", "tail": ["` + long + `"]}`,
		`{"status": "diverged", "error": "` + long + `"}`,
		`{"status": "interrupted", "run": "ewc-lbf-qmix-s1-20261128T101500-3f9a07", "error": "killed by signal 9 (killed)"}`,
	} {
		if err := store.WriteFile(s.FS, s.Path("cells", s.Cells[i].ID, "cell.json"), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
}

// onlyRunOf is the id of the run of a method.
func onlyRunOf(t *testing.T, dir, alg string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "results", "runs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), alg+"-") {
			return e.Name()
		}
	}
	t.Fatalf("no run of %s", alg)
	return ""
}
