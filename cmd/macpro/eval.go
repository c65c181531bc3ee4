package main

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"github.com/spf13/cobra"

	"macpro/registry/experiment"
)

type evalOptions struct {
	experiment.EvalOptions
	at     int64
	rows   bool
	render renderFlags
}

func newEval() *cobra.Command {
	var out output
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval RUN",
		Short: "Test the networks of a recorded run",
		Long: `Tests the networks of a checkpoint with greedy episodes. Every test and episode is
written to a file in the run's folder evaluations. Tables read these files. All
randomness derives from the run's seed, the task, the mode and the checkpoint's step.
So an evaluation repeats the test of that time, and the same evaluation gives the same
file. In a folder that cannot be written to the results are only shown.

--tasks takes "seen" (those whose training has begun), "all" (the run's
sequence), "generalization" (the environment's tasks that are only ever tested), or
names of tasks and of the environment's sequences, separated by commas. A task that the sequence has several times is name,
name#2 and so on. The checkpoint says which tasks were trained, not the
configuration.

--set env_args.KEY=VALUE tests on other tasks than those that were trained, such as
battles with another sight or on the game itself (env_args.backend=sc2).

--render draws the first episodes of every test: all of them one after the other
in a gif, or a numbered png or svg for every state. Agents have the colour of the
head that acts for them. --render-ascii prints the same in letters, for
environments that are boards. Neither changes what is tested.`,
		Example: `  macpro eval results/runs/RUN
  macpro eval RUN --tasks generalization --episodes 64
  macpro eval RUN --tasks pp10 --modes ctde
  macpro eval RUN --tasks right,bottom --modes oracle,random_head --rows --json
  macpro eval RUN --at 40000 --set probe_nepisode=5
  macpro eval RUN --tasks right --modes ctde --render right.gif
  macpro eval RUN --tasks seen --modes oracle --render-ascii --render-episodes 2`,
		Args: exactly(1, " RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out.streams(cmd)
			if err := errors.Join(atLeast(cmd, "episodes", 1), atLeast(cmd, "at", 0), o.render.used(cmd)); err != nil {
				return err
			}
			dir, err := runFolder(out.dir, args[0])
			if err != nil {
				return err
			}
			return evaluate(out, dir, o)
		},
	}
	out.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Name, "name", "", "name of the evaluation in tables (default seen, all or generalization as --tasks says, else tasks)")
	f.StringVar(&o.Tasks, "tasks", "seen", "seen, all, generalization or names of tasks and sequences, separated by commas")
	f.StringVar(&o.Modes, "modes", "", "test modes separated by commas (default all of the method)")
	f.IntVar(&o.Episodes, "episodes", 0, "episodes per task and mode (default test_nepisode)")
	f.Int64Var(&o.at, "at", -1, "step of the checkpoint; -1 is the newest")
	alias(cmd, "at", "checkpoint")
	f.StringArrayVar(&o.Sets, "set", nil, "change a key for the tests, such as probe_nepisode=5; may be repeated")
	f.BoolVar(&o.rows, "rows", false, "show every episode")
	o.render.add(f)
	return cmd
}

// evaluate loads a checkpoint of a run, tests it and keeps what came out.
func evaluate(out output, dir string, o evalOptions) error {
	if err := experiment.CheckSets(o.Sets); err != nil {
		return usage(err)
	}
	film, err := o.render.begin()
	if err != nil {
		return usage(err)
	}
	n, err := loadNetworks(out, dir, o.at, o.Sets)
	if err != nil {
		return err
	}
	o.Watch = film.watch(n)
	stop := watchSignals(n.show.display.log, "ending after this test", n.show.display.stop)
	e, results, err := n.Evaluate(stop.ctx, o.EvalOptions)
	stop.close()
	if err = errors.Join(stop.reason(err), n.Runner.Close()); err != nil {
		return err
	}
	path, err := n.Record.SaveEvaluation(e)
	locked := errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
	if locked { // somebody else's run: what came out is worth showing all the same
		n.show.display.log.Warn("the run's folder cannot be written to, the evaluation is not kept: " + err.Error())
		err = nil
	}
	if err == nil {
		err = film.end(out)
	}
	if err != nil {
		return err
	}
	if out.json {
		if !o.rows {
			for i := range e.Tests {
				e.Tests[i].Rows = nil
			}
		}
		return printJSON(out.stdout, e)
	}
	if err := printEvaluation(out.stdout, results, o.rows); err != nil {
		return err
	}
	if !locked {
		n.show.say("every episode is in %s\n", path)
	}
	return nil
}

// networks are those of a recorded run's checkpoint, with what shows them.
type networks struct {
	*experiment.Networks
	show *session // without a run
}

// loadNetworks loads a checkpoint of a run; at is -1 for the newest. sets change
// keys.
func loadNetworks(out output, dir string, at int64, sets []string) (*networks, error) {
	s := &session{out: out, display: newDisplay(out.stderr, io.Discard, out.quiet, nil)}
	n, err := experiment.LoadNetworks(dir, at, sets, s)
	if err != nil {
		return nil, err
	}
	return &networks{n, s}, nil
}
