package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"macpro/core"
	"macpro/core/nn"
	"macpro/core/store"
	"macpro/registry"
	"macpro/registry/remote"
)

// header says what a run is made of.
func (s *session) header() string {
	c := s.runner.Config()
	overlays := "profile " + s.choices["profile"].Value
	for _, o := range []struct{ key, none string }{{"compat", "default"}, {"ablation", "none"}} {
		if v := s.choices[o.key].Value; v != o.none {
			overlays += ", " + o.key + " " + v
		}
	}
	return fmt.Sprintf("run      %s on %s with %s, %s\nseed     %d\ntasks    %s (%d steps each)\nkernels  %s, %d threads\nconfig   %s\n",
		s.alg.Info().Name, s.env.Info().Name, s.learner.Info().Name, overlays, c.Seed,
		strings.Join(s.runner.Tasks(), ", "), c.StepsPerTask, nn.KernelPath(), c.Threads, s.config.Hash())
}

// announce prints the header and where the record is, and notes them in the
// run's log.
func (s *session) announce(what string) {
	s.say("%sfolder   %s\n", s.header(), s.run.Dir())
	s.display.file.Info("the run "+what, "seed", s.runner.Config().Seed, "config", s.config.Hash(), "env", s.env.Info().Name,
		"tasks", strings.Join(s.runner.Tasks(), ","), "kernels", nn.KernelPath(), "threads", s.runner.Config().Threads)
}

// manifest describes the run for its folder.
func (s *session) manifest() store.Manifest {
	c := s.runner.Config()
	m := store.Manifest{
		Alg: s.alg.Info().Name, Env: s.env.Info().Name, Learner: s.learner.Info().Name,
		Sequence: c.Sequence, Seed: c.Seed,
		ConfigHash: s.config.Hash(), GroupHash: s.config.GroupHash(), EnvHash: envHash(s.runner.Specs()),
		Profile: s.choices["profile"].Value, Compat: s.choices["compat"].Value, Unhashed: s.config.Unhashed(),
		Versions: store.Versions{Macpro: fullVersion(), Go: runtime.Version()}, Argv: os.Args,
	}
	if a := s.choices["ablation"].Value; a != "none" {
		m.Ablation = a
	}
	note := func(kind string, p registry.Plugin) {
		info := p.Info()
		m.Versions.Plugins = append(m.Versions.Plugins, store.PluginVersion{Kind: kind, Name: info.Name, Version: info.Version, Hash: hashOf(p)})
	}
	note(remote.KindEnv, s.env)
	note(remote.KindMethod, s.alg)
	note(remote.KindLearner, s.learner)
	if s.ablation != nil {
		note(remote.KindAblation, s.ablation)
	}
	return m
}

// pluginText is the plugins of some kinds with their versions in one line.
func pluginText(v store.Versions, kinds []string) string {
	var out []string
	for _, p := range v.Plugins {
		if !slices.Contains(kinds, p.Kind) {
			continue
		}
		out = append(out, strings.TrimSpace(p.Kind+" "+p.Name+" "+p.Version+" "+p.Hash))
	}
	return strings.Join(out, ", ")
}

// envHash covers the constants of all tasks in their order.
func envHash(specs []core.EnvSpec) string {
	var b strings.Builder
	for _, spec := range specs {
		fmt.Fprintf(&b, "%s %s\n", spec.Task, spec.Hash)
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))
}
