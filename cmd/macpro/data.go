package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/report/data"
	"macpro/core/report/read"
	"macpro/core/store"
	"macpro/core/sweep"
)

// dataFormats are the formats of data with the ends of their files' names.
var dataFormats = []string{"csv", "parquet", "marl-eval", "sacred"}

func newData() *cobra.Command {
	var f sourceFlags
	var form, file string
	var unfinished bool
	cmd := &cobra.Command{
		Use:   "data [SWEEP|RUN ...]",
		Short: "Write the numbers of recorded runs as one table, for pandas and other programs",
		Long: `Writes what runs recorded: those that are named, those of named sweeps, or all.

  csv, parquet  one long table, a row a number: run, seed, method, ablation, env,
                learner, profile, settings, task, mode, seen, t_env, metric, value.
                mode is train or a test's. settings are the keys with other values
                than the profile's. Measures over all tasks have no task.
  marl-eval     the JSON file that marl-eval reads. Its steps are the tests at the
                borders of tasks, which have every task
  sacred        a folder with a numbered subfolder for every run, as PyMARL has it
                in results/sacred. Runs that are there keep their numbers

Only finished runs are written, unless --unfinished is set. docs/trackers.md shows
how to read the files in pandas, marl-eval, MLflow and Weights & Biases.`,
		Example: `  macpro data paper_main-reduced -o main.parquet
  macpro data first -o first.csv
  macpro data --where env=lbf --where alg=macpro -o lbf.csv
  macpro data paper_main-reduced --format csv -o - | head
  macpro data paper_main-reduced -o main.json
  macpro data --format sacred -o results/sacred`,
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := f.split(args)
			if err != nil {
				return usage(err)
			}
			form, err := dataFormat(form, file)
			if err != nil {
				return usage(err)
			}
			runs, err := f.finished(cmd.ErrOrStderr(), named, unfinished)
			if err != nil {
				return err
			}
			switch form {
			case "sacred":
				return writeSacred(cmd, file, runs)
			case "marl-eval":
				return store.StreamOutput(file, func(w io.Writer) error { return data.MARLEval(w, store.OS(), runs) })
			case "parquet":
				return store.StreamOutput(file, func(w io.Writer) error { return data.Parquet(w, rowsOf(runs)) })
			}
			return store.StreamOutput(file, func(w io.Writer) error { return data.CSV(w, rowsOf(runs)) })
		},
	}
	f.choose(cmd.Flags())
	cmd.Flags().StringVar(&f.from, "from", "", "folder of run summaries to use instead of runs; they have scores only")
	cmd.Flags().StringVar(&form, "format", "", "csv, parquet, marl-eval or sacred (default by the extension of -o; .json is marl-eval)")
	cmd.Flags().StringVarP(&file, "output", "o", "-", "file to write, - for standard output; for sacred a folder")
	cmd.Flags().BoolVar(&unfinished, "unfinished", false, "also write runs that are not done")
	return cmd
}

// split takes the names of sweeps among the arguments to the flag's and returns those
// of runs. A name of both is the sweep.
func (f *sourceFlags) split(args []string) (runs []string, err error) {
	for _, name := range args {
		_, noSweep := sweep.Find(store.OS(), f.out, name)
		if noSweep == nil {
			f.sweeps = append(f.sweeps, name)
			continue
		}
		if _, noRun := findRun(f.out, name); noRun != nil {
			return nil, fmt.Errorf("%w; %w", noSweep, noRun)
		}
		runs = append(runs, name)
	}
	return runs, nil
}

func dataFormat(name, file string) (string, error) {
	if name != "" {
		if !slices.Contains(dataFormats, name) {
			return "", names.Unknown("format", name, dataFormats)
		}
		if name == "sacred" && file == "-" {
			return "", errors.New("--format sacred writes a folder: name it with -o, as in -o results/sacred")
		}
		return name, nil
	}
	switch ext := strings.TrimPrefix(filepath.Ext(file), "."); ext {
	case "csv", "parquet":
		return ext, nil
	case "json":
		return "marl-eval", nil
	case "":
		return "csv", nil
	default:
		return "", fmt.Errorf("-o %s: its end .%s is no format of data; use .csv, .parquet or .json (marl-eval), or say --format", file, ext)
	}
}

// finished reads the runs that are done, each configuration once, and with
// unfinished all that can be read.
func (f *sourceFlags) finished(warn io.Writer, named []string, unfinished bool) ([]*read.Summary, error) {
	set, err := f.load(warn, named)
	if err != nil {
		return nil, err
	}
	if unfinished {
		if len(set.Runs) == 0 {
			return nil, usage(errors.New("no runs for the data: " + f.empty()))
		}
		return set.Runs, nil
	}
	done, notes := set.Finished()
	for _, n := range notes {
		fmt.Fprintln(warn, "note:", names.Plain(n))
	}
	switch {
	case len(set.Runs) == 0:
		return nil, usage(errors.New("no finished runs for the data: " + f.empty()))
	case len(done) == 0:
		return nil, usage(errors.New("no finished runs for the data; --unfinished takes others, too"))
	}
	return done, nil
}

func rowsOf(runs []*read.Summary) iter.Seq2[data.Row, error] {
	return func(yield func(data.Row, error) bool) {
		for _, s := range runs {
			for row, err := range data.Rows(store.OS(), s) {
				if !yield(row, err) {
					return
				}
			}
		}
	}
}

// writeSacred writes the Sacred view of runs into numbered folders and prints them.
func writeSacred(cmd *cobra.Command, dir string, runs []*read.Summary) error {
	folder, err := store.OpenSacred(store.OS(), dir)
	if err != nil {
		return err
	}
	for _, s := range runs {
		if s.Dir == "" {
			return usage(errors.New("--format sacred needs the runs themselves; summaries (--from) have no journal"))
		}
		rec, err := store.Load(store.OS(), s.Dir)
		if err != nil {
			return err
		}
		made, err := folder.Add(rec)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), names.Plain(made)+"  "+names.Plain(s.ID)); err != nil {
			return err
		}
	}
	return nil
}
