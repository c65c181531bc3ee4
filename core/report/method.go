package report

import (
	"slices"
	"strings"
)

// Method is a row of a comparison: a continual method, or another way of
// choosing heads in tests of MACPro's networks (Random, Oracle).
type Method struct {
	Key, Label string
	alg        string
	modes      []string // names of the test mode; empty is the method's own
}

// methods are those of the paper in its order.
var methods = []Method{
	{Key: "finetuning", Label: "Finetuning", alg: "finetuning"},
	{Key: "ewc", Label: "EWC", alg: "ewc"},
	{Key: "coreset", Label: "Coreset", alg: "coreset"},
	{Key: "owl", Label: "OWL", alg: "owl"},
	{Key: "macpro", Label: "MACPro", alg: "macpro"},
	{Key: "random", Label: "Random", alg: "macpro", modes: []string{"random", "random_head"}},
	{Key: "oracle", Label: "Oracle", alg: "macpro", modes: []string{"oracle"}},
}

// reference is the method that others are compared with.
const reference = "macpro"

// Methods lists the paper's methods and then those of further plugins that
// occur in the runs, under their own names.
func Methods(runs []*Summary) []Method {
	out := slices.Clone(methods)
	var more []string
	for _, s := range runs {
		if !slices.ContainsFunc(methods, func(m Method) bool { return m.Key == s.Alg }) {
			more = append(more, s.Alg)
		}
	}
	slices.Sort(more)
	for _, alg := range slices.Compact(more) {
		out = append(out, Method{Key: alg, Label: alg, alg: alg})
	}
	return out
}

// mode is the test mode of a run that shows the method; false if the run does
// not show it.
func (m Method) mode(s *Summary) (string, bool) {
	if s.Alg == m.Key { // also a run of the plugin that is named like a mode
		return s.Own(), true
	}
	if s.Alg != m.alg {
		return "", false
	}
	for _, mode := range m.modes {
		if slices.Contains(s.Modes, mode) {
			return mode, true
		}
	}
	return "", false
}

// envLabels are the paper's names of environments.
var envLabels = map[string]string{"lbf": "LBF", "pp": "PP", "marines": "Marines", "sz": "SZ", "smac": "SMAC"}

// envOrder is the paper's order of environments.
var envOrder = []string{"lbf", "pp", "marines", "sz", "smac"}

// EnvLabel is the printed name of an environment.
func EnvLabel(env string) string {
	if l, ok := envLabels[env]; ok {
		return l
	}
	return env
}

// envs lists the environments of the runs in the paper's order.
func envs(runs []*Summary) []string {
	var out []string
	for _, s := range runs {
		if !slices.Contains(out, s.Env) {
			out = append(out, s.Env)
		}
	}
	rank := func(env string) int {
		if i := slices.Index(envOrder, env); i >= 0 {
			return i
		}
		return len(envOrder)
	}
	slices.SortFunc(out, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return out
}
