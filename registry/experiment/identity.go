package experiment

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/store"
	"macpro/registry"
	"macpro/registry/remote"
)

// Manifest describes the run for its folder.
func (s *Session) Manifest() store.Manifest {
	c := s.Runner.Config()
	m := store.Manifest{
		Name: s.Name, Alg: s.Method.Info().Name, Env: s.Env.Info().Name, Learner: s.Learner.Info().Name,
		Sequence: c.SequenceName(), Tasks: tasksOf(s.Runner.Specs()), Seed: c.Seed, TMax: s.Runner.Total(),
		ConfigHash: s.Config.Hash(), GroupHash: s.Config.GroupHash(), EnvHash: envHash(s.Runner.Specs()),
		Profile: s.Choices["profile"].Value, Compat: s.Choices["compat"].Value, Unhashed: s.Config.Unhashed(), Overridden: s.Config.Overridden(),
		Origin: s.origin, Versions: store.Versions{Macpro: FullVersion(), Go: runtime.Version()}, Argv: os.Args,
	}
	if a := s.Choices["ablation"].Value; a != "none" {
		m.Ablation = a
	}
	note := func(kind string, p registry.Plugin) {
		info := p.Info()
		m.Versions.Plugins = append(m.Versions.Plugins, store.PluginVersion{Kind: kind, Name: info.Name, Version: info.Version, Hash: hashOf(p)})
	}
	note(remote.KindEnv, s.Env)
	note(remote.KindMethod, s.Method)
	note(remote.KindLearner, s.Learner)
	if s.Ablation != nil {
		note(remote.KindAblation, s.Ablation)
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

// tasksOf names the tasks in their order, each with the hash of its constants.
func tasksOf(specs []core.EnvSpec) []store.Task {
	out := make([]store.Task, len(specs))
	for i, spec := range specs {
		out[i] = store.Task{Name: spec.Task, Hash: spec.Hash}
	}
	return out
}

// envHash covers the constants of all tasks in their order.
func envHash(specs []core.EnvSpec) string {
	var b strings.Builder
	for _, spec := range specs {
		fmt.Fprintf(&b, "%s %s\n", spec.Task, spec.Hash)
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))
}

// Reopen rebuilds a recorded run from its configuration and makes sure that it
// still means the same. threads is the number of threads, 0 for the recorded one.
func Reopen(dir string, threads int, w Watch) (*Session, *store.Record, error) {
	if err := store.Settle(store.OS(), dir, recordedAs); err != nil {
		return nil, nil, err
	}
	rec, err := store.Load(store.OS(), dir)
	if err != nil {
		return nil, nil, err
	}
	u := config.User{File: filepath.Join(dir, "config.yaml")}
	if threads != 0 {
		u.Flags = map[string]string{"threads": strconv.Itoa(threads)}
	}
	x, err := Resolve(u)
	if err != nil {
		return nil, nil, err
	}
	s, err := x.Open(w)
	if err != nil {
		return nil, nil, err
	}
	if c := s.changes(rec); len(c) > 0 {
		return nil, nil, errors.Join(c[0].refuse(dir), s.Runner.Close())
	}
	return s, rec, nil
}

// change is something that has another state now than when a run was recorded.
type change struct{ what, was, now string }

// What can have changed, in the words of errors.
const (
	changedConfig    = "the configuration"
	changedConstants = "the tasks' constants"
)

// changes compares the session with what was recorded, which need not have the
// run's ablation.
func (s *Session) changes(rec *store.Record) []change {
	now, was := s.Manifest(), rec.Manifest
	kinds := remote.Kinds()
	if !slices.ContainsFunc(was.Versions.Plugins, func(p store.PluginVersion) bool { return p.Kind == remote.KindAblation }) {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == remote.KindAblation })
	}
	all := []change{
		{changedConfig, was.ConfigHash, now.ConfigHash},
		{changedConstants, was.EnvHash, now.EnvHash},
		{"the plugins", pluginText(was.Versions, kinds), pluginText(now.Versions, kinds)},
	}
	return slices.DeleteFunc(all, func(c change) bool { return c.was == c.now })
}

// refuse says what would bring the recorded state back.
func (c change) refuse(dir string) error {
	remedy := "use the program and the plugins that made it"
	switch c.what {
	case changedConfig:
		remedy = "put config.yaml back as it was, or start a new run with macpro run --config"
	case changedConstants:
		remedy = "leave tasks' settings (env_args) as recorded, or use the program that made it"
	}
	return fmt.Errorf("%s was recorded with another state of %s than there is now (recorded %s, now %s): %s", dir, c.what, c.was, c.now, remedy)
}
