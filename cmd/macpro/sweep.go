package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/config"
	"macpro/core/names"
	"macpro/core/store"
	"macpro/core/sweep"
	"macpro/registry/experiment"
)

type sweepFlags struct {
	out        string
	name       string
	profile    string
	seeds      string
	keys       map[string]*string // --alg, --env, ...
	sets       []string
	written    map[string]string // by key: what the user wrote, see config.User
	from       string
	grid       []string
	estimate   bool
	dryRun     bool
	search     sweep.Search
	execution  executionFlags
	searchSeed int64
	left       map[string]int // keys, by the number of points that do not have them
	notes      []string       // what the user may not expect of the plan
	slow       *slowly
}

// axisFlags are the keys that have a flag of their own in sweeps.
var axisFlags = []string{"alg", "env", "learner", "ablation", "compat"}

func newSweep() *cobra.Command {
	f := sweepFlags{keys: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "sweep [EXPERIMENT|FILE] [flags]",
		Short: "Run a grid of runs that can be killed and resumed",
		Long: `Runs an experiment: every point of a grid with every seed, a process a cell.
EXPERIMENT is a name that "macpro list sweeps" shows, FILE a YAML of the same
form; without either the grid comes from --grid alone.

A finished run with the configuration of a cell is taken and not made again. A
flag such as --env lbf,pp chooses among the values that the experiment has, or
sets the key if it has none. If only some methods, learners or environments have a
key, it is set in their cells alone. The others then have one cell for all of its
values. The sweep can be stopped or killed at any time. "macpro sweep resume" goes on. The exit code is 0 only when all cells are done.
A sweep has at most 100,000 cells. The keys of all are checked before anything
starts; of more than 200 configurations those are opened that bring something new.`,
		Example: `  macpro sweep paper_ablation --profile reduced
  macpro sweep paper_main --profile reduced --env lbf,pp --estimate
  macpro sweep --alg macpro --env pp --grid alpha_reg=0,50,500,5000 --grid alpha_cont_g=0.01,0.1 --seeds 1..3
  macpro sweep --env lbf --grid "lr=loguniform(1e-4,1e-2)" --strategy asha --trials 20 --name lr
  macpro sweep paper_main --profile paper --executor slurm --sbatch=--partition=long --throttle 50 --wait`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(fmt.Errorf("one experiment at a time, got %s", strings.Join(args, " ")))
			}
			if len(args) == 0 && cmd.Flags().NFlag() == 0 {
				return usage(errors.New("want an experiment (\"macpro list sweeps\" shows them), a file, or a grid of your own, as in --env lbf --grid lr=1e-3,5e-4"))
			}
			return notSweepVerb(cmd, strings.Join(args, ""))
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, strings.Join(args, "")) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "results", "folder of the results")
	fs.StringVar(&f.name, "name", "", "name of the sweep (default experiment and profile; without an experiment a hash of the cells)")
	fs.StringVar(&f.profile, "profile", "", "budget: smoke, reduced or paper (default the experiment's own, or reduced)")
	fs.StringVar(&f.seeds, "seeds", "", "seeds of every configuration, such as 1..5 or 1,2,7")
	for _, key := range axisFlags {
		f.keys[key] = fs.String(key, "", "values of "+key+", separated by commas")
	}
	fs.StringArrayVar(&f.sets, "set", nil, "set a key in all cells; may be repeated")
	fs.StringVar(&f.from, "from", "", "start all cells with the networks of RUN or RUN@STEP")
	fs.StringArrayVar(&f.grid, "grid", nil, "key=value,value,... to vary, or for random and asha a range: uniform(a,b), loguniform(a,b), int(a,b), logint(a,b), choice(a,b); may be repeated")
	fs.BoolVar(&f.estimate, "estimate", false, "say what the sweep would cost and stop")
	fs.BoolVar(&f.dryRun, "dry-run", false, "check and list the cells and stop")
	fs.StringVar(&f.search.Strategy, "strategy", "grid", "grid, random or asha")
	fs.IntVar(&f.search.Trials, "trials", 20, "configurations that random and asha draw")
	fs.Int64Var(&f.searchSeed, "search-seed", 1, "seed of these draws")
	fs.IntVar(&f.search.Eta, "eta", 3, "asha: one in eta configurations is promoted to eta times the steps")
	fs.Int64Var(&f.search.First, "first-rung", 10000, "asha: transitions before the first decision")
	f.execution.add(cmd)
	cmd.AddCommand(newSweepStatus(), newSweepResume(), newSweepCancel(), newSweepBest(), newSweepWork())
	return cmd
}

