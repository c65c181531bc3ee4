package spec

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/core/config"
	"macpro/core/report/read"
)

// Condition is what a run must be like: the values that a key may have, by key.
// Keys are those of the configuration. Of tasks the values one and several are
// numbers of tasks. The key mode names the test modes to take, the first that
// the run has; without it the method's own is taken.
type Condition map[string]Values

// Values are alternatives, written as a list or as one value.
type Values []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (v *Values) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*v = Values{n.Value}
		return nil
	}
	return n.Decode((*[]string)(v))
}

// When is one condition or a list of alternatives. None accepts every run.
type When []Condition

// UnmarshalYAML implements yaml.Unmarshaler.
func (w *When) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		*w = make(When, 1)
		return n.Decode(&(*w)[0])
	}
	return n.Decode((*[]Condition)(w))
}

// Setting is the value of a key in a run.
func Setting(s *read.Summary, key string) (string, bool) {
	switch key {
	case "alg":
		return s.Alg, true
	case "env":
		return s.Env, true
	case "learner":
		return s.Learner, true
	case "ablation":
		return cmp.Or(s.Ablation, "none"), true
	case "sequence":
		return s.Sequence, true
	}
	return s.Value(key)
}

// Accepts says whether a run fulfils the condition, apart from its modes.
func (c Condition) Accepts(s *read.Summary, in Vars) bool {
	for key, values := range c {
		if key == "mode" {
			continue
		}
		v, ok := Setting(s, key)
		fits := func(want string) bool {
			want = in.Keys(want)
			switch {
			case key == "tasks" && want == "one":
				return len(s.Tasks) == 1
			case key == "tasks" && want == "several":
				return len(s.Tasks) > 1
			}
			return ok && config.SameValue(v, want)
		}
		if !slices.ContainsFunc(values, fits) {
			return false
		}
	}
	return true
}

// Mode is the test mode of a run that shows the item; "" is the method's own. It
// is false if the run does not show it.
func (w When) Mode(s *read.Summary, in Vars) (string, bool) {
	for _, c := range w {
		if !c.Accepts(s, in) {
			continue
		}
		modes, limited := c["mode"]
		if !limited {
			return "", true
		}
		for _, m := range modes {
			if slices.Contains(s.Modes, m) {
				return m, true
			}
		}
	}
	return "", len(w) == 0
}

// Vars are what the texts in braces stand for.
type Vars struct {
	Lib                *Library
	Env, Learner       string
	Key, Alg, Sequence string
	Column, Seed       string
}

// Keys fills in names as plugins have them.
func (v Vars) Keys(text string) string { return v.fill(text, v.Env, v.Learner, v.Alg) }

// Labels fills in names as tables print them.
func (v Vars) Labels(text string) string {
	return v.fill(text, v.Lib.EnvLabel(v.Env), v.Lib.LearnerLabel(v.Learner), v.Lib.MethodLabel(v.Alg))
}

func (v Vars) fill(text, env, learner, alg string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return strings.NewReplacer("{env}", env, "{learner}", learner, "{key}", v.Key, "{alg}", alg,
		"{sequence}", v.Sequence, "{column}", v.Column, "{seed}", v.Seed).Replace(text)
}
