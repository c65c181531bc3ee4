package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"macpro/core/config"
	"macpro/core/names"
	"macpro/core/store"
	"macpro/registry/remote"
)

func newResume() *cobra.Command {
	var out output
	var threads int
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was stopped, killed or has failed",
		Long: `Goes on with a run from its newest complete checkpoint. RUN is its folder or its
name below results/runs. What the run writes from then on is, byte for byte,
what it would have written without the stop.`,
		Example: `  macpro resume results/runs/macpro-lbf-qmix-s1-20261128T101500-3f9a07
  macpro resume macpro-lbf-qmix-s1-20261128T101500-3f9a07 --threads 1`,
		Args: exactly(1, " RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out.streams(cmd)
			dir, err := runFolder(out.dir, args[0])
			if err != nil {
				return err
			}
			u := config.User{File: filepath.Join(dir, "config.yaml")}
			if cmd.Flags().Changed("threads") {
				u.Flags = map[string]string{"threads": strconv.Itoa(threads)}
			}
			return resume(out, dir, u)
		},
	}
	out.addFlags(cmd)
	cmd.Flags().IntVar(&threads, "threads", 0, "1 to shards (2); results do not depend on it")
	return cmd
}

// resume restores the newest checkpoint of a run and plays it to its end.
func resume(out output, dir string, u config.User) error {
	s, rec, err := reopen(out, dir, u)
	if err != nil {
		return err
	}
	if err := rec.Status.Resumable(); err != nil {
		return usage(fmt.Errorf("%s: %w", dir, err))
	}
	var warnings []string
	err = s.attach(func() (run *store.Run, err error) {
		run, warnings, err = store.Open(store.OS(), dir)
		return run, err
	})
	if err != nil {
		return err
	}
	for _, w := range warnings {
		s.display.log.Warn(w)
	}
	if c := s.run.LatestCheckpoint(); c != nil {
		if err := s.runner.Load(c.Open); err != nil {
			return s.fail(err)
		}
		s.announce("goes on at t_env " + strconv.FormatInt(c.TEnv, 10))
	} else {
		s.announce("has no checkpoint yet and starts again")
	}
	return s.play()
}

// reopen rebuilds a recorded run from its configuration and makes sure that it
// still means the same.
func reopen(out output, dir string, u config.User) (*session, *store.Record, error) {
	rec, err := store.Load(store.OS(), dir)
	if err != nil {
		return nil, nil, err
	}
	x, err := resolve(u)
	if err != nil {
		return nil, nil, err
	}
	s, err := x.open(out)
	if err != nil {
		return nil, nil, err
	}
	if c := s.changes(rec); len(c) > 0 {
		return nil, nil, c[0].refuse(dir)
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
func (s *session) changes(rec *store.Record) []change {
	now, was := s.manifest(), rec.Manifest
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

// unknownRun names the recorded run that a wrong name was meant to be.
func unknownRun(out, name string) error {
	runs, _, err := store.List(store.OS(), out)
	if err != nil {
		return err
	}
	var known []string
	for _, r := range runs {
		known = append(known, r.Manifest.ID)
	}
	err = fmt.Errorf("no run %q: it is neither a run's folder nor a name in %s", name, filepath.Join(out, "runs"))
	if near := names.Nearest(name, known); near != "" {
		err = fmt.Errorf("%w, did you mean %q?", err, near)
	}
	return err
}