func (f *sweepFlags) run(cmd *cobra.Command, experiment string) error {
	x, err := f.execution.prepare(cmd, f.search)
	if err != nil {
		return err
	}
	err = errors.Join(
		readBy(cmd, "--strategy random or asha", f.search.Strategy != "grid", "trials", "search-seed"),
		readBy(cmd, "--strategy asha", f.search.Strategy == "asha", "eta", "first-rung"))
	if err != nil {
		return err
	}
	own, written := pluginSets(cmd)
	f.sets, f.written = append(f.sets, own...), written
	if f.from != "" {
		u := config.User{Flags: map[string]string{}}
		if _, err := origin(f.out, f.from, &u); err != nil {
			return err
		}
		f.sets = append(f.sets, "from="+u.Flags["from"])
		f.written["from"] = "--from " + f.from
	}
	f.slow = &slowly{log: x.view.log}
	plan, cells, err := f.plan(experiment)
	if err != nil {
		return usage(err)
	}
	for _, note := range leftOut(f.left) {
		x.view.log.Info(note)
	}
	for _, note := range f.notes {
		x.view.log.Warn(note)
	}
	switch {
	case f.dryRun:
		return printCells(cmd.OutOrStdout(), cells)
	case f.estimate:
		return f.printEstimate(cmd.OutOrStdout(), plan, cells)
	}
	s, err := sweep.Create(store.OS(), f.out, plan, cells, f.slow.show("writing the configurations"))
	if _, exists := errors.AsType[*sweep.ExistsError](err); exists {
		return usage(err)
	}
	if err != nil {
		return err
	}
	return x.execute(s)
}

