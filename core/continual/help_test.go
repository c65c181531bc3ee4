package continual_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform/toy"
	"macpro/core/continual"
)

// record is a journal in memory with the checkpoints of its run.
type record struct {
	t     testing.TB
	rows  []string // JSON
	saved []saved
	stop  func() // called at a checkpoint's row, if not nil
}

// saved is a checkpoint: its parts and the length of the journal.
type saved struct {
	meta  continual.CheckpointMeta
	rows  int
	parts map[string][]byte
}

func (r *record) Emit(e core.Event) error {
	b, err := json.Marshal(map[string]any{"kind": e.Kind, "t": e.TEnv, "episode": e.Episode, "task": e.Task, "f": finite(e.Fields)})
	if err != nil {
		r.t.Errorf("row %s: %v", e.Kind, err)
	}
	r.rows = append(r.rows, string(b))
	return nil
}

// finite replaces NaN by nil, as a journal does.
func finite(m map[string]any) map[string]any {
	out := maps.Clone(m)
	for k, v := range out {
		switch v := v.(type) {
		case float64:
			if v-v != 0 {
				out[k] = nil
			}
		case map[string]any:
			out[k] = finite(v)
		}
	}
	return out
}

// row is a row of the journal, read back.
type row struct {
	Kind    string
	T       int64
	Episode int64
	Task    string
	F       map[string]any
}

func (r *record) of(kind string) []row {
	var out []row
	for _, line := range r.rows {
		var x row
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			r.t.Fatal(err)
		}
		if x.Kind == kind {
			out = append(out, x)
		}
	}
	return out
}

// parts returns the complete state of a run.
func parts(t testing.TB, r *continual.Runner) map[string][]byte {
	t.Helper()
	m := map[string][]byte{}
	err := r.Save(func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		m[name] = b.Bytes()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func load(r *continual.Runner, m map[string][]byte) error {
	return r.Load(func(name string) (io.ReadCloser, error) {
		b, ok := m[name]
		if !ok {
			return nil, fmt.Errorf("no part %q", name)
		}
		return io.NopCloser(bytes.NewReader(b)), nil
	})
}

// options combine the toy plugins.
func options(rec *record, changes ...any) continual.Options {
	o := continual.Options{Env: toy.Env{}, Learner: toy.Learner{}, Method: toy.Method{}, Settings: toy.Settings(changes...)}
	if rec != nil {
		o.Journal = rec
	}
	return o
}

// start makes a run whose checkpoints go to rec.
func start(t testing.TB, rec *record, o continual.Options) *continual.Runner {
	t.Helper()
	var r *continual.Runner
	if rec != nil {
		o.Checkpoint = func(m continual.CheckpointMeta) error {
			rec.saved = append(rec.saved, saved{m, len(rec.rows), parts(t, r)})
			if rec.stop != nil {
				rec.stop()
			}
			return nil
		}
	}
	r, err := continual.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// finish plays a run to its end.
func finish(t testing.TB, r *continual.Runner) continual.Result {
	t.Helper()
	res, err := r.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// sameParts compares two states, without the named parts.
func sameParts(t testing.TB, what string, a, b map[string][]byte, skip ...string) {
	t.Helper()
	for name := range a {
		if !slices.Contains(skip, name) && !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s: part %q differs", what, name)
		}
	}
	if len(a) != 3 || len(b) != 3 {
		t.Errorf("%s: %d and %d parts", what, len(a), len(b))
	}
}

func sameRows(t testing.TB, what string, a, b []string) {
	t.Helper()
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("%s: row %d\n%s\n%s", what, i, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%s: %d and %d rows", what, len(a), len(b))
	}
}
