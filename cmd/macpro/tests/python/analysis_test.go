package python_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
)

// pandas is a Python with pandas; the test is skipped without one.
func pandas(t *testing.T) string {
	t.Helper()
	python := "/usr/bin/python3"
	if exec.Command(python, "-c", "import pandas").Run() != nil {
		t.Skip("no Python with pandas here (Debian: python3-pandas)")
	}
	return python
}

// The script and the notebook of examples/analysis read what macpro data writes.
func TestAnalysisExamples(t *testing.T) {
	t.Parallel()
	python, dir := pandas(t), t.TempDir()
	for _, args := range []string{
		"sweep --alg finetuning --env lbf --profile smoke --quiet --set steps_per_task=300 --set batch_size=4 --set test_nepisode=2 --seeds 1..2 --name s",
		"data s -o x.csv",
	} {
		if out := program.Call(t, dir, nil, strings.Fields(args)...); out.Code != 0 {
			t.Fatalf("%s: %s", args, out.Stderr)
		}
	}
	folder := filepath.Join(program.Repository(t), "examples", "analysis")
	table, err := os.ReadFile(filepath.Join(dir, "x.csv"))
	if err != nil {
		t.Fatal(err)
	}
	// The same table with scores made by hand.
	head, _, _ := strings.Cut(string(table), "\n")
	made := []string{head}
	for seed, x := range map[string]string{"1": "0.25", "2": "0.75"} {
		made = append(made, "r"+seed+","+seed+",finetuning,none,lbf,qmix,smoke,,,single,true,600,final_average,"+x)
		for task, score := range map[string]string{"a": x, "b": "1"} {
			made = append(made, "r"+seed+","+seed+",finetuning,none,lbf,qmix,smoke,,"+task+",single,true,600,score,"+score)
		}
		made = append(made, "r"+seed+","+seed+",finetuning,none,lbf,qmix,smoke,,c,single,false,600,score,0")
	}
	if err := os.WriteFile(filepath.Join(dir, "made.csv"), []byte(strings.Join(made, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]string{
		"x.csv":    {"finetuning"},
		"made.csv": {"0.5  0.25      2", "0.625  0.875"}, // mean, standard deviation, seeds; the curve's end by seed
	} {
		out, err := exec.Command(python, filepath.Join(folder, "curves.py"), filepath.Join(dir, file)).CombinedOutput()
		for _, text := range want {
			if err != nil || !strings.Contains(string(out), text) {
				t.Errorf("%s: %v, want %q in\n%s", file, err, text, out)
			}
		}
	}
	if out, err := notebook(t, python, dir, filepath.Join(folder, "curves.ipynb")); err != nil || !strings.Contains(out, "finetuning") {
		t.Errorf("the notebook: %v\n%s", err, out)
	}
}

// notebook runs the code cells of a notebook in a folder and prints the value of
// the last line of each.
func notebook(t *testing.T, python, dir, file string) (string, error) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var book struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source []string
		}
	}
	if err := json.Unmarshal(data, &book); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, c := range book.Cells {
		if c.Type != "code" {
			continue
		}
		last := len(c.Source) - 1
		script.WriteString(strings.Join(c.Source[:last], "") + "\nprint(" + c.Source[last] + ")\n")
	}
	cmd := exec.Command(python, "-c", script.String())
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
