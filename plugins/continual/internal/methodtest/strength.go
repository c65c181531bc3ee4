package methodtest

import (
	"bytes"
	"testing"

	"macpro/core"
	"macpro/core/continual"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/learners/qmix"
)

// Strength tests what a method adds to Finetuning: with the key at off nothing,
// bit for bit; with its default nothing in the first task and something later.
func Strength(t *testing.T, p core.MethodPlugin, key string, off any, changes ...any) {
	t.Helper()
	learner := func(p core.MethodPlugin, changes ...any) []byte {
		_, parts, _ := Play(t, Subject(t, p, qmix.Plugin{}, changes...))
		return parts[continual.PartLearner]
	}
	plain := learner(finetuning.Plugin{})
	if !bytes.Equal(plain, learner(p, append([]any{key, off}, changes...)...)) {
		t.Errorf("with %s %v it is not Finetuning", key, off)
	}
	if bytes.Equal(plain, learner(p, changes...)) {
		t.Errorf("the default of %s changes nothing", key)
	}
}

// FirstTask tests that a method trains the first task like Finetuning.
func FirstTask(t *testing.T, p core.MethodPlugin, changes ...any) {
	t.Helper()
	nets := func(p core.MethodPlugin, changes ...any) string {
		_, parts, _ := Play(t, Subject(t, p, qmix.Plugin{}, append(changes, "tasks", []string{"first"})...))
		return Tensors(t, parts[continual.PartLearner], "online.", "target.", "rms.")
	}
	if a := nets(finetuning.Plugin{}); a == "" || a != nets(p, changes...) {
		t.Error("the first task differs from Finetuning")
	}
}
