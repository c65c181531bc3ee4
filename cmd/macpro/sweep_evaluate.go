package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"macpro/core/config"
	"macpro/core/sweep"
	"macpro/registry/experiment"
)

// evaluationEpisodes finds out, before anything is trained, whether the networks
// of a cell can be tested as the sweep asks for, and how many episodes each of
// the evaluations plays. trained is the cell's own session.
func evaluationEpisodes(user config.User, trained *experiment.Session, list []sweep.Evaluate) ([]int64, error) {
	var out []int64
	for _, e := range list {
		n, err := episodesOf(user, trained, e)
		if err != nil {
			return nil, fmt.Errorf("evaluate %s: %w", e.Label(), err)
		}
		out = append(out, n)
	}
	return out, nil
}

// episodesOf opens the cell as the evaluation will and counts what it plays.
func episodesOf(user config.User, trained *experiment.Session, e sweep.Evaluate) (n int64, err error) {
	s := trained
	if len(e.Sets) > 0 {
		if s, err = openWith(user, e.Sets); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, s.Runner.Close()) }()
		was, now := trained.Manifest(), s.Manifest()
		otherTasks := was.EnvHash != now.EnvHash && !slices.ContainsFunc(e.Sets, experiment.OfTasks)
		if was.Env != now.Env || otherTasks || was.Alg != now.Alg || was.Learner != now.Learner {
			return 0, errors.New("its keys change what was trained; change keys of the tests, or of the tasks with env_args")
		}
	}
	o := experiment.EvalOptions{Tasks: cmp.Or(e.Tasks, "seen"), Modes: e.Modes}
	what, err := s.Tests(o, len(s.Runner.Tasks()))
	return int64(len(what.Tasks) * len(what.Modes) * s.Runner.Config().TestEpisodes), err
}

// openWith opens a cell with some keys changed. Its settings may already have them.
func openWith(user config.User, sets []string) (*experiment.Session, error) {
	if err := experiment.CheckSets(sets); err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(slices.Clone(user.Sets), func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		return slices.ContainsFunc(sets, func(set string) bool { return strings.HasPrefix(set, key+"=") })
	})
	user.Sets = append(own, sets...)
	x, err := experiment.Resolve(user)
	if err != nil {
		return nil, err
	}
	return x.Open(nil)
}
