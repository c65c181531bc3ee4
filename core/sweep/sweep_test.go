package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macpro/core/store"
)

// fake resolves settings without plugins: the configuration is their text.
func fake(sets []string) (Resolved, error) {
	text := strings.Join(sets, "\n")
	if strings.Contains(text, "lr=x") {
		return Resolved{}, errors.New("lr is no number")
	}
	group := text[:strings.LastIndex(text, "seed=")]
	r := Resolved{Config: []byte(text)}
	r.ConfigHash, r.GroupHash = fmt.Sprintf("%064x", text), fmt.Sprintf("%x", group)
	r.ConfigHash = fmt.Sprintf("%012x", hash(text)) + r.ConfigHash[:52]
	r.Steps = 1000
	return r, nil
}

func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(s) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h % (1 << 48)
}

func makeSweep(t *testing.T, search Search, points [][]string, seeds ...int64) *Sweep {
	t.Helper()
	cells, _, err := Resolve(points, seeds, planner)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Create(store.OS(), t.TempDir(), Plan{ID: "x", Execution: Execution{Executor: "local"}, Search: search}, cells, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCellsAreConfigurations(t *testing.T) {
	cells, _, err := Resolve([][]string{{"lr=1"}, {"lr=2"}, {"lr=1"}}, []int64{1, 2}, planner)
	if err != nil || len(cells) != 4 {
		t.Errorf("%d cells, want 4: %v", len(cells), err)
	}
	if _, _, err := Resolve([][]string{{"lr=x"}, {"lr=2"}}, []int64{1, 2}, planner); err == nil || strings.Count(err.Error(), "lr is no number") != 1 {
		t.Errorf("a cell that cannot run: %v", err)
	}
	_, _, err = Resolve([][]string{{"lr=x"}, {"lr=x", "a=1"}, {"lr=x", "a=2"}}, []int64{1}, planner)
	if err == nil || strings.Count(err.Error(), "lr is no number") != 1 || !strings.Contains(err.Error(), "(and the same in 2 more)") {
		t.Errorf("one problem of three cells: %v", err)
	}
}

// planner is a Planner without plugins.
var planner = Planner{Resolve: fake, Foreign: ownKeys}

// ownKeys knows no keys of other plugins.
func ownKeys([]string) map[string]string { return nil }

// A key that some plugins do not have is left out of their cells, which become
// one; if nobody has it, nothing runs.
func TestKeysOfSomePlugins(t *testing.T) {
	ofB := func(sets []string) map[string]string {
		if slices.Contains(sets, "alg=b") {
			return nil
		}
		return map[string]string{"b": "method b"}
	}
	points := [][]string{{"alg=a", "b=1"}, {"alg=a", "b=2"}, {"alg=b", "b=1"}, {"alg=b", "b=2"}}
	cells, left, err := Resolve(points, []int64{1, 2}, Planner{Resolve: fake, Foreign: ofB})
	if err != nil || len(cells) != 6 || left["b"] != 2 || len(left) != 1 {
		t.Fatalf("%d cells, want 6; left out %v, want b twice; %v", len(cells), left, err)
	}
	if slices.Contains(cells[0].Sets, "b=1") || !slices.Contains(cells[2].Sets, "b=1") {
		t.Errorf("cells with %v and %v", cells[0].Sets, cells[2].Sets)
	}
	if _, _, err := Resolve(points[:2], []int64{1}, Planner{Resolve: fake, Foreign: ofB}); err == nil || !strings.Contains(err.Error(), `no cell of the sweep has the key "b": it is a key of method b`) {
		t.Errorf("a key of nobody: %v", err)
	}
}

func TestFolderOfASweep(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1, 2)
	again, err := Find(s.FS, s.Root, "x")
	if err != nil || len(again.Cells) != 2 || again.Cells[1].ConfigHash != s.Cells[1].ConfigHash {
		t.Fatalf("%v %v", again, err)
	}
	var exists *ExistsError
	if _, err := Create(s.FS, s.Root, Plan{ID: "x"}, nil, nil); !errors.As(err, &exists) || !strings.Contains(err.Error(), "sweep resume x") {
		t.Errorf("a second sweep of one name: %v", err)
	}
	for _, bad := range []string{"", "a/b", "..", "a b"} {
		if _, err := Create(s.FS, s.Root, Plan{ID: bad}, nil, nil); err == nil {
			t.Errorf("a sweep was named %q", bad)
		}
	}
	if _, err := Find(s.FS, s.Root, "xx"); err == nil || !strings.Contains(err.Error(), `did you mean "x"`) {
		t.Errorf("%v", err)
	}
	if err := os.MkdirAll(filepath.Join(s.Root, "sweeps", "foreign"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Root, "sweeps", "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ids, warnings, err := List(s.FS, s.Root)
	if err != nil || !slices.Equal(ids, []string{"x"}) || len(warnings) != 2 {
		t.Errorf("%v, %v, %v", ids, warnings, err)
	}
	if err := os.WriteFile(s.Path("sweep.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s.FS, s.Root, "x"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged plan: %v", err)
	}
}

func TestStatesOutliveTheirWriter(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1, 2, 3)
	c := s.Cells[0]
	lock, err := s.lock(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.put(c, State{Status: Running, Attempts: 1}); err != nil {
		t.Fatal(err)
	}
	if st := s.State(c); st.Status != Running {
		t.Errorf("a cell in work is %s", st.Status)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if st := s.State(c); st.Status != Interrupted || !strings.Contains(st.Error, "ended without a word") {
		t.Errorf("a cell whose worker died is %s: %s", st.Status, st.Error)
	}
	if err := os.WriteFile(s.cellPath(s.Cells[1], "cell.json"), []byte(`{"status": "do`), 0o644); err != nil {
		t.Fatal(err)
	}
	if st := s.State(s.Cells[1]); st.Status != Pending {
		t.Errorf("a cell with half a state is %s", st.Status)
	}
	if err := s.Unfinished(); err == nil || !strings.Contains(err.Error(), "2 pending, 1 interrupted") {
		t.Errorf("%v", err)
	}
	if err := s.Cancel(); err != nil || !s.Cancelled() {
		t.Errorf("not cancelled: %v", err)
	}
	if err := errors.Join(s.Revive(), s.Revive()); err != nil || s.Cancelled() {
		t.Errorf("still cancelled: %v", err)
	}
}

// A done cell whose run was deleted is made again.
func TestForgetLostRuns(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	if err := s.put(s.Cells[0], State{Status: Done, Run: "gone"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Forget(NewRuns(s.FS, s.Root)); err != nil {
		t.Fatal(err)
	}
	if st := s.State(s.Cells[0]); st.Status != Pending {
		t.Errorf("the cell is %s", st.Status)
	}
}

func TestSlurmPacking(t *testing.T) {
	s := &Sweep{}
	cells := []*Cell{{ID: "a", Steps: 60_000}, {ID: "b", Steps: 60_000}, {ID: "c", Steps: 1}, {ID: "d", Steps: 900_000}, {ID: "e", Steps: 5}}
	if got := fmt.Sprint((Slurm{}).chunks(s, cells)); got != "[[a b] [c d] [e]]" {
		t.Errorf("by steps: %s", got)
	}
	if got := fmt.Sprint((Slurm{Pack: 3}).chunks(s, cells)); got != "[[a b c] [d e]]" {
		t.Errorf("by number: %s", got)
	}
}

func TestSlurmIsMissingOrRefuses(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	x := Slurm{Command: []string{"macpro"}, Log: t.Logf}
	t.Setenv("PATH", t.TempDir())
	if err := x.Execute(t.Context(), s); err == nil || !strings.Contains(err.Error(), "sbatch is not on this machine") {
		t.Errorf("without sbatch: %v", err)
	}
	program(t, "sbatch", "echo invalid partition specified: long >&2\nexit 1\n")
	if err := x.Execute(t.Context(), s); err == nil || !strings.Contains(err.Error(), "sbatch refused (exit status 1): invalid partition specified: long") {
		t.Errorf("a refusing sbatch: %v", err)
	}
	if st := s.State(s.Cells[0]); st.Status != Pending {
		t.Errorf("the cell is %s", st.Status)
	}
	if got := quote([]string{"a b", "it's"}); got != `'a b' 'it'\''s'` {
		t.Errorf("quoted: %s", got)
	}
}

// What all cells set is written once. Plans of other formats are refused.
func TestPlans(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"a=1", "lr=1"}, {"a=1", "lr=2"}}, 1, 2)
	if data, err := os.ReadFile(s.Path("sweep.json")); err != nil || strings.Count(string(data), "a=1") != 1 {
		t.Errorf("%s %v", data, err)
	}
	again, err := Open(s.FS, s.Root, "x")
	if err != nil {
		t.Fatal(err)
	}
	last := again.Cells[len(again.Cells)-1]
	if !slices.Contains(last.Sets, "a=1") || !slices.Contains(last.Sets, "lr=2") || fmt.Sprint(again.Varied(last)) != "[lr=2]" {
		t.Errorf("%v, varied %v", last.Sets, again.Varied(last))
	}
	if err := os.WriteFile(s.Path("sweep.json"), []byte(`{"format": 99, "id": "x"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s.FS, s.Root, "x"); err == nil || !strings.Contains(err.Error(), "in format 2") {
		t.Errorf("a plan of another format: %v", err)
	}
}
