package qlearn_test

import (
	"maps"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
)

// Every key changes what a learner becomes, on flat features or on entities.
func TestEveryKeyMatters(t *testing.T) {
	base := with("grad_norm_clip", 0.05, "rnn_hidden_dim", 32) // wide enough for precision to matter
	all, err := qlearntest.Settings(base)
	must(t, err)
	course := func(spec core.EnvSpec, s core.Settings) []byte {
		l := learner(t, "qmix", spec, s, 1)
		anchor := make([]float32, len(l.Parameters(core.ScopeFeatures, nil)))
		must(t, l.SetPenalties([]core.Penalty{{Scope: core.ScopeFeatures, Anchor: anchor, Coef: 0.01}}))
		for i, b := range batches(1, spec, 4, 4) {
			for _, e := range b { // the first enemy is out of sight
				for row := 0; spec.Entities != nil && row < len(e.Obs); row += e.ObsWidth {
					clear(e.Obs[row+spec.Entities.Move:][:spec.Entities.EnemyObs])
				}
			}
			train(t, l, b)
			if i == 1 {
				newHead(t, l, core.HeadCopy)
				l.SyncTarget()
			}
		}
		return bytesOf(t, l)
	}
	specs := []core.EnvSpec{qlearntest.Spec(2), qlearntest.Entities(2, 3)}
	var want [][]byte
	for _, spec := range specs {
		want = append(want, course(spec, base))
	}
	for _, f := range config.Schema(qlearn.Config{}) {
		changed := maps.Clone(base)
		switch v := all[f.Key].(type) {
		case bool:
			changed[f.Key] = !v
		case int:
			if changed[f.Key] = v + 1; f.Key == "shards" {
				changed[f.Key] = 2 * v
			}
		case float64:
			changed[f.Key] = v/2 + 0.001
		case string:
			changed[f.Key] = f.Enum[(slices.Index(f.Enum, v)+1)%len(f.Enum)]
		default:
			t.Fatalf("%s is a %T", f.Key, v)
		}
		if slices.Equal(course(specs[0], changed), want[0]) && slices.Equal(course(specs[1], changed), want[1]) {
			t.Errorf("%s = %v instead of %v changes nothing", f.Key, changed[f.Key], all[f.Key])
		}
	}
}
