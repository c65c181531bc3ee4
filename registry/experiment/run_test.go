package experiment_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/record"
	"macpro/core/store"
	_ "macpro/plugins/all"
	"macpro/registry/experiment"
)

// user asks for a run of a few steps, with keys changed.
func user(sets ...string) config.User {
	return config.User{
		Flags: map[string]string{"env": "lbf", "alg": "finetuning", "profile": "smoke"},
		Sets:  append([]string{"steps_per_task=120", "test_nepisode=1"}, sets...),
	}
}

// watch notes what it is told, and calls stop at the first row of training.
type watch struct {
	events []string
	stop   func()
}

func (w *watch) Attached(*store.Run) { w.events = append(w.events, "attached") }

func (w *watch) Event(e core.Event) {
	w.events = append(w.events, e.Kind)
	if e.Kind == "test" && w.stop != nil {
		w.stop()
	}
}

func (w *watch) Progress(continual.Status) {}

func (w *watch) Warn(msg string) { w.events = append(w.events, msg) }

// A run that is cancelled and resumed has the journal of one that was not.
func TestCancelledRunIsResumed(t *testing.T) {
	whole, err := experiment.Run(context.Background(), user(), t.TempDir())
	if err != nil || !whole.Finished || len(whole.Tasks) != 2 {
		t.Fatalf("%+v, %v", whole, err)
	}
	x, err := experiment.Resolve(user())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &watch{stop: cancel}
	s, err := x.Open(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Play(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled run ended with %v", err)
	}
	if len(w.events) < 2 || w.events[0] != "attached" || w.events[1] != "task_start" {
		t.Errorf("the watch was told %q", w.events)
	}
	dir := s.Run.Dir()
	if s, rec, err := experiment.Reopen(dir, 0, nil); err != nil || rec.Status != record.Interrupted {
		t.Fatalf("reopened: %v, %v", rec, err)
	} else if c, err := s.Resume(dir); err != nil || c == nil {
		t.Fatalf("resumed from %v, %v", c, err)
	} else if _, err := s.Play(context.Background()); err != nil {
		t.Fatal(err)
	}
	if a, b := digest(t, whole.Dir), digest(t, dir); a != b {
		t.Errorf("the journal is %s, of a whole run %s", b, a)
	}
}

func digest(t *testing.T, dir string) string {
	t.Helper()
	rec, err := store.Load(store.OS(), dir)
	if err != nil || rec.Status != record.Done {
		t.Fatalf("%s: %v, %v", dir, rec, err)
	}
	d, err := rec.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What cannot work is the caller's mistake, and leaves no folder.
func TestMistakes(t *testing.T) {
	root := t.TempDir()
	for want, u := range map[string]config.User{
		`unknown env "lfb", did you mean "lbf"?`: {Flags: map[string]string{"env": "lfb"}},
		"no environment":                         {},
		"buffer_size 2 is smaller than":          user("buffer_size=2", "batch_size=4"),
	} {
		_, err := experiment.Run(context.Background(), u, root)
		var input *experiment.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if files, err := os.ReadDir(root); err != nil || len(files) != 0 {
		t.Errorf("%v, %v", files, err)
	}
	if _, err := experiment.Evaluate(context.Background(), filepath.Join(root, "nowhere"), experiment.EvalOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no run: %v", err)
	}
}

// A run that diverges is recorded as such.
func TestEndsAreRecorded(t *testing.T) {
	root := t.TempDir()
	_, err := experiment.Run(context.Background(), user("lr=1e20", "batch_size=2", "grad_norm_clip=1e30"), root)
	var diverged *continual.DivergedError
	if !errors.As(err, &diverged) {
		t.Fatal(err)
	}
	runs, _, err := store.List(store.OS(), root)
	if err != nil || len(runs) != 1 || runs[0].Status != record.Diverged {
		t.Fatalf("%v, %v", runs, err)
	}
}
