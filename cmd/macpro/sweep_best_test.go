package main

import (
	"testing"

	"macpro/core/sweep"
)

// The printed command runs as it stands.
func TestSweepBestCommand(t *testing.T) {
	c := &sweep.Cell{Seed: 3, Sets: []string{"alg=ewc", "tasks=[a, b]", "note=it's", "profile=smoke", "seed=3"}}
	want := `macpro run --alg ewc --set 'tasks=[a, b]' --set 'note=it'\''s' --profile smoke --seed 3`
	if got := bestCommand(c); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
