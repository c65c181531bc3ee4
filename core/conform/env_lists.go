package conform

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"macpro/core"
)

// checkInfo: the family is described, and the settings hold its keys.
func checkInfo(p core.EnvPlugin, s core.Settings) error { return infoFault(p.Info(), s) }

// infoFault says what a plugin's description lacks, if anything.
func infoFault(info core.Info, s core.Settings) error {
	if err := info.Check(); err != nil {
		return err
	}
	if n := len(info.Schema); n > 0 && len(info.Config) == 0 {
		return fmt.Errorf("it has %d keys and no configuration with their defaults", n)
	}
	for _, f := range info.Schema {
		if _, ok := s[f.Key]; !ok {
			return fmt.Errorf("the settings of this test lack the plugin's key %q", f.Key)
		}
	}
	return nil
}

// checkLists: the lists name known tasks once and every task has its constants.
func checkLists(p core.EnvPlugin, s core.Settings) error {
	l, err := p.Tasks(s)
	if err != nil {
		return err
	}
	if len(l.Sequences["train"]) == 0 {
		return fmt.Errorf("there is no sequence %q", "train")
	}
	for name, seq := range l.Sequences {
		if err := distinct("sequence "+name, seq); err != nil {
			return err
		}
	}
	if err := distinct("generalization", l.Generalization); err != nil {
		return err
	}
	for _, task := range l.Generalization {
		if slices.Contains(l.Sequences["train"], task) {
			return fmt.Errorf("task %q is trained and yet in the generalization test", task)
		}
	}
	tasks := taskNames(l)
	if got := slices.Sorted(maps.Keys(l.Params)); !slices.Equal(got, tasks) {
		return fmt.Errorf("params are given for %v, but the lists name %v", got, tasks)
	}
	for task, ps := range l.Params {
		if err := checkParams(ps); err != nil {
			return fmt.Errorf("task %q: %w", task, err)
		}
	}
	return checkListsAreCopies(p, s, l)
}

func checkParams(ps []core.Param) error {
	var seen []string
	for _, q := range ps {
		if q.Name == "" || q.Value == "" {
			return fmt.Errorf("param %q has the value %q", q.Name, q.Value)
		}
		seen = append(seen, q.Name)
	}
	if len(ps) == 0 {
		return fmt.Errorf("no params")
	}
	return distinct("params", seen)
}

// checkListsAreCopies: what a caller does to a list does not reach the plugin.
func checkListsAreCopies(p core.EnvPlugin, s core.Settings, first core.TaskList) error {
	second, err := p.Tasks(s)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(first, second) {
		return fmt.Errorf("two calls of Tasks differ: %v and %v", first, second)
	}
	want := fmt.Sprint(first) // as text: the second list may be the first
	for _, seq := range first.Sequences {
		for i := range seq {
			seq[i] = "scribble"
		}
	}
	for i := range first.Generalization {
		first.Generalization[i] = "scribble"
	}
	third, err := p.Tasks(s)
	if err != nil {
		return err
	}
	if fmt.Sprint(third) != want {
		return fmt.Errorf("changing a returned list changed the plugin's own")
	}
	return nil
}

// checkUnknownTask: a slip in a name is answered with the nearest name.
func checkUnknownTask(p core.EnvPlugin, s core.Settings) error {
	l, err := p.Tasks(s)
	if err != nil {
		return err
	}
	task := l.Sequences["train"][0]
	typo := task + "x"
	switch _, err := p.Open(typo, 1, s); {
	case err == nil:
		return fmt.Errorf("task %q was opened, but is not listed", typo)
	case !strings.Contains(err.Error(), fmt.Sprintf("%q", typo)) || !strings.Contains(err.Error(), fmt.Sprintf("%q", task)):
		return fmt.Errorf("the error for task %q must quote it and the nearest, %q: %w", typo, task, err)
	}
	for _, lanes := range []int{0, -1} {
		if _, err := p.Open(task, lanes, s); err == nil {
			return fmt.Errorf("%d lanes were opened", lanes)
		}
	}
	return nil
}

// taskNames lists every task of a family once, in alphabetical order.
func taskNames(l core.TaskList) []string {
	all := slices.Clone(l.Generalization)
	for _, seq := range l.Sequences {
		all = append(all, seq...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// distinct refuses empty and repeated names.
func distinct(what string, list []string) error {
	seen := map[string]bool{}
	for _, name := range list {
		if name == "" || seen[name] {
			return fmt.Errorf("%s: the name %q is empty or repeated", what, name)
		}
		seen[name] = true
	}
	return nil
}

// sameSettings: settings belong to the caller.
func sameSettings(before, after core.Settings) error {
	if !reflect.DeepEqual(before, after) {
		return fmt.Errorf("the plugin changed its settings from %v to %v", before, after)
	}
	return nil
}
