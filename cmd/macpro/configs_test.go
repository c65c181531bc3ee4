package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/registry"
	"macpro/registry/experiment"
)

// Every file of a plugin is the plugin's own, holds exactly its keys and
// otherwise only keys that exist, and explains each of them.
func TestPluginFilesMirrorTheirKeys(t *testing.T) {
	for _, k := range experiment.Kinds() {
		var registered []string
		for _, p := range k.Plugins {
			registered = append(registered, p.Name)
			if !slices.Contains(configs.Names(k.Folder), p.Name) {
				t.Errorf("%s %s has no file configs/%s/%s.yaml", k.Word, p.Name, k.Folder, p.Name)
				continue
			}
			checkPluginFile(t, k, p)
		}
		for _, name := range configs.Names(k.Folder) {
			if !slices.Contains(registered, name) {
				t.Errorf("configs/%s/%s.yaml belongs to no %s", k.Folder, name, k.Word)
			}
		}
	}
}

func checkPluginFile(t *testing.T, k experiment.Kind, p core.Info) {
	t.Helper()
	file := k.Folder + "/" + p.Name + ".yaml"
	data := configs.Read(file)
	// A plugin that is built on another has that one's file before its own.
	if !bytes.HasSuffix(p.Config, data) {
		t.Errorf("%s %s does not use configs/%s", k.Word, p.Name, file)
	}
	if _, err := config.Defaults(file, p.Config, p.Schema); err != nil {
		t.Error(err)
	}
	exists := allKeys()
	for _, key := range experiment.Mentioned(data) {
		if !exists[key] {
			t.Errorf("%s: nobody has the key %s", file, key)
		}
	}
	if p.Summary == "" || p.Version == "" || headComment(configs.Read(file)) == "" {
		t.Errorf("%s %s needs a summary, a version and a comment at the head of its file", k.Word, p.Name)
	}
	for _, f := range p.Schema {
		word := f.Key[strings.LastIndex(f.Key, ".")+1:] + ":"
		for line := range strings.Lines(string(p.Config)) {
			if strings.HasPrefix(strings.TrimSpace(line), word) && !strings.Contains(line, "#") {
				t.Errorf("%s: %s has no comment", file, f.Key)
			}
		}
	}
}

// allKeys are the shared keys and those of all registered plugins.
func allKeys() map[string]bool {
	keys := map[string]bool{}
	add := func(fields []core.Field) {
		for _, f := range fields {
			keys[f.Key] = true
		}
	}
	add(experiment.SharedFields())
	for _, k := range experiment.Kinds() {
		for _, p := range k.Plugins {
			add(p.Schema)
		}
	}
	return keys
}

// Profiles, compat files and ablations name only keys, environments and methods
// that exist, and what a method needs in an environment stands under the method.
func TestOverlaysNameWhatExists(t *testing.T) {
	exists := allKeys()
	methodKeys := map[string]string{}
	for _, name := range registry.Methods.Names() {
		p, err := registry.Methods.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Info().Schema {
			methodKeys[f.Key] = name
		}
	}
	for _, folder := range []string{"profiles", "compat", "ablations"} {
		for _, name := range configs.Names(folder) {
			data := configs.Read(folder + "/" + name + ".yaml")
			for _, path := range experiment.Paths(data) {
				s := config.SectionOf(path)
				if !exists[s.Key] && !slices.ContainsFunc(experiment.SharedFields(), func(f core.Field) bool {
					return f.Below != "" && strings.HasPrefix(s.Key, f.Key+".")
				}) {
					t.Errorf("%s/%s.yaml: nobody has the key %s", folder, name, s.Key)
				}
				for _, env := range s.Envs {
					if _, err := registry.Envs.Get(env); err != nil {
						t.Errorf("%s/%s.yaml: %v", folder, name, err)
					}
				}
				for _, alg := range s.Algs {
					if p, err := registry.Methods.Get(alg); err != nil {
						t.Errorf("%s/%s.yaml: %v", folder, name, err)
					} else if !slices.ContainsFunc(slices.Concat(p.Info().Schema, experiment.SharedFields()), func(f core.Field) bool { return f.Key == s.Key }) {
						t.Errorf("%s/%s.yaml: method %s has no key %s", folder, name, alg, s.Key)
					}
				}
				if owner := methodKeys[s.Key]; owner != "" && s.Algs == nil && s.Envs != nil {
					t.Errorf("%s/%s.yaml: %s of %s stands under envs; algs: {%s: {envs: ...}} says whose it is", folder, name, s.Key, owner, owner)
				}
			}
		}
	}
}

