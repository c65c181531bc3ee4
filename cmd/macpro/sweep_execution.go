package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/sweep"
)

// executionFlags say how cells are run. resume has them as well.
type executionFlags struct {
	sweep.Execution
	pick      sweep.Pick
	quiet     bool
	wait      bool
	variables []string // of --env-var
}

func (f *executionFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Executor, "executor", "local", "local or slurm")
	fs.IntVar(&f.Jobs, "jobs", 0, "cells that run at the same time on this machine, or in the one task of asha with slurm (default the number of processors)")
	fs.BoolVar(&f.quiet, "quiet", false, "print warnings and errors only")
	fs.StringArrayVar(&f.Sbatch, "sbatch", nil, "argument for sbatch, such as --sbatch=--partition=long; may be repeated")
	fs.IntVar(&f.Pack, "pack", 0, "cells in one task of a job array (default as many as make a task worth its start)")
	fs.IntVar(&f.Throttle, "throttle", 0, "tasks of a job array that run at the same time (default no limit)")
	fs.BoolVar(&f.wait, "wait", false, "with slurm: wait for the end, and submit lost cells again")
	fs.StringArrayVar(&f.variables, "env-var", nil, "environment variable of the cells, NAME or NAME=VALUE, that resume keeps; may be repeated")
}

// keptVariables are those that say where programs and plugins find what they need.
// A sweep keeps them for cells that start in another environment.
var keptVariables = []string{"LD_LIBRARY_PATH", "PYTHONPATH", "SC2PATH", "VIRTUAL_ENV", "XDG_CONFIG_HOME"}

// keep collects the environment of the cells: the variables that are kept if they
// are set, and those of --env-var.
func (f *executionFlags) keep() error {
	f.Environ = map[string]string{}
	for _, name := range keptVariables {
		if v, ok := os.LookupEnv(name); ok {
			f.Environ[name] = v
		}
	}
	return f.addVariables()
}

func (f *executionFlags) addVariables() error {
	for _, text := range f.variables {
		name, v, given := strings.Cut(text, "=")
		if !given {
			v, given = os.LookupEnv(name)
		}
		switch {
		case name == "":
			return usage(fmt.Errorf("--env-var %q: want NAME or NAME=VALUE", text))
		case strings.HasPrefix(name, "MACPRO_"):
			return usage(fmt.Errorf("--env-var %s: keys of cells are set by --set", text))
		case !given:
			return usage(fmt.Errorf("--env-var %s: there is no such variable here; write --env-var %s=VALUE", name, name))
		}
		f.Environ[name] = v
	}
	return nil
}

// goOn takes over how a sweep was run where no flag says otherwise, and says what
// flags change.
func (f *executionFlags) goOn(cmd *cobra.Command, was sweep.Execution) (changed []string) {
	f.Environ = was.Environ
	if f.Environ == nil {
		f.Environ = map[string]string{}
	}
	take := func(flag string, now, before any, use func()) {
		if !cmd.Flags().Changed(flag) {
			use()
		} else if n, b := fmt.Sprint(now), fmt.Sprint(before); n != b {
			changed = append(changed, fmt.Sprintf("--%s %s instead of %s", flag, n, b))
		}
	}
	take("executor", f.Executor, was.Executor, func() { f.Executor = was.Executor })
	take("jobs", f.Jobs, orDefault(was.Jobs), func() { f.Jobs = was.Jobs })
	take("sbatch", f.Sbatch, was.Sbatch, func() { f.Sbatch = was.Sbatch })
	take("pack", f.Pack, orDefault(was.Pack), func() { f.Pack = was.Pack })
	take("throttle", f.Throttle, orDefault(was.Throttle), func() { f.Throttle = was.Throttle })
	return changed
}

// orDefault is a number, or the word for one that was not chosen.
func orDefault(n int) any {
	if n == 0 {
		return "the default"
	}
	return n
}

// execution runs a sweep in front of a user.
type execution struct {
	executor sweep.Executor
	view     *sweepView
}

// prepare checks the flags and builds the executor for cells that are found by a
// search.
func (f *executionFlags) prepare(cmd *cobra.Command, search sweep.Search) (*execution, error) {
	err := errors.Join(
		atLeast(cmd, "jobs", 1), atLeast(cmd, "pack", 0), atLeast(cmd, "throttle", 0),
		readBy(cmd, "--executor slurm", f.Executor != "local", "sbatch", "pack", "throttle", "wait"),
		readBy(cmd, "job arrays; --strategy asha is one task on Slurm, with --jobs cells at a time", !search.Adaptive(), "pack", "throttle"))
	if err != nil {
		return nil, err
	}
	if f.Environ == nil {
		err = f.keep()
	} else {
		err = f.addVariables()
	}
	if err != nil {
		return nil, err
	}
	jobs := cmp.Or(f.Jobs, runtime.NumCPU())
	x := &execution{view: newSweepView(cmd.ErrOrStderr(), f.quiet)}
	program, err := self()
	if err != nil {
		return nil, err
	}
	say := func(l func(string, ...any)) func(string, ...any) {
		return func(format string, args ...any) { l(fmt.Sprintf(format, args...)) }
	}
	switch f.Executor {
	case "local":
		x.executor = sweep.Local{Command: program, Jobs: jobs, Pick: f.pick, Watch: x.view}
	case "slurm":
		x.executor = sweep.Slurm{
			Command: program, Args: f.Sbatch, Pack: f.Pack, Throttle: f.Throttle, Jobs: jobs, Pick: f.pick, Wait: f.wait, Every: 5 * time.Second,
			Log: say(x.view.log.Info), Warn: say(x.view.log.Warn),
		}
	default:
		return nil, usage(names.Unknown("executor", f.Executor, []string{"local", "slurm"}))
	}
	return x, nil
}
