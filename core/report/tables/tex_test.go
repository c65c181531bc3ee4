package tables

import (
	"bytes"
	"macpro/core/report/format"
	"macpro/core/report/internal/study"
	"macpro/core/report/read"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Every table compiles in a document that loads booktabs and graphicx and nothing
// else, and none is wider than a line.
func TestTeXCompiles(t *testing.T) {
	latex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("there is no pdflatex on this machine")
	}
	var doc bytes.Buffer
	doc.WriteString("\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n")
	for _, kind := range study.Library(t).Kinds() {
		if kind == "sensitivity" || kind == "configurations" {
			continue // which want other runs, below
		}
		for _, stats := range []string{format.StatsMean, format.StatsIQM} {
			set := broad()
			switch kind {
			case "plasticity":
				set = repeated()
			case "boundaries":
				set = untold()
			}
			if err := format.Write(&doc, "tex", build(t, kind, set, Options{Stats: stats})); err != nil {
				t.Fatal(err)
			}
		}
	}
	set := &read.Set{}
	for seed, tasks := range []string{"[a]", "[a, b]"} {
		set.Runs = append(set.Runs, study.With(study.Made("macpro", "pp", int64(seed), map[string][]float64{"ctde": {0.5, 0.5}, "oracle": {1, 1}, "random": {0, 0}}), "tasks", tasks))
	}
	if err := format.Write(&doc, "tex", build(t, "sensitivity", set, Options{Keys: []string{"tasks"}})); err != nil {
		t.Fatal(err)
	}
	if err := format.Write(&doc, "tex", build(t, "configurations", grid(), Options{})); err != nil {
		t.Fatal(err)
	}
	odd := build(t, "main", study.Small(), Options{})
	odd[0].Title = `a_b & 5 % of $x$ {y} #1 ~ ^ \z <>`
	if err := format.Write(&doc, "tex", odd); err != nil {
		t.Fatal(err)
	}
	doc.WriteString("\\end{document}\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.tex"), doc.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "t.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out[max(0, len(out)-1500):])
	}
	if at := bytes.Index(out, []byte("Overfull \\hbox")); at >= 0 {
		t.Errorf("a table is wider than the line: %s", out[at:min(len(out), at+200)])
	}
}

// broad is a study that gives every table but sensitivity, with methods of long names.
func broad() *read.Set {
	set := study.Full()
	s := study.With(study.Made("finetuning", "lbf", 1, map[string][]float64{"single": {0.5}}), "tasks", "task1")
	s.Tasks = []string{"task1"}
	set.Runs = append(set.Runs, s)
	more := study.Made("a_further_method_with_a_long_name", "lbf", 1, map[string][]float64{"single": {0, 0.1, 0.2, 0.3, 1}})
	set.Runs = append(set.Runs, more)
	return set
}
