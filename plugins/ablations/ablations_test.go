package ablations

import (
	"maps"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"macpro/configs"
	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/plugins/continual/macpro"
)

// rows runs macpro with an overlay for three tasks and returns the fields of its
// first context step, with two groups, and of the start of its third task, and
// the penalty of its last row of statistics.
func rows(t *testing.T, overlay []byte) (step, third map[string]any, penalty any) {
	t.Helper()
	s := mini.Settings()
	maps.Copy(s, conform.Defaults(t, macpro.Plugin.Info()))
	maps.Copy(s, core.Settings{
		"lr": 5e-4, "grad_norm_clip": 10.0, "feature_scale": 1.0, "precision": "float32", "z_dim": 4, "enc_depth": 1, "model_hidden": 6,
		"context_batch": 4, "kappa1": int64(20), "lambda_new": 1e9,
	})
	var over map[string]any
	if err := yaml.Unmarshal(overlay, &over); err != nil {
		t.Fatal(err)
	}
	for k, v := range over {
		if _, known := s[k]; !known {
			t.Fatalf("%q is no key of macpro", k)
		}
		s[k] = v
	}
	j := &journal{}
	r, err := continual.New(continual.Options{Env: mini.Env{}, Learner: mini.Learner{}, Method: macpro.Plugin, Settings: s, Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, e := range j.rows {
		switch e.Kind {
		case "context":
			if step == nil {
				step = e.Fields
			}
		case "expansion":
			third = e.Fields
		case "train":
			penalty = e.Fields["penalty"]
		}
	}
	return step, third, penalty
}

type journal struct{ rows []core.Event }

func (j *journal) Emit(e core.Event) error {
	j.rows = append(j.rows, e)
	return nil
}

// Each ablation takes away its own part and leaves the terms of the first step
// as they are, bit for bit.
func TestAblationsChangeTheirOwnTerm(t *testing.T) {
	terms := []string{"model", "approx", "pos_g", "neg_g", "pos_l", "neg_l"}
	want, third, _ := rows(t, nil)
	if third["decision"] != "merge" || want["neg_g"].(float64) <= 0 {
		t.Fatalf("without an ablation the third task has decision %v, the first step %v", third["decision"], want)
	}
	gone := map[string][]string{
		"without_model": {"model"}, "without_cont_g": {"pos_g", "neg_g"}, "without_cont_l": {"pos_l", "neg_l"},
		"without_cont_gl": {"pos_g", "neg_g", "pos_l", "neg_l"}, "without_poe": terms, // everything is made of joined time steps
		"never_expand": terms, // with one group there is no step
	}
	for _, a := range All() {
		name := a.Info().Name
		got, third, penalty := rows(t, a.Info().Config)
		for _, k := range terms {
			if changed := got[k] != want[k]; changed != slices.Contains(gone[name], k) {
				t.Errorf("%s: %s is %v, without the ablation %v", name, k, got[k], want[k])
			}
		}
		if name == "without_oracle" && got["loss_f"] == want["loss_f"] {
			t.Errorf("%s: the loss of f is still %v", name, got["loss_f"])
		}
		decision := map[string]string{"without_expansion": "new"}[name]
		if decision == "" {
			decision = "merge"
		}
		if third["decision"] != decision {
			t.Errorf("%s: the third task has decision %v, want %s", name, third["decision"], decision)
		}
		if played := third["identify_episodes"] != 0; played == (name == "without_expansion" || name == "never_expand") {
			t.Errorf("%s: identification played %v episodes", name, third["identify_episodes"])
		}
		if free := penalty == 0.0; free != (name == "without_reg") {
			t.Errorf("%s: the penalty is %v", name, penalty)
		}
	}
}

// Every file below configs/ablations is registered, describes itself, and fits
// macpro and the two methods that are trained like it.
func TestAblationsAreTheFiles(t *testing.T) {
	var names []string
	for _, a := range All() {
		names = append(names, a.Info().Name)
		if a.Info().Summary == "" || !slices.Contains(a.Algs(), "macpro") || slices.Contains(a.Algs(), "ewc") {
			t.Errorf("%s: summary %q, methods %v", a.Info().Name, a.Info().Summary, a.Algs())
		}
	}
	slices.Sort(names)
	if files := configs.Names("ablations"); !slices.Equal(names, files) {
		t.Errorf("ablations %v, files %v", names, files)
	}
}