// Every combination of plugins and overlays has a valid configuration, whose
// file form gives the same one again. Without the build tag slow it is every third
// combination, among them each that any two values make.
func TestAllCombinationsLoad(t *testing.T) {
	t.Parallel()
	for e, env := range registry.Envs.Names() {
		for a, alg := range registry.Methods.Names() {
			for l, learner := range registry.Learners.Names() {
				for p, profile := range configs.Names("profiles") {
					for c, compat := range append([]string{"default"}, configs.Names("compat")...) {
						if (e+a+l+p+c)%everyNth != 0 {
							continue
						}
						flags := map[string]string{"env": env, "alg": alg, "learner": learner, "profile": profile, "compat": compat}
						if _, err := experiment.Resolve(config.User{Flags: flags}); err != nil {
							t.Errorf("%v: %v", flags, err)
						}
					}
				}
			}
		}
	}
}

// The values that compat switches, from the comparison of the paper with the
// official code (default, official, paper); an empty one is left to the others.
func TestCompatSwitches(t *testing.T) {
	rows := map[string][3]any{
		"bootstrap_on_timeout":    {false, false, false},
		"double_q":                {true, true, false},
		"reg_norm":                {"squared", "squared", "l2"},
		"div_reduction":           {"mean_half", "mean_half", "sum"},
		"contrastive_eps":         {0.001, 0.001, 0.001},
		"poe_prior":               {false, true, false}, // on pp the profiles are with the paper
		"poe_mask_padding":        {true, false, true},
		"enc_posenc":              {"none", "none", "none"},
		"local_encoder":           {"shared", "shared", "per_agent"},
		"model_state_target":      {"delta", "delta", "next"},
		"context_min_groups":      {2, 2, 1},
		"identify_policy":         {"per_head", "live", "per_head"},
		"identify_epsilon":        {0.05, 0.05, 0.05},
		"center_mode":             {"fresh", "cached", "fresh"},
		"center_sample":           {"newest", "uniform", "uniform"},
		"merge_score":             {"distance", "distance", "distance"},
		"radius_floor":            {0.0, 0.0, 0.0},
		"eval_current_head":       {"live", "saved", "live"},
		"clip_local":              {true, false, true},
		"save_with_context":       {false, true, false},
		"merge_strict":            {false, true, false},
		"oracle_merged":           {"own", "live", "own"},
		"enc_output":              {"log_variance", "log_variance", "std"},
		"enc_last_record":         {false, false, true},
		"model_loss":              {"mean", "mean", "sum"},
		"reg_sum":                 {"once", "once", "agents"},
		"probe_head_granularity":  {"episode", "step", "episode"},
		"probe_epsilon":           {0.05, 0.05, 0.05},
		"probe_aggregate":         {"min", "min", "min"},
		"random_head_granularity": {"episode", "step", "episode"},
		"new_head":                {"copy", "copy", "copy"},
		"sync_target_on_switch":   {true, false, true},
		"optim_on_switch":         {"keep", "keep", "keep"},
		"reset_epsilon":           {false, false, false},
		"qmix_attn_weights":       {"shared", "shared", "shared"},
		"encoder_shape_feature":   {true, true, true},
		"encoder_shape_scale":     {0.01, 1.0, 0.01},
		"encoder_agent_code":      {"own", "cycling", "own"},
		"model_state_units":       {"first", "last", "first"},
		"gen_center_source":       {"buffer", "rollout", "buffer"},
		"env_args.prey_nearest":   {"prey", "official", "prey"},
	}
	for i, compat := range []string{"default", "official", "paper"} {
		x, err := experiment.Resolve(config.User{Flags: map[string]string{"env": "pp", "alg": "macpro", "profile": "paper", "compat": compat}})
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range rows {
			if got, ok := x.Settings[key]; !ok || fmt.Sprint(got) != fmt.Sprint(want[i]) {
				t.Errorf("compat %s: %s is %v, want %v", compat, key, got, want[i])
			}
		}
	}
	for compat, want := range map[string][2]string{"default": {"reset", "damage"}, "official": {"copy", "absolute"}, "paper": {"reset", "damage"}} {
		x, err := experiment.Resolve(config.User{Flags: map[string]string{"env": "sz", "alg": "macpro", "compat": compat}})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]any{x.Settings["new_head"], x.Settings["env_args.shield_reward"]}; got != [2]any{want[0], want[1]} {
			t.Errorf("sz, compat %s: new_head and shield_reward are %v, want %v", compat, got, want)
		}
	}
}

