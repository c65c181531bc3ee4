package main

import (
	"regexp"
	"strings"
	"testing"

	"macpro/configs"
	"macpro/core/record"
	"macpro/registry/experiment"
)

// What pymarl.yaml points to exists, and no name of it is taken here.
func TestHabits(t *testing.T) {
	h := configs.PyMARL()
	keys := map[string]bool{"alg": true, "env": true, "learner": true}
	for _, f := range experiment.SharedFields() {
		keys[f.Key] = true
	}
	for _, k := range experiment.Kinds() {
		for _, p := range k.Plugins {
			for _, f := range p.Schema {
				keys[f.Key] = true
			}
			if _, taken := h.Plugins[p.Name]; taken {
				t.Errorf("%s is the name of a plugin", p.Name)
			}
		}
	}
	verbs := map[string]bool{}
	flags := map[string]bool{}
	for _, c := range newRoot().Commands() {
		verbs[c.Name()] = true
		for _, line := range strings.Split(c.Flags().FlagUsages(), "\n") {
			for _, f := range flagName.FindAllString(line, 1) {
				flags[f] = true
			}
		}
	}
	for name := range h.Flags {
		if newRun().Flags().Lookup(name) != nil {
			t.Errorf("--%s is a flag of run", name)
		}
	}
	for _, section := range []map[string]string{h.Keys, h.Flags, h.Plugins} {
		for name, hint := range section {
			if keys[name] {
				t.Errorf("%s is a name of macpro, too", name)
			}
			for _, m := range keyName.FindAllStringSubmatch(hint, -1) {
				if !keys[m[1]] {
					t.Errorf("%s: there is no key %s", name, m[1])
				}
			}
			for _, f := range flagName.FindAllString(hint, -1) {
				if !flags[f] {
					t.Errorf("%s: there is no flag %s", name, f)
				}
			}
			for _, m := range verbName.FindAllStringSubmatch(hint, -1) {
				if !verbs[m[1]] {
					t.Errorf("%s: there is no verb %s", name, m[1])
				}
			}
		}
	}
}

var (
	flagName = regexp.MustCompile(`--[a-z][a-z-]*`)
	keyName  = regexp.MustCompile(`\b([a-z0-9.]+_[a-z0-9_.]*[a-z0-9])`)
	verbName = regexp.MustCompile(`"macpro ([a-z]+)`)
)

func TestSummary(t *testing.T) {
	for want, r := range map[string]record.Outcome{
		"5 training steps, 1 gradient step in 0s (0 steps/s); 1 head":                                                        {TrainEnvSteps: 5, GradientSteps: 1, Heads: 1},
		"5 training steps, 0 gradient steps in 0s (0 steps/s); nothing was learned, because no task had batch_size episodes": {TrainEnvSteps: 5},
		"5 training steps, 2 gradient steps in 0s (0 steps/s); 2 heads":                                                      {TrainEnvSteps: 5, GradientSteps: 2, Heads: 2},
	} {
		if got := summary(record.Result{Outcome: r}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := legend([]string{"ctde", "oracle", "new"}); strings.Count(got, "\n") != 2 || !strings.HasPrefix(got, "ctde: each agent") {
		t.Errorf("legend %q", got)
	}
	if got := legend([]string{"single"}); got != "single: there is one head\n" {
		t.Errorf("legend of one mode %q", got)
	}
}
