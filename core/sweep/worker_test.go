package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"macpro/core/record"
	"macpro/core/store"
)

// The process of a worker that was killed is still saving its state when the
// sweep goes on: the cell waits for it instead of being given up.
func TestCellWaitsForAnOrphan(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	c := s.Cells[0]
	if err := s.put(c, State{Status: Running, Attempts: 1}); err != nil {
		t.Fatal(err)
	}
	run, err := store.Create(s.FS, s.Root, store.Manifest{Alg: "a", Env: "e", Learner: "l", ConfigHash: c.ConfigHash, EnvHash: c.EnvHash}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		time.Sleep(2 * pollEvery)
		ended <- run.Finish(record.Result{})
	}()
	w := &Worker{Sweep: s, Command: []string{"false"}, runs: NewRuns(s.FS, s.Root), Watch: &watcher{}}
	if st := w.work(t.Context(), job{cell: c}, s.stored(c)); st.Status != Done || st.Run != run.ID() {
		t.Errorf("the cell is %s: %s", st.Status, st.Error)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// Who looks at a sweep finds the run of a cell that goes on, and how far it is.
func TestRunningCellsNameTheirRun(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	c := s.Cells[0]
	w := &Worker{Sweep: s, Command: []string{"/bin/sh", "-c", "exec sleep 1000", "macpro"}, runs: NewRuns(s.FS, s.Root), Watch: &watcher{}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan State)
	go func() { ended <- w.cell(ctx, job{cell: c}) }()
	for s.stored(c).Status != Running {
		time.Sleep(10 * time.Millisecond)
	}
	run, err := store.Create(s.FS, s.Root, store.Manifest{Alg: "a", Env: "e", Learner: "l", ConfigHash: c.ConfigHash, EnvHash: c.EnvHash}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); s.State(c).Run != run.ID(); time.Sleep(pollEvery) {
		if time.Now().After(end) {
			t.Errorf("the state of a running cell is %+v", s.State(c))
			break
		}
	}
	if st := s.State(c); st.Status != Running {
		t.Errorf("the cell is %s", st.Status)
	}
	if err := run.Interrupt(); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-ended
}

// endsMeanwhile is a file system on which something happens before a lock is looked at.
type endsMeanwhile struct {
	store.FS
	end func()
}

func (f endsMeanwhile) Locked(name string) (bool, error) {
	f.end()
	return f.FS.Locked(name)
}

// A cell that ends while somebody looks has ended as its worker says. One whose worker
// is gone was interrupted.
func TestCellEndsWhileSomebodyLooks(t *testing.T) {
	for _, end := range []Status{Done, Failed, Running} {
		s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
		c := s.Cells[0]
		lock, err := s.lock(c)
		if err == nil {
			err = s.put(c, State{Status: Running})
		}
		if err != nil {
			t.Fatal(err)
		}
		s.FS = endsMeanwhile{s.FS, func() {
			if err := errors.Join(s.put(c, State{Status: end}), lock.Close()); err != nil {
				t.Error(err)
			}
		}}
		want := map[Status]Status{Done: Done, Failed: Failed, Running: Interrupted}[end]
		if st := s.State(c); st.Status != want {
			t.Errorf("its worker said %s, the cell is %s: %s", end, st.Status, st.Error)
		}
	}
}

// watcher notes what it is told.
type watcher struct {
	mu    sync.Mutex
	warns []string
}

func (w *watcher) Started(*Cell)         {}
func (w *watcher) Progress(*Cell, int64) {}
func (w *watcher) Ended(*Cell, State)    {}
func (w *watcher) Warn(_ *Cell, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.warns = append(w.warns, text)
}

// A run of which something was deleted is neither taken nor gone on with: the cell
// begins again, and says so.
func TestRunsInPartsAreNotUsed(t *testing.T) {
	for kind := range 3 {
		done, evaluated := kind > 0, kind < 2
		for _, part := range []string{"", "config.yaml", "journal.jsonl", "checkpoints", "final.json", "manifest.json"} {
			if part == "final.json" && !done {
				continue
			}
			name := fmt.Sprintf("%q deleted, done %v, evaluated %v", part, done, evaluated)
			s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
			if !evaluated {
				s.Evaluate = []Evaluate{{Name: "e"}}
			}
			c := s.Cells[0]
			run, err := store.Create(s.FS, s.Root, store.Manifest{Alg: "a", Env: "e", Learner: "l", ConfigHash: c.ConfigHash, EnvHash: c.EnvHash}, []byte("x: 1\n"))
			if err != nil {
				t.Fatal(err)
			}
			if done {
				err = run.Finish(record.Result{})
			} else {
				err = run.Interrupt()
			}
			if err != nil {
				t.Fatal(err)
			}
			if part != "" {
				if err := os.RemoveAll(filepath.Join(run.Dir(), part)); err != nil {
					t.Fatal(err)
				}
			}
			calls := filepath.Join(t.TempDir(), "calls")
			watch := &watcher{}
			w := &Worker{Sweep: s, Command: []string{"/bin/sh", "-c", `echo "$1 $2" >> ` + calls, "macpro"}, runs: NewRuns(s.FS, s.Root), Watch: watch}
			w.work(t.Context(), job{cell: c}, s.stored(c))
			called, _ := os.ReadFile(calls)
			whole := part == "" || done && evaluated && part == "checkpoints" // tables do not need networks
			want := map[bool]string{true: "", false: "resume " + run.Dir()}[done]
			if !evaluated {
				want = "eval " + run.Dir()
			}
			if !whole {
				want = "run --config"
			}
			if got := strings.TrimSpace(string(called)); got != want {
				t.Errorf("%s: %q was called, want %q", name, got, want)
			}
			if told := len(watch.warns) > 0; told != (!whole && part != "manifest.json") {
				t.Errorf("%s: warnings %q", name, watch.warns)
			}
		}
	}
}

// A run that was killed before it had saved the networks of another one is left alone,
// so that its cell begins again. With its first checkpoint it goes on.
func TestCellOfAStillbornRunBeginsAgain(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	c := s.Cells[0]
	for _, saved := range []bool{false, true} {
		m := store.Manifest{Alg: "a", Env: "e", Learner: "l", ConfigHash: c.ConfigHash, EnvHash: c.EnvHash, Origin: &store.Origin{How: store.OriginFrom, Run: "other"}}
		run, err := store.Create(s.FS, s.Root, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if saved {
			err = run.SaveCheckpoint(store.Meta{}, func(part store.AddPart) error {
				return part("state", func(io.Writer) error { return nil })
			})
		}
		if err := errors.Join(err, run.Interrupt()); err != nil {
			t.Fatal(err)
		}
		rec := NewRuns(s.FS, s.Root).find(c)
		if got := rec != nil && rec.Manifest.ID == run.ID(); got != saved {
			t.Errorf("saved %v, found %v", saved, got)
		}
	}
}

// A run that was given a longer budget is no longer that of its cell, and who looks is
// told so.
func TestCellOfALengthenedRun(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	c := s.Cells[0]
	for _, hash := range []string{c.ConfigHash, "another"} {
		run, err := store.Create(s.FS, s.Root, store.Manifest{Alg: "a", Env: "e", Learner: "l", ConfigHash: hash, EnvHash: c.EnvHash}, nil)
		if err == nil {
			err = errors.Join(run.Interrupt(), s.put(c, State{Status: Interrupted, Run: run.ID(), Error: "stopped"}))
		}
		if err != nil {
			t.Fatal(err)
		}
		st := s.State(c)
		if hash == c.ConfigHash && (st.Run != run.ID() || st.Error != "stopped") {
			t.Errorf("the cell's own run: %+v", st)
		}
		if hash != c.ConfigHash && (st.Run != "" || !strings.Contains(st.Error, run.ID()+" has another budget by now")) {
			t.Errorf("a lengthened run: %+v", st)
		}
	}
	watch := &watcher{}
	w := &Worker{Sweep: s, Command: []string{"false"}, runs: NewRuns(s.FS, s.Root), Watch: watch}
	if _ = w.work(t.Context(), job{cell: c}, s.stored(c)); len(watch.warns) != 1 || !strings.Contains(watch.warns[0], "another budget") {
		t.Errorf("warnings: %q", watch.warns)
	}
}

// A run of the same configuration that was made with another version of a plugin, or
// with another program for it, is not the cell's. A plan of an older program does not
// know the versions of built-in plugins.
func TestRunsOfOtherPluginsAreNotUsed(t *testing.T) {
	owl := store.PluginVersion{Kind: "method", Name: "owl", Version: "2"}
	maze := store.PluginVersion{Kind: "env", Name: "maze", Version: "1", Hash: "ab"}
	older, other := owl, maze
	older.Version, other.Hash = "1", "cd"
	type list = []store.PluginVersion
	for what, c := range map[string]struct {
		cell, run list
		says      string
	}{
		"the same":        {list{maze, owl}, list{maze, owl}, ""},
		"an older method": {list{maze, owl}, list{maze, older}, "version 1 of method owl, and the sweep has version 2"},
		"another program": {list{maze, owl}, list{other, owl}, "another program for env maze"},
		"an older plan":   {list{maze}, list{maze, older}, ""},
		"a built-in one":  {nil, list{owl}, ""},
		"an outside one":  {nil, list{maze}, "another program for env maze"},
	} {
		s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
		cell := s.Cells[0]
		cell.Plugins = c.cell
		run, err := store.Create(s.FS, s.Root, store.Manifest{Alg: "a", Env: "e", Learner: "l", ConfigHash: cell.ConfigHash, EnvHash: cell.EnvHash,
			Versions: store.Versions{Plugins: c.run}}, []byte("x: 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Finish(record.Result{}); err != nil {
			t.Fatal(err)
		}
		watch := &watcher{}
		w := &Worker{Sweep: s, Command: []string{"false"}, runs: NewRuns(s.FS, s.Root), Watch: watch}
		st := w.work(t.Context(), job{cell: cell}, s.stored(cell))
		if used := st.Status == Done; used != (c.says == "") {
			t.Errorf("%s: the cell is %s", what, st.Status)
		}
		if told := strings.Join(watch.warns, "\n"); !strings.Contains(told, c.says) || (told == "") != (c.says == "") {
			t.Errorf("%s: warnings %q, want %q", what, told, c.says)
		}
	}
}

// A sweep with cells left to do goes on with the versions that it was planned with.
func TestOutdated(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1, 2)
	for _, c := range s.Cells {
		c.Plugins = []store.PluginVersion{{Kind: "method", Name: "owl", Version: "1"}, {Kind: "env", Name: "maze", Version: "1", Hash: "ab"}}
	}
	program := func(owl string) func(kind, name string) string {
		return func(_, name string) string { return map[string]string{"owl": owl, "maze": "7"}[name] }
	}
	for version, says := range map[string]string{"1": "", "": "", "2": "version 1 of method owl, and this program has version 2"} {
		err := s.Outdated(program(version))
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("version %q: %v, want %q", version, err, says)
		}
	}
	for _, ended := range []Status{Done, Pruned, Diverged, Failed} {
		for i, c := range s.Cells {
			if err := s.put(c, State{Status: []Status{Done, ended}[i]}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Outdated(program("2")); (err != nil) != (ended == Failed) {
			t.Errorf("one cell is done, one %s: %v", ended, err)
		}
	}
}
