package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/report"
	"macpro/core/report/read"
	"macpro/core/store"
)

func newPublish() *cobra.Command {
	var f sourceFlags
	cmd := &cobra.Command{
		Use:   "publish DIR...",
		Short: "Write all tables and figures of a folder of run summaries",
		Long: `Makes every table and figure that the run summaries in a folder give, from these
files alone: DIR/tables/KIND.md, .csv and .tex, DIR/figures/KIND.png, .svg and .pdf.
Kinds that no run belongs to have no file.
The configurations of a grid have a table and a figure of their own.
The same summaries give the same bytes, so that the folder can be committed.

With --sweep the finished runs of sweeps are added to the folder first, a small
summary file a run. A run takes the place of an older one with the same
configuration. If the runs of the folder and the new ones must not be mixed, nothing is added.`,
		Example: `  macpro publish results/reduced --sweep paper_main-reduced --sweep paper_ablation-reduced
  macpro publish results/reduced`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage(fmt.Errorf("want a folder of run summaries, as in \"%s results/reduced\"", cmd.CommandPath()))
			case len(args) > 1 && len(f.sweeps) > 0:
				return usage(fmt.Errorf("--sweep adds runs to one folder, got %s", strings.Join(args, " ")))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var errs []error
			for _, dir := range args {
				errs = append(errs, f.publish(dir, cmd.OutOrStdout(), cmd.ErrOrStderr()))
			}
			return errors.Join(errs...)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "results", "folder of the results with the sweeps")
	fs.StringArrayVar(&f.sweeps, "sweep", nil, "add the finished runs of this sweep first; may be repeated")
	fs.StringVar(&f.stats, "stats", "mean", "mean: mean and standard deviation; iqm: interquartile mean with bootstrap intervals")
	fs.BoolVar(&f.mix, "mix", false, "allow runs that differ in more than the seed, and say so")
	return cmd
}

// publish adds the runs of the chosen sweeps to a folder and makes its tables and
// figures anew.
func (f *sourceFlags) publish(dir string, out, warn io.Writer) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if len(f.sweeps) > 0 {
		set, err := f.load(warn, nil)
		if err != nil {
			return err
		}
		written, notes, err := set.Add(store.OS(), dir, func(joined *read.Set) error {
			refused, err := report.Check(joined, o)
			return errors.Join(err, unlike(dir, refused, "Nothing was added"))
		})
		for _, n := range notes {
			fmt.Fprintln(warn, "note:", names.Plain(n))
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "summaries of %s are in %s\n", names.Many(len(written), "finished run"), names.Plain(dir))
	}
	set, err := (&sourceFlags{from: dir}).load(warn, nil)
	if err != nil {
		return err
	}
	if len(set.Runs) == 0 {
		return usage(fmt.Errorf("%s holds no summary of a run: nothing was written or removed; add runs with --sweep", dir))
	}
	p, err := report.Publish(store.OS(), dir, set, o)
	if err != nil {
		return err
	}
	for _, name := range p.Written {
		fmt.Fprintln(out, names.Plain(filepath.ToSlash(name)))
	}
	if len(p.Nothing) > 0 {
		fmt.Fprintf(out, "no finished runs for: %s\n", strings.Join(p.Nothing, ", "))
	}
	if len(p.Grids) > 0 {
		fmt.Fprintf(out, "a grid, whose configurations are not averaged and have the table and the figure configurations; without: %s\n", strings.Join(p.Grids, ", "))
	}
	return unlike(dir, p.Refused, "Their files are as they were")
}

// unlike is the error for kinds whose runs must not be mixed, with what became of the folder.
func unlike(dir string, refused []string, became string) error {
	if len(refused) == 0 {
		return nil
	}
	return usage(fmt.Errorf("%s: %s\n  %s. Give the runs folders of their own, or mix them on purpose with --mix", dir, strings.Join(refused, "\n"), became))
}