// MACPro can start on every environment under every profile and compat.
func TestMACProStartsEverywhere(t *testing.T) {
	t.Parallel()
	for _, env := range registry.Envs.Names() {
		for _, profile := range configs.Names("profiles") {
			for _, compat := range append([]string{"default"}, configs.Names("compat")...) {
				flags := map[string]string{"env": env, "alg": "macpro", "learner": "vdn", "profile": profile, "compat": compat}
				x, err := experiment.Resolve(config.User{Flags: flags})
				if err != nil {
					t.Fatal(err)
				}
				s, err := x.Open(nil)
				if err != nil {
					t.Errorf("%v: %v", flags, err)
					continue
				}
				if err := s.Runner.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// Every ablation changes something for every method that it applies to.
func TestAblationsChangeTheConfiguration(t *testing.T) {
	for _, name := range registry.Ablations.Names() {
		p, err := registry.Ablations.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		algs := p.Algs()
		if len(algs) == 0 {
			algs = registry.Methods.Names()
		}
		for _, alg := range algs {
			flags := map[string]string{"env": "lbf", "alg": alg}
			whole, err := experiment.Resolve(config.User{Flags: flags})
			if err != nil {
				t.Fatal(err)
			}
			flags["ablation"] = name
			ablated, err := experiment.Resolve(config.User{Flags: flags})
			if err != nil {
				t.Errorf("%s of %s: %v", name, alg, err)
			} else if ablated.Config.Hash() == whole.Config.Hash() {
				t.Errorf("%s changes nothing in %s", name, alg)
			}
		}
	}
}

// What the profiles promise, as numbers.
func TestProfiles(t *testing.T) {
	for _, c := range []struct {
		env, profile, key string
		want              any
	}{
		{"lbf", "paper", "steps_per_task", 400000}, {"pp", "paper", "steps_per_task", 500000},
		{"lbf", "paper", "target_update_interval", 200}, {"lbf", "paper", "td_lambda", 0.0},
		{"pp", "paper", "test_interval", 10000}, {"pp", "paper", "reset_epsilon", false},
		{"lbf", "reduced", "steps_per_task", 80000}, {"pp", "reduced", "steps_per_task", 200000},
		{"lbf", "reduced", "td_lambda", 0.8}, {"pp", "reduced", "reset_epsilon", true},
		{"lbf", "reduced", "epsilon_anneal_time", 40000}, {"lbf", "reduced", "target_update_interval", 50},
		{"pp", "reduced", "explore_sticky", 0.8}, {"lbf", "reduced", "explore_sticky", 0.0},
		{"pp", "reduced", "alpha_reg", 0.005}, {"lbf", "reduced", "alpha_reg", 50.0}, {"pp", "paper", "alpha_reg", 500.0},
		{"pp", "reduced", "poe_prior", false}, {"lbf", "reduced", "poe_prior", true}, {"pp", "paper", "poe_prior", false},
		{"lbf", "smoke", "steps_per_task", 40000}, {"pp", "smoke", "explore_sticky", 0.8},
		{"lbf", "smoke", "explore_sticky", 0.0}, {"lbf", "smoke", "feature_scale", 0.2},
	} {
		x, err := experiment.Resolve(config.User{Flags: map[string]string{"env": c.env, "alg": "macpro", "profile": c.profile}})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Settings[c.key]; got != c.want {
			t.Errorf("%s on %s: %s = %v, want %v", c.profile, c.env, c.key, got, c.want)
		}
	}
}

// Configurations of the first release are what they were, by their hashes: how
// the built-in files are cut into sections, and keys that came later with their
// neutral values, change none. Whoever changes a default on purpose changes its
// line.
func TestConfigurationsStay(t *testing.T) {
	data, err := os.ReadFile("testdata/config_hashes.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != 54 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		f := strings.Fields(line)
		x, err := experiment.Resolve(config.User{Flags: map[string]string{"env": f[0], "alg": f[1], "profile": f[2]}})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Config.Hash(); got != f[3] {
			t.Errorf("%s: the hash is %s", line, got)
		}
	}
}

// Every built-in plugin that a table can show has a name for it.
func TestTablesNamePlugins(t *testing.T) {
	lib := library()
	for kind, c := range map[string]struct {
		names []string
		label func(string) string
	}{
		"env": {configs.Names("envs"), lib.EnvLabel}, "learner": {configs.Names("learners"), lib.LearnerLabel}, "method": {configs.Names("algs"), lib.MethodLabel},
	} {
		if len(c.names) < 4 {
			t.Errorf("only the %ss %v", kind, c.names)
		}
		for _, name := range c.names {
			if c.label(name) == name {
				t.Errorf("%s %s has no name in configs/tables/names.yaml", kind, name)
			}
		}
	}
}
