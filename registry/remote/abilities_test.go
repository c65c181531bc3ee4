package remote_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"testing"

	"macpro/core"
)

// Every optional ability of package core crosses the border: one that did not
// would be absent on the other side, and a run would silently differ. Failer is
// an ability of clients.
func TestEveryAbilityCrosses(t *testing.T) {
	known := append(selected(t, "abilities.go", "core"), "Failer")
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
	if found < 10 {
		t.Errorf("only %d abilities were found", found)
	}
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
// one has to be added there as well. Info's ConfigFile is the exception: for a
// plugin elsewhere it is the plugin's kind and name.
func TestEveryFieldCrosses(t *testing.T) {
	for _, c := range []struct {
		of   any
		want int
	}{
		{core.Info{}, 6}, {core.Field{}, 7}, {core.EnvSpec{}, 11}, {core.Entities{}, 8}, {core.TaskList{}, 3},
		{core.LearnerOptions{}, 2}, {core.ActStep{}, 6}, {core.HeadStep{}, 6}, {core.JointStep{}, 7}, {core.Penalty{}, 5},
		{core.TrainStats{}, 8}, {core.Weight{}, 3}, {core.Services{}, 5}, {core.Progress{}, 3}, {core.Task{}, 2},
		{core.Evaluation{}, 3}, {core.HeadPlan{}, 6}, {core.StepView{}, 10}, {core.RolloutRequest{}, 7}, {core.Event{}, 5},
		{core.Pairing{}, 5}, {core.Frame{}, 7},
	} {
		if x := reflect.TypeOf(c.of); x.NumField() != c.want {
			t.Errorf("%s has %d fields, %d of them cross", x, x.NumField(), c.want)
		}
	}
}
