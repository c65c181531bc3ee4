package remote_test

import (
	"maps"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/qlearn/qlearntest"
	"macpro/plugins/continual/agem"
	"macpro/plugins/continual/cbp"
	"macpro/plugins/continual/clonex"
	"macpro/plugins/continual/er"
	"macpro/plugins/continual/l2"
	"macpro/plugins/continual/l2init"
	"macpro/plugins/continual/lwf"
	"macpro/plugins/continual/macpro"
	"macpro/plugins/continual/mas"
	"macpro/plugins/continual/onlineewc"
	"macpro/plugins/continual/owl"
	"macpro/plugins/continual/packnet"
	"macpro/plugins/continual/si"
	"macpro/plugins/learners/qmix"
	"macpro/registry/remote"
)

// cast is who plays in a run.
func cast() continual.Options {
	return continual.Options{
		Env: mini.Env{}, Learner: mini.Learner{}, Method: describedMethod{},
		Settings: mini.Settings("checkpoint_interval", 50, "sequence", "mixed", "train_steps_per_episode", 2),
	}
}

// elsewhere moves some of a run's plugins into processes of their own.
func elsewhere(t *testing.T, o continual.Options, isolate ...string) continual.Options {
	t.Helper()
	for _, name := range isolate {
		o = with(o, isolated[remote.Plugin](t, name))
	}
	return o
}

// with puts a plugin in the place of the run's own of its kind.
func with(o continual.Options, p remote.Plugin) continual.Options {
	switch p := p.(type) {
	case core.EnvPlugin:
		o.Env = p
	case core.LearnerPlugin:
		o.Learner = p
	case core.MethodPlugin:
		o.Method = p
	}
	return o
}

// playCast plays a run to its end, from a checkpoint if there is one.
func playCast(t *testing.T, o continual.Options, rec *conform.Record, from *conform.Checkpoint) map[string][]byte {
	t.Helper()
	parts, _, err := rec.Play(o, from)
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// sameElsewhere plays a run with each list of plugins in processes of their own
// and wants the bytes of the run without; also when one is resumed as the other.
func sameElsewhere(t *testing.T, o continual.Options, casts [][]string) {
	t.Helper()
	want := &conform.Record{}
	end := playCast(t, o, want, nil)
	for _, isolate := range casts {
		got := &conform.Record{}
		parts := playCast(t, elsewhere(t, o, isolate...), got, nil)
		if err := conform.SameRows(want.Rows, got.Rows); err != nil {
			t.Errorf("with %v isolated: %v", isolate, err)
		}
		if err := conform.SameParts(end, parts); err != nil {
			t.Errorf("with %v isolated: %v", isolate, err)
		}
		half := got.Checkpoints[len(got.Checkpoints)/2]
		again := got.From(half)
		playCast(t, o, again, &half)
		if err := conform.SameRows(want.Rows, again.Rows); err != nil {
			t.Errorf("resumed without the isolation of %v: %v", isolate, err)
		}
		half = want.Checkpoints[len(want.Checkpoints)/2]
		again = want.From(half)
		parts = playCast(t, elsewhere(t, o, isolate...), again, &half)
		if err := conform.SameParts(end, parts); err != nil {
			t.Errorf("resumed with %v isolated: %v", isolate, err)
		}
	}
}

// A run is the same, byte for byte, wherever its plugins live, and also when it
// is resumed with other ones in other processes.
func TestIsolatedRunsAreIdentical(t *testing.T) {
	t.Parallel()
	everyone := []string{"env/mini", "learner/mini-learner", "method/mini-method"}
	casts := [][]string{everyone, everyone[:1], everyone[1:2], everyone[2:]}
	if testing.Short() {
		casts = casts[:1]
	}
	sameElsewhere(t, cast(), casts)
}

// So are runs of the built-in methods. Some ask more than others of what they are
// lent, and also run with only one side isolated: OWL wants the values of all heads,
// of the target network and of earlier mixers at every step of a test, and to hear how
// episodes end; MACPro draws heads at every step of probing episodes; A-GEM edits every
// gradient after it has asked for another one; ClonEx hands over targets for values;
// PackNet fixes weights and plays with others.
func TestIsolatedBuiltinsAreIdentical(t *testing.T) {
	t.Parallel()
	contexts := func(more ...any) []any {
		return append([]any{"expansion", "always", "kappa1", 20, "context_batch", 4, "enc_depth", 1}, more...)
	}
	for name, c := range map[string]struct {
		method  core.MethodPlugin
		changes []any
		sides   bool // also with one side isolated
	}{
		"owl":            {owl.Plugin{}, []any{"owl_feedback", "td_joint", "fisher_episodes", 6}, true},
		"owl by returns": {owl.Plugin{}, []any{"owl_feedback", "return", "fisher_episodes", 6}, true},
		"macpro":         {macpro.Plugin, contexts("probe_head_granularity", "step", "random_head_granularity", "step"), true},
		"macpro mask":    {macpro.Plugin, contexts("protect", "mask"), false},
		"macpro distill": {macpro.Plugin, contexts("protect", "distill", "protect_batch", 3), false},
		"agem":           {agem.Plugin{}, []any{"agem_batch", 4, "memory_size", 20}, true},
		"clonex":         {clonex.Plugin{}, []any{"clone_episodes", 5, "clone_batch", 3}, true},
		"packnet":        {packnet.Plugin{}, []any{"packnet_task", "inferred", "packnet_probes", 2}, true},
		"l2":             {l2.Plugin{}, nil, false},
		"l2init":         {l2init.Plugin{}, nil, false},
		"online_ewc":     {onlineewc.Plugin{}, []any{"fisher_episodes", 6}, false},
		"mas":            {mas.Plugin{}, []any{"mas_episodes", 6}, false},
		"si":             {si.Plugin{}, nil, false},
		"lwf":            {lwf.Plugin{}, nil, false},
		"cbp":            {cbp.Plugin{}, []any{"cbp_rate", 0.05, "cbp_maturity", 4, "cbp_interval", 2}, false},
		"er":             {er.Plugin{}, []any{"memory_size", 20}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := qlearntest.Settings(core.Settings{"mlp_hidden": 8, "mlp_layers": 2, "rnn_hidden_dim": 6})
			if err != nil {
				t.Fatal(err)
			}
			maps.Copy(s, conform.Defaults(t, qmix.Plugin{}.Info()))
			maps.Copy(s, mini.Settings("checkpoint_interval", 50))
			maps.Copy(s, conform.Defaults(t, c.method.Info()))
			maps.Copy(s, mini.Settings(c.changes...))
			o := continual.Options{Env: mini.Env{}, Learner: qmix.Plugin{}, Method: c.method, Settings: s}
			method := "method/" + c.method.Info().Name
			casts := [][]string{{"learner/qmix", method}, {"learner/qmix"}, {method}}
			if testing.Short() || !c.sides {
				casts = casts[:1]
			}
			sameElsewhere(t, o, casts)
		})
	}
}

func TestAblation(t *testing.T) {
	p := isolated[core.AblationPlugin](t, "ablation/less")
	if err := p.(interface{ Start() error }).Start(); err != nil {
		t.Fatal(err)
	}
	if got := string(p.Info().Config); got != string(less{}.Info().Config) || p.Algs()[0] != "finetuning" {
		t.Errorf("the overlay is %q for %v", got, p.Algs())
	}
}
