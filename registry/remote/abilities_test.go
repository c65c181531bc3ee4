package remote_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/learners/qmix"
)

// Every optional ability of package core crosses the border: one that did not
// would be absent on the other side, and a run would silently differ. They are
// few, so that nothing has to be written for combinations of them.
func TestEveryAbilityCrosses(t *testing.T) {
	const most = 7
	known := selected(t, "abilities.go", "core")
	for i := range reflect.TypeFor[core.LearnerAbilities]().NumField() {
		known = append(known, reflect.TypeFor[core.LearnerAbilities]().Field(i).Type.Name())
	}
	found := 0
	ast.Inspect(parsed(t, "../../core/abilities.go"), func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if _, ok := spec.Type.(*ast.InterfaceType); ok {
			found++
			if !slices.Contains(known, spec.Name.Name) {
				t.Errorf("core.%s has no name on the wire", spec.Name.Name)
			}
		}
		return false
	})
	if found < 2 || found > most {
		t.Errorf("%d abilities, want at least 2 and at most %d", found, most)
	}
}

// A learner in another process has the abilities of the one that it stands for,
// in the run's process and, where it is lent, in that of the method.
func TestAbilitiesOfLearners(t *testing.T) {
	for plugin, want := range map[string]bool{"learner/qmix": true, "learner/mini-learner": false} {
		a := core.AbilitiesOf(isolatedLearner(t, plugin))
		for i := range reflect.TypeOf(a).NumField() {
			if has := !reflect.ValueOf(a).Field(i).IsNil(); has != want {
				t.Errorf("%s: ability %s: %v, want %v", plugin, reflect.TypeOf(a).Field(i).Name, has, want)
			}
		}
		if names := a.Names(); want && len(names) != reflect.TypeOf(a).NumField() || !want && names != nil {
			t.Errorf("%s: the abilities are named %v", plugin, names)
		}
	}
}

// A slip in the name of a scope, which other languages do not notice, is an error of the
// next call that can return one.
func TestUnknownScopesAreErrors(t *testing.T) {
	for scope, want := range map[core.Scope]string{
		core.ScopeFeatures: "", core.ScopeHead: "", core.ScopeAgent: "", core.ScopeAll: "",
		"agnet": `unknown scope "agnet", want "features", "head", "agent" or "all"`,
		"":      `unknown scope ""`,
	} {
		l := isolatedLearner(t, "learner/qmix")
		n := len(l.Parameters(scope, nil))
		err := l.SetPenalties(nil)
		if (n > 0) != (want == "") || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("scope %q: %d parameters, then %v, want %q", scope, n, err, want)
		}
	}
}

// isolatedLearner is a learner in a process of its own.
func isolatedLearner(t *testing.T, plugin string) core.Learner {
	t.Helper()
	s, err := qlearntest.Settings(conform.Defaults(t, qmix.Plugin{}.Info()))
	if err != nil {
		t.Fatal(err)
	}
	e, err := mini.Env{}.Open("first", 1, s)
	if err != nil {
		t.Fatal(err)
	}
	l, err := isolated[core.LearnerPlugin](t, plugin).New(s, e.Spec(), core.LearnerOptions{Source: rng.New(1), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// selected lists what a file of this package uses of another one.
func selected(t *testing.T, name, pkg string) []string {
	var out []string
	ast.Inspect(parsed(t, name), func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == pkg {
				out = append(out, s.Sel.Name)
			}
		}
		return true
	})
	return out
}

func parsed(t *testing.T, name string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The structures of the contracts have the fields that the messages carry; a new
// one has to be added there as well. The exceptions are Field.Below, which keys of
// all runs have and those of plugins have not, and Info.ConfigFile, which for a
// plugin elsewhere is its kind and name.
func TestEveryFieldCrosses(t *testing.T) {
	for _, c := range []struct {
		of   any
		want int
	}{
		{core.Info{}, 6}, {core.Field{}, 9}, {core.EnvSpec{}, 11}, {core.Entities{}, 8}, {core.TaskList{}, 4},
		{core.LearnerOptions{}, 3}, {core.ActStep{}, 7}, {core.HeadStep{}, 7}, {core.JointStep{}, 8}, {core.Penalty{}, 5},
		{core.TrainStats{}, 9}, {core.Weight{}, 3}, {core.Services{}, 6}, {core.Progress{}, 3}, {core.Task{}, 2},
		{core.Evaluation{}, 4}, {core.HeadPlan{}, 7}, {core.StepView{}, 10}, {core.RolloutRequest{}, 7}, {core.Event{}, 5},
		{core.Pairing{}, 6}, {core.MethodReport{}, 4}, {core.ValueTerm{}, 6}, {core.Layer{}, 4}, {core.Span{}, 4}, {core.ActivityQuery{}, 4}, {core.Activity{}, 5}, {core.Frame{}, 7},
	} {
		if x := reflect.TypeOf(c.of); x.NumField() != c.want {
			t.Errorf("%s has %d fields, %d of them cross", x, x.NumField(), c.want)
		}
	}
}
