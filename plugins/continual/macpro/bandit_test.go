package macpro

import (
	"context"
	"slices"
	"testing"

	"macpro/core/conform"
	"macpro/core/continual"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
)

// The bandit tests all tasks when it is asked for, and never during training.
func TestBanditIsForEvaluations(t *testing.T) {
	s := methodtest.Subject(t, Plugin, qmix.Plugin{}, "kappa1", 20, "context_batch", 4, "enc_depth", 1, "expansion", "always", "latents", false)
	rec := &conform.Record{}
	r, err := rec.Runner(continual.Options{Env: s.Env, Learner: s.Learner, Method: s.Plugin, Settings: s.Settings})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := r.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(r.Modes(), ModeBandit) {
		t.Errorf("modes of training %v", r.Modes())
	}
	before, err := conform.Parts(r)
	if err != nil {
		t.Fatal(err)
	}
	results, err := r.Evaluate(context.Background(), continual.EvalOptions{Modes: []string{ModeBandit}, Generalization: true})
	if err != nil || len(results) != 4 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, x := range results {
		if arms, ok := x.Fields["arms"].([]float64); !ok || len(arms) != 3 || x.Episodes != 5 {
			t.Errorf("%s: %v", x.Task, x.Fields)
		}
	}
	after, err := conform.Parts(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := conform.SameParts(before, after); err != nil {
		t.Error(err)
	}
}
