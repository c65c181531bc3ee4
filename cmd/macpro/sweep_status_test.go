package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"macpro/core/store"
	"macpro/core/sweep"
)

// Nothing that comes from files, plugins or programs reaches the terminal as it is.
func TestSweepsPrintNoEscapeCodes(t *testing.T) {
	const code = "\x1b[31m\u202e"
	var cells []sweep.Resolved
	for i := range 2 {
		cells = append(cells, sweep.Resolved{Cell: sweep.Cell{
			ID: fmt.Sprintf("%012d", i), GroupHash: fmt.Sprint(i), Alg: "a" + code, Env: "e" + code, Learner: "l" + code, Ablation: "b" + code, Steps: 1000,
			Sets: []string{fmt.Sprintf("tasks=[%s%d]", code, i), "note=" + code},
		}})
	}
	p := sweep.Plan{ID: "x", Profile: code, Execution: sweep.Execution{Executor: "local" + code}, Search: sweep.Search{Strategy: "asha", Eta: 2, First: 10}}
	s, err := sweep.Create(store.OS(), t.TempDir(), p, cells, nil)
	if err != nil {
		t.Fatal(err)
	}
	state := `{"status": "failed", "run": "r\u001b", "error": "no\u001b[31m", "tail": ["said\u001b]0;x\u0007"]}`
	if err := store.WriteFile(s.FS, s.Path("cells", s.Cells[0].ID, "cell.json"), []byte(state)); err != nil {
		t.Fatal(err)
	}
	if s, err = sweep.Open(store.OS(), s.Root, "x"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	v := newSweepView(&out, false)
	v.begin(s)
	v.Started(s.Cells[0])
	v.Warn(s.Cells[0], "said "+code)
	v.Ended(s.Cells[0], s.State(s.Cells[0]))
	v.say("%s\n", code)
	err = printStates(&out, s, true)
	if err == nil {
		err = printCells(&out, cells)
	}
	if err == nil {
		err = printTable(&out, 1, newBest(s).table(nil, "auc", 9))
	}
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, bestCommand(s.Cells[0]), sweep.ResumeCommand(s.ID, s.Root), leftOut(map[string]int{"k": 1}))
	if text := out.String(); strings.ContainsAny(text, "\x1b\x07\u202e") || strings.Count(text, `\x1b[31m`) < 8 {
		t.Errorf("printed: %q", text)
	}
	if err := sweep.CheckName("a" + code); err == nil {
		t.Error("a sweep has a name that no screen shows")
	}
}

// A cell is called by what tells it from the others, and its state says how far it
// is.
func TestStatusNamesSettings(t *testing.T) {
	var cells []sweep.Resolved
	for i, lr := range []string{"0.1", "0.2"} {
		cells = append(cells, sweep.Resolved{Cell: sweep.Cell{ID: fmt.Sprintf("%012d", i), Alg: "ewc", Env: "lbf", Learner: "qmix", Seed: 3, Steps: 1000,
			Sets: []string{"alg=ewc", "lr=" + lr, "seed=3"}}})
	}
	s, err := sweep.Create(store.OS(), t.TempDir(), sweep.Plan{ID: "x", Execution: sweep.Execution{Executor: "local"}}, cells, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		s.Path("cells", s.Cells[0].ID, "cell.json"): `{"status": "interrupted", "run": "r"}`,
		s.Root + "/runs/r/journal.jsonl":            `{"event":"test","t_env":250,"episode":9,"task":"a","index":0,"mode":"single","score":1,"wall_s":1}` + "\n",
	} {
		if err := store.WriteFile(s.FS, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := printStates(&out, s, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"interrupted 25 %  ewc lbf qmix lr=0.1 s3 000000", "pending           ewc lbf qmix lr=0.2 s3 000000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
