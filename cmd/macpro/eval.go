package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/names"
	"macpro/core/store"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	tasks, modes string
	episodes     int
	at           int64
	rows         bool
	sets         []string
}

func newEval() *cobra.Command {
	var out output
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval RUN",
		Short: "Test the networks of a recorded run",
		Long: `Tests the networks of a checkpoint with greedy episodes and changes nothing in
the run's folder. All randomness derives from the run's seed, the task, the mode
and the checkpoint's step, so an evaluation repeats the test of that time.

--tasks takes "seen" (those whose training has begun), "all" (the run's
sequence), "generalization" (the sequence and the tasks that are only ever
tested), or names separated by commas.`,
		Example: `  macpro eval results/runs/RUN
  macpro eval RUN --tasks generalization --episodes 64
  macpro eval RUN --tasks right,bottom --modes oracle,random --rows --json
  macpro eval RUN --at 40000 --set probe_nepisode=5`,
		Args: exactly(1, " RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out.streams(cmd)
			dir, err := runFolder(out.dir, args[0])
			if err != nil {
				return err
			}
			return evaluate(out, dir, o)
		},
	}
	out.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.tasks, "tasks", "seen", "seen, all, generalization, or names separated by commas")
	f.StringVar(&o.modes, "modes", "", "test modes separated by commas (default all of the method)")
	f.IntVar(&o.episodes, "episodes", 0, "episodes per task and mode (default test_nepisode)")
	f.Int64Var(&o.at, "at", -1, "step of the checkpoint (default the newest)")
	f.StringArrayVar(&o.sets, "set", nil, "change a key for the tests, such as probe_nepisode=5; may be repeated")
	f.BoolVar(&o.rows, "rows", false, "show every episode")
	return cmd
}

// evaluate loads a checkpoint of a run and tests it.
func evaluate(out output, dir string, o evalOptions) error {
	if o.episodes < 0 {
		return usage(fmt.Errorf("--episodes %d: want at least 1", o.episodes))
	}
	s, rec, err := reopen(out, dir, config.User{File: filepath.Join(dir, "config.yaml"), Sets: o.sets})
	if err != nil {
		return err
	}
	s.display = newDisplay(out.stderr, io.Discard, out.quiet, 0)
	c, err := s.checkpointOf(rec, o.at)
	if err != nil {
		return err
	}
	if err := s.runner.Load(c.Open); err != nil {
		return err
	}
	what, err := s.evalWhat(o)
	if err != nil {
		return err
	}
	stop := watchSignals(s.display.log, "ending after this test")
	results, err := s.runner.Evaluate(stop.ctx, what)
	stop.close()
	if err = errors.Join(stop.reason(err), s.runner.Close()); err != nil {
		return err
	}
	if out.json {
		return printJSON(out.stdout, evaluationOf(rec, c, results, o.rows))
	}
	return printEvaluation(out.stdout, results, o.rows)
}

// checkpointOf finds the checkpoint to test: the newest, or that of a step.
func (s *session) checkpointOf(rec *store.Record, at int64) (*store.Checkpoint, error) {
	if at >= 0 {
		c, err := rec.CheckpointAt(at)
		return c, usage(err)
	}
	c, warnings, err := rec.LatestCheckpoint()
	for _, w := range warnings {
		s.display.log.Warn(w)
	}
	if err == nil && c == nil {
		err = usage(fmt.Errorf("%s has no checkpoint yet, so there is nothing to test", rec.Dir))
	}
	return c, err
}

// evalWhat turns the flags into tasks and modes and checks their names.
func (s *session) evalWhat(o evalOptions) (continual.EvalOptions, error) {
	e := continual.EvalOptions{Episodes: o.episodes}
	if o.modes != "" {
		e.Modes = strings.Split(o.modes, ",")
	}
	for _, m := range e.Modes {
		if !slices.Contains(s.runner.Modes(), m) {
			return e, usage(names.Unknown("test mode of "+s.alg.Info().Name, m, s.runner.Modes()))
		}
	}
	switch o.tasks {
	case "all":
	case "generalization":
		e.Generalization = true
	case "seen":
		e.Tasks = s.runner.Tasks()[:s.runner.Begun()]
	default:
		list, err := s.env.Tasks(s.settings)
		if err != nil {
			return e, err
		}
		known := append([]string{"all", "seen", "generalization"}, taskOrder(list)...)
		e.Tasks = strings.Split(o.tasks, ",")
		for _, t := range e.Tasks {
			if !slices.Contains(known[3:], t) {
				return e, usage(names.Unknown("task of "+s.env.Info().Name, t, known))
			}
		}
	}
	return e, nil
}
