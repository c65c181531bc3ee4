package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/names"
	"macpro/core/record"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	name         string
	tasks, modes string
	episodes     int
	at           int64
	rows         bool
	sets         []string
	render       renderFlags
}

func newEval() *cobra.Command {
	var out output
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval RUN",
		Short: "Test the networks of a recorded run",
		Long: `Tests the networks of a checkpoint with greedy episodes and writes every test and
episode to a file in the run's folder evaluations, which tables read. All randomness
derives from the run's seed, the task, the mode and the checkpoint's step, so an
evaluation repeats the test of that time and the same one gives the same file. In
a folder that cannot be written to the results are only shown.

--tasks takes "seen" (those whose training has begun), "all" (the run's
sequence), "generalization" (the environment's tasks that are only ever tested),
or names, separated by commas. A task that the sequence has several times is name,
name#2 and so on. Which tasks were trained is the checkpoint's to
say, not the configuration's.

--set env_args.KEY=VALUE tests on other tasks than those that were trained, such as
battles with another sight or on the game itself (env_args.backend=sc2).

--render draws the first episodes of every test: all of them one after the other
in a gif, or a numbered png or svg for every state. Agents have the colour of the
head that acts for them. --render-ascii prints the same in letters, for
environments that are boards. Neither changes what is tested.`,
		Example: `  macpro eval results/runs/RUN
  macpro eval RUN --tasks generalization --episodes 64
  macpro eval RUN --tasks right,bottom --modes oracle,random_head --rows --json
  macpro eval RUN --at 40000 --set probe_nepisode=5
  macpro eval RUN --tasks right --modes ctde --render right.gif
  macpro eval RUN --tasks seen --modes oracle --render-ascii --render-episodes 2`,
		Args: exactly(1, " RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out.streams(cmd)
			if err := errors.Join(atLeast(cmd, "episodes", 1), atLeast(cmd, "at", 0)); err != nil {
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
	f.StringVar(&o.name, "name", "", "name of the evaluation in tables (default seen, all or generalization as --tasks says, else tasks)")
	f.StringVar(&o.tasks, "tasks", "seen", "seen, all, generalization or names, separated by commas")
	f.StringVar(&o.modes, "modes", "", "test modes separated by commas (default all of the method)")
	f.IntVar(&o.episodes, "episodes", 0, "episodes per task and mode (default test_nepisode)")
	f.Int64Var(&o.at, "at", -1, "step of the checkpoint (default the newest)")
	f.StringArrayVar(&o.sets, "set", nil, "change a key for the tests, such as probe_nepisode=5; may be repeated")
	f.BoolVar(&o.rows, "rows", false, "show every episode")
	o.render.add(f)
	return cmd
}

// evaluate loads a checkpoint of a run, tests it and keeps what came out.
func evaluate(out output, dir string, o evalOptions) error {
	if err := checkEvalSets(o.sets); err != nil {
		return usage(err)
	}
	film, err := o.render.begin()
	if err != nil {
		return usage(err)
	}
	n, err := loadNetworks(out, dir, o.at, o.sets)
	if err != nil {
		return err
	}
	what, err := n.evalWhat(o, n.runner.Begun())
	if err != nil {
		return errors.Join(err, n.runner.Close())
	}
	what.Watch = film.watch(n)
	stop := watchSignals(n.display.log, "ending after this test")
	results, err := n.runner.Evaluate(stop.ctx, what)
	stop.close()
	if err = errors.Join(stop.reason(err), n.runner.Close()); err != nil {
		return err
	}
	if len(results) == 0 {
		return usage(fmt.Errorf("none of the modes %s is defined for %s: nothing was tested",
			strings.Join(what.Modes, ", "), strings.Join(what.Tasks, ", ")))
	}
	e, err := n.record(o, results)
	if err != nil {
		return err
	}
	path, err := n.rec.SaveEvaluation(e)
	locked := errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
	if locked { // somebody else's run: what came out is worth showing all the same
		n.display.log.Warn("the run's folder cannot be written to, the evaluation is not kept: " + err.Error())
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
		n.say("every episode is in %s\n", path)
	}
	return nil
}

// checkEvalSets refuses to change what the checkpoint knows.
func checkEvalSets(sets []string) error {
	for _, set := range sets {
		switch key, _, _ := strings.Cut(set, "="); key {
		case "tasks", "sequence":
			return fmt.Errorf("--set %s: the tasks that were trained are in the checkpoint; choose those to test with --tasks", set)
		case "env", "alg", "learner", "seed":
			return fmt.Errorf("--set %s: a checkpoint is tested with the %s that it was trained with", set, key)
		}
	}
	return nil
}

// evalWhat turns the flags into tasks and modes and checks their names. The
// training of the first seen tasks has begun.
func (s *session) evalWhat(o evalOptions, seen int) (continual.EvalOptions, error) {
	e := continual.EvalOptions{Episodes: o.episodes, Modes: s.runner.Modes()}
	if o.modes != "" {
		e.Modes = nil
		for _, m := range strings.Split(o.modes, ",") {
			if !slices.Contains(e.Modes, m) {
				e.Modes = append(e.Modes, m)
			}
		}
	}
	modes := slices.Concat(s.runner.Modes(), s.runner.EvalModes())
	for _, m := range e.Modes {
		if !slices.Contains(modes, m) {
			return e, usage(names.Unknown("test mode of "+s.alg.Info().Name, m, modes))
		}
	}
	list, err := s.env.Tasks(s.settings)
	if err != nil {
		return e, err
	}
	all := record.Labels(s.runner.Tasks())
	groups := map[string][]string{
		"seen": all[:seen], "all": all, "generalization": list.Generalization,
	}
	known := taskOrder(list)
	for _, word := range strings.Split(o.tasks, ",") {
		tasks, ok := groups[word]
		switch {
		case ok && len(tasks) == 0:
			return e, usage(fmt.Errorf("--tasks %s: %s has no such tasks", word, s.env.Info().Name))
		case !ok && !slices.Contains(known, word) && !slices.Contains(all, word):
			words := slices.Concat([]string{"all", "seen", "generalization"}, known, all)
			slices.Sort(words)
			return e, usage(names.Unknown("task of "+s.env.Info().Name, word, slices.Compact(words)))
		case !ok:
			tasks = []string{word}
		}
		for _, t := range tasks {
			if !slices.Contains(e.Tasks, t) {
				e.Tasks = append(e.Tasks, t)
			}
		}
	}
	return e, nil
}

// record is the record of what came out.
func (n *networks) record(o evalOptions, results []continual.TestResult) (*record.Evaluation, error) {
	base, err := n.baseHash(o.sets)
	if err != nil {
		return nil, err
	}
	e := &record.Evaluation{
		Run: n.rec.Manifest.ID, Name: o.label(), Sets: o.sets, TEnv: n.checkpoint.TEnv, Checkpoint: n.checkpoint.Digest(),
		ConfigHash: n.config.Hash(), Edited: base != n.rec.Manifest.ConfigHash,
	}
	for i := range results {
		e.Tests = append(e.Tests, results[i].Record())
	}
	asked := record.Asked{Tasks: o.tasks, Modes: o.modes, Given: o.episodes}.Count(e.Tests)
	e.Asked = &asked
	return e, nil
}

// baseHash is the hash of the run's configuration as it is now, without the keys
// that the tests change.
func (n *networks) baseHash(sets []string) (string, error) {
	if len(sets) == 0 {
		return n.config.Hash(), nil
	}
	x, err := resolve(config.User{File: filepath.Join(n.rec.Dir, "config.yaml")})
	if err != nil {
		return "", err
	}
	return x.config.Hash(), nil
}

// label is the name of an evaluation that the user gives none.
func (o *evalOptions) label() string {
	switch {
	case o.name != "":
		return o.name
	case slices.Contains([]string{"seen", "all", record.Generalization}, o.tasks):
		return o.tasks
	}
	return "tasks"
}
