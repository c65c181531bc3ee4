package config

import (
	"fmt"
	"slices"
	"strings"

	"macpro/core"
)

// facts are conditions of core.Field.Only about the tasks of a run, in words.
var facts = map[string]string{
	Flat:     "where observations are flat",
	Entities: "where tasks are made of entities",
}

// Facts about the tasks of a run.
const (
	Flat     = "flat"
	Entities = "entities"
)

// FactsOf are the facts about tasks with such observations.
func FactsOf(s core.EnvSpec) string {
	if s.Entities != nil {
		return Entities
	}
	return Flat
}

// When is core.Field.Only in words, as in "with sequence=generated and tasks=[]".
func When(only string) string {
	var keys, out []string
	for _, c := range strings.Fields(only) {
		if words, ok := facts[c]; ok {
			out = append(out, words)
		} else if key, value, not := strings.Cut(c, "!="); not {
			keys = append(keys, key+" other than "+value)
		} else {
			keys = append(keys, c)
		}
	}
	if keys != nil {
		out = append(out, "with "+strings.Join(keys, " and "))
	}
	return strings.Join(out, " and ")
}

// Idle is a key that the user set without effect.
type Idle struct {
	Key  string
	At   Origin
	When string // it would count, as the function When says
	// Tasks says that the key would choose tasks that are not trained.
	Tasks bool
}

// String is the whole sentence.
func (i Idle) String() string { return fmt.Sprintf("%s: %s", i.At, i.Why()) }

// Why is the sentence without the origin.
func (i Idle) Why() string { return fmt.Sprintf("%s has no effect: it counts only %s", i.Key, i.When) }

// Idle lists the keys to which the user gave another value than the built-in files and
// overlays do, and which do not count in this run (core.Field.Only). fact is that of
// its tasks, see FactsOf.
func (c *Config) Idle(fact string) (out []Idle) {
	for _, key := range c.stem.keys {
		only := strings.Fields(c.stem.fields.byKey[key].Only)
		if len(only) == 0 || !c.changed(key) {
			continue
		}
		missing := slices.DeleteFunc(only, func(cond string) bool { return c.holds(cond, fact) })
		if len(missing) > 0 {
			out = append(out, Idle{key, c.Origin(key), When(strings.Join(missing, " ")), strings.HasPrefix(missing[0], "sequence=")})
		}
	}
	return out
}

// holds says whether a condition of core.Field.Only does.
func (c *Config) holds(cond, fact string) bool {
	if key, value, not := strings.Cut(cond, "!="); not {
		return !SameValue(c.Text(key), value)
	}
	if key, value, isKey := strings.Cut(cond, "="); isKey {
		return SameValue(c.Text(key), value)
	}
	return cond == fact
}

// changed says whether the user gave a key another value than the built-in files and
// overlays do.
func (c *Config) changed(key string) bool {
	base := ""
	for _, step := range c.history[key] {
		if l := step.At.Layer; l != LayerFile && l != LayerEnvironment && l != LayerCommand {
			base = flow(step.Value)
		}
	}
	return base != "" && c.Text(key) != base
}

// checkOnly is an error for a condition that can never hold.
func checkOnly(only string) error {
	for _, c := range strings.Fields(only) {
		key, _, isKey := strings.Cut(c, "=")
		key = strings.TrimSuffix(key, "!")
		if _, fact := facts[c]; !fact && !(isKey && validKey(key)) {
			return fmt.Errorf("only %q is neither %s, %s, key=value nor key!=value", c, Flat, Entities)
		}
	}
	return nil
}
