package continual_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/record"
)

// tape is a run's journal and checkpoints, with readers for tests.
type tape struct {
	conform.Record
	t testing.TB
}

// row is a row of the journal, read back.
type row struct {
	Kind    string         `json:"kind"`
	T       int64          `json:"t_env"`
	Episode int64          `json:"episode"`
	Task    string         `json:"task"`
	F       map[string]any `json:"fields"`
}

// all lists the rows.
func (r *tape) all() []row {
	var out []row
	for _, line := range r.Rows {
		var x row
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			r.t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}

// of lists the rows of one kind.
func (r *tape) of(kind string) []row {
	return slices.DeleteFunc(r.all(), func(x row) bool { return x.Kind != kind })
}

// parts returns the complete state of a run.
func parts(t testing.TB, r *continual.Runner) map[string][]byte {
	t.Helper()
	m, err := conform.Parts(r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// options combine the mini plugins.
func options(changes ...any) continual.Options {
	return continual.Options{Env: mini.Env{}, Learner: mini.Learner{}, Method: mini.Method{}, Settings: mini.Settings(changes...)}
}

// start makes a run that writes to rec, or nowhere if that is nil.
func start(t testing.TB, rec *tape, o continual.Options) *continual.Runner {
	t.Helper()
	r, err := func() (*continual.Runner, error) {
		if rec == nil {
			return continual.New(o)
		}
		return rec.Runner(o)
	}()
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
func finish(t testing.TB, r *continual.Runner) record.Result {
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
	if err := conform.SameParts(a, b, skip...); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func sameRows(t testing.TB, what string, a, b []string) {
	t.Helper()
	if err := conform.SameRows(a, b); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
