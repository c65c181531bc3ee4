package remote_test

import (
	"context"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
)

// cast is who plays in a run; a name in isolate is played from another process.
func cast(t *testing.T, isolate ...string) continual.Options {
	t.Helper()
	o := continual.Options{
		Env: mini.Env{}, Learner: mini.Learner{}, Method: describedMethod{},
		Settings: mini.Settings("checkpoint_interval", 50, "sequence", "mixed", "train_steps_per_episode", 2),
	}
	for _, name := range isolate {
		switch name {
		case "env/mini":
			o.Env = isolated[core.EnvPlugin](t, name)
		case "learner/mini-learner":
			o.Learner = isolated[core.LearnerPlugin](t, name)
		case "method/mini-method":
			o.Method = isolated[core.MethodPlugin](t, name)
		}
	}
	return o
}

// playCast plays a run to its end, from a checkpoint if there is one.
func playCast(t *testing.T, o continual.Options, rec *conform.Record, from *conform.Checkpoint) map[string][]byte {
	t.Helper()
	r, err := rec.Runner(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if from != nil {
		if err := conform.LoadParts(r, from.Parts); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	parts, err := conform.Parts(r)
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// A run is the same, byte for byte, wherever its plugins live, and also when it
// is resumed with other ones in other processes.
func TestIsolatedRunsAreIdentical(t *testing.T) {
	want := &conform.Record{}
	end := playCast(t, cast(t), want, nil)
	everyone := []string{"env/mini", "learner/mini-learner", "method/mini-method"}
	casts := [][]string{everyone, everyone[:1], everyone[1:2], everyone[2:]}
	if testing.Short() {
		casts = casts[:1]
	}
	for _, isolate := range casts {
		got := &conform.Record{}
		parts := playCast(t, cast(t, isolate...), got, nil)
		if err := conform.SameRows(want.Rows, got.Rows); err != nil {
			t.Errorf("with %v isolated: %v", isolate, err)
		}
		if err := conform.SameParts(end, parts); err != nil {
			t.Errorf("with %v isolated: %v", isolate, err)
		}
		half := got.Checkpoints[len(got.Checkpoints)/2]
		again := got.From(half)
		playCast(t, cast(t), again, &half)
		if err := conform.SameRows(want.Rows, again.Rows); err != nil {
			t.Errorf("resumed without the isolation of %v: %v", isolate, err)
		}
		half = want.Checkpoints[len(want.Checkpoints)/2]
		again = want.From(half)
		parts = playCast(t, cast(t, isolate...), again, &half)
		if err := conform.SameParts(end, parts); err != nil {
			t.Errorf("resumed with %v isolated: %v", isolate, err)
		}
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
