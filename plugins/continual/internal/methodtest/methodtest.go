// Package methodtest helps to test continual methods with the learners of
// package qlearn: whole runs on the environment mini with networks that cost
// next to nothing.
package methodtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/record"
	"macpro/core/safetensors"
)

// Settings are a method's own keys with their defaults and changes: key, value,
// key, value.
func Settings(t testing.TB, p core.MethodPlugin, changes ...any) core.Settings {
	t.Helper()
	s := conform.Defaults(t, p.Info())
	for i := 0; i+1 < len(changes); i += 2 {
		s[changes[i].(string)] = changes[i+1]
	}
	return s
}

// Uneven runs a method through the suite with teams of unlike size.
func Uneven(t *testing.T, p core.MethodPlugin, changes ...any) {
	t.Helper()
	s := mini.Settings("sequence", "mixed", "envs_per_rollout", 2)
	maps.Copy(s, Settings(t, p, changes...))
	conform.MethodOn(t, conform.MethodSubject{Plugin: p, Env: mini.Env{}, Learner: mini.Learner{}, Settings: s})
}

// Subject is a method on mini's tasks with a small network and the mixer of a
// learner. Changes may concern every key of the run.
func Subject(t testing.TB, p core.MethodPlugin, l core.LearnerPlugin, changes ...any) conform.MethodSubject {
	t.Helper()
	s, err := qlearntest.Settings(core.Settings{"mlp_hidden": 8, "mlp_layers": 2, "rnn_hidden_dim": 6})
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(s, conform.Defaults(t, l.Info()))
	maps.Copy(s, mini.Settings())
	maps.Copy(s, Settings(t, p, changes...))
	return conform.MethodSubject{Plugin: p, Env: mini.Env{}, Learner: l, Settings: s}
}

// Play plays the subject's run to its end and returns its record, its last
// state and its result.
func Play(t testing.TB, s conform.MethodSubject) (*conform.Record, map[string][]byte, record.Result) {
	t.Helper()
	rec := &conform.Record{}
	parts, res, err := rec.Play(continual.Options{Env: s.Env, Learner: s.Learner, Method: s.Plugin, Settings: s.Settings}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec, parts, res
}

// Tensors is the contents of the tensors of a saved part whose names start with
// one of the prefixes, as text that can be compared.
func Tensors(t testing.TB, part []byte, prefixes ...string) string {
	t.Helper()
	f, err := safetensors.Decode(bytes.NewReader(part))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range f.Names() {
		if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		v, err := safetensors.Get[float32](f, name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, name, v)
	}
	return b.String()
}

// Last is a numeric field of the last row of a kind.
func Last(t testing.TB, rec *conform.Record, kind, field string) float64 {
	t.Helper()
	for _, line := range slices.Backward(rec.Rows) {
		var row struct {
			Kind   string         `json:"kind"`
			Fields map[string]any `json:"fields"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if x, ok := row.Fields[field].(float64); ok && row.Kind == kind {
			return x
		}
	}
	t.Fatalf("no row %q with a number %q", kind, field)
	return 0
}
