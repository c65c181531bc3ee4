package oracle

import (
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/continual/macpro"
)

// subject is a method in short runs with three heads and some context steps.
func subject(t *testing.T, p core.MethodPlugin) conform.MethodSubject {
	t.Helper()
	return methodtest.Subject(t, p, mini.Learner{}, "steps_per_task", 60, "expansion", "always",
		"z_dim", 4, "enc_depth", 1, "enc_ff_mult", 2, "context_batch", 4, "kappa1", 40, "probe_nepisode", 2)
}

func TestConformance(t *testing.T) { conform.MethodOn(t, subject(t, Plugin{})) }

// The first of MACPro's modes is the method's own; training is MACPro's, bit for
// bit.
func TestModeIsItsOwn(t *testing.T) {
	_, want, _ := methodtest.Play(t, subject(t, macpro.Plugin{}))
	_, got, res := methodtest.Play(t, subject(t, Plugin{}))
	if res.Method != "oracle" || len(res.Modes) != 4 || res.Modes[0] != "oracle" {
		t.Errorf("method %s with modes %v, want four with oracle first", res.Method, res.Modes)
	}
	if err := conform.SameParts(want, got, continual.PartRun); err != nil {
		t.Errorf("not trained like macpro: %v", err)
	}
}