func newSweepResume() *cobra.Command {
	var out string
	var skip, only bool
	var f executionFlags
	cmd := &cobra.Command{
		Use:   "resume SWEEP",
		Short: "Go on with a sweep: what is pending, was interrupted or has failed",
		Long: `Goes on with a sweep as it was started: in the same place, with as many cells at
the same time, the same arguments for Slurm and the same environment. Flags change
that for this call. The command then says so.`,
		Example: `  macpro sweep resume paper_ablation-reduced
  macpro sweep resume paper_ablation-reduced --jobs 1
  macpro sweep resume paper_ablation-reduced --skip-failed`,
		Args: exactly(1, " SWEEP"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := sweep.Find(store.OS(), out, args[0])
			if err != nil {
				return usage(err)
			}
			changed := f.goOn(cmd, s.Execution)
			switch {
			case only && skip:
				return usage(errors.New("--skip-failed and --only-failed exclude each other"))
			case only && s.Search.Adaptive():
				return usage(errors.New("--only-failed: a search by asha decides itself which cells go on; it tries those that have failed first"))
			case only:
				f.pick = sweep.OnlyFailed
			case skip:
				f.pick = sweep.SkipFailed
			}
			x, err := f.prepare(cmd, s.Search)
			if err != nil {
				return err
			}
			for _, text := range changed {
				x.view.log.Info("for this call: " + text)
			}
			// Cells whose runs are gone are left to do again.
			if err := s.Forget(sweep.NewRuns(store.OS(), out)); err != nil {
				return err
			}
			if err := s.Outdated(experiment.VersionOf); err != nil {
				return err
			}
			if err := s.Revive(); err != nil {
				return err
			}
			s.Environ = f.Environ
			return x.execute(s)
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the results")
	cmd.Flags().BoolVar(&skip, "skip-failed", false, "leave cells that have failed alone")
	cmd.Flags().BoolVar(&only, "only-failed", false, "try the cells that have failed again and leave the others alone")
	f.add(cmd)
	return cmd
}

// self is how this program is called.
func self() ([]string, error) {
	path, err := os.Executable()
	return []string{path}, err
}

// execute works on a sweep and reports what became of it.
func (x *execution) execute(s *sweep.Sweep) error {
	if slurm, ok := x.executor.(sweep.Slurm); ok {
		slurm.Report = append(slices.Clone(slurm.Command), "report", "--sweep", s.ID, "--out", experiment.Absolute(s.Root), "-o", experiment.Absolute(s.Path("report.html")))
		x.executor = slurm
	}
	x.view.begin(s)
	stop := watchSignals(x.view.log, "the cells write checkpoints and stop", func() {
		x.view.end()
		x.view.hint("quit at once; the cells stop by themselves; go on with", sweep.ResumeCommand(s.ID, s.Root))
	})
	err := x.executor.Execute(stop.ctx, s)
	stop.close()
	x.view.end()
	err = stop.reason(err)
	var stopped *stoppedError
	if errors.As(err, &stopped) || errors.Is(err, sweep.ErrCancelled) {
		x.view.hint("stopped; go on with", sweep.ResumeCommand(s.ID, s.Root))
		return err
	}
	if slurm, ok := x.executor.(sweep.Slurm); ok && err == nil && !slurm.Wait {
		x.view.hint("the cells are Slurm's now; look with", strings.Replace(sweep.ResumeCommand(s.ID, s.Root), "resume", "status", 1))
		return nil
	}
	if err == nil {
		err = s.Unfinished()
	}
	x.view.summary(s)
	return err
}

func newSweepCancel() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "cancel SWEEP",
		Short:   "Stop a sweep; its cells write checkpoints and can be resumed",
		Example: `  macpro sweep cancel paper_ablation-reduced`,
		Args:    exactly(1, " SWEEP"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := sweep.Find(store.OS(), out, args[0])
			if err != nil {
				return usage(err)
			}
			if s.Over() {
				return usage(fmt.Errorf("sweep %s has ended, there is nothing to cancel: %s", s.ID, countsText(s)))
			}
			if err := s.Cancel(); err != nil {
				return err
			}
			if err := (sweep.Slurm{}).Cancel(context.Background(), s); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "sweep %s is cancelled; go on with: %s\n", names.Plain(s.ID), sweep.ResumeCommand(s.ID, s.Root))
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the results")
	return cmd
}

// newSweepWork is what a task of a job array runs.
func newSweepWork() *cobra.Command {
	var out string
	var skip bool
	var batch, task, jobs int
	cmd := &cobra.Command{
		Use: "work SWEEP", Hidden: true, Args: exactly(1, " SWEEP"),
		Short: "Work on the cells of one task of a job array",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := sweep.Find(store.OS(), out, args[0])
			if err != nil {
				return usage(err)
			}
			if err := s.Outdated(experiment.VersionOf); err != nil {
				return err
			}
			cells, err := s.Chunk(batch, task)
			if err != nil {
				return usage(err)
			}
			pick := sweep.Everything
			if skip {
				pick = sweep.SkipFailed
			}
			return sweepWork(cmd, s, cells, jobs, pick)
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the results")
	cmd.Flags().IntVar(&batch, "batch", 0, "number of the submission")
	cmd.Flags().IntVar(&task, "task", 0, "number of the task in it")
	cmd.Flags().IntVar(&jobs, "jobs", 1, "cells at the same time, in a search that decides while they run")
	cmd.Flags().BoolVar(&skip, "skip-failed", false, "leave cells that have failed alone")
	return cmd
}

// sweepWork takes one cell after the other, or plays a whole search. Near the end of its time the task
// gets SIGUSR1: it saves and asks for another turn.
func sweepWork(cmd *cobra.Command, s *sweep.Sweep, cells []*sweep.Cell, jobs int, pick sweep.Pick) error {
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	view := newSweepView(cmd.ErrOrStderr(), false)
	view.begin(s)
	program, err := self()
	if err != nil {
		return err
	}
	stop := watchSignals(log, "the cell writes a checkpoint and stops", view.end)
	ctx, turn := context.WithCancelCause(stop.ctx)
	atLimit := watchTimeLimit(turn)
	if s.Search.Adaptive() {
		err = sweep.Local{Command: program, Jobs: jobs, Pick: pick, Watch: view}.Execute(ctx, s)
	} else {
		w := sweep.Worker{Sweep: s, Command: program, Jobs: 1, Threads: 1, Retries: 1, Watch: view}
		err = w.Run(ctx, cells)
	}
	turn(nil)
	stop.close()
	view.end()
	if atLimit() {
		return s.Requeue(context.Background())
	}
	return stop.reason(err)
}
