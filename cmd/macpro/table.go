package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/report"
	"macpro/core/store"
)

func newTable() *cobra.Command {
	var f sourceFlags
	var format, file, export string
	kinds := report.TableKinds()
	cmd := &cobra.Command{
		Use:   "table " + strings.Join(kinds, "|"),
		Short: "Print a table of the paper from one's own runs, with the paper's numbers beside them",
		Long:  tableHelp(),
		Example: `  macpro table ablation --sweep paper_ablation-reduced
  macpro table main --where profile=reduced --stats iqm
  macpro table integrative --sweep paper_integrative-reduced --format tex -o integrative.tex
  macpro table main --sweep paper_main-reduced --export results/paper_main/runs
  macpro table main --from results/paper_main/runs --format md`,
		ValidArgs: kinds,
		Args:      exactly(1, " "+strings.Join(kinds, "|")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(kinds, args[0]) {
				return usage(names.Unknown("table", args[0], kinds))
			}
			format, err := formatOf(format, file)
			if err != nil {
				return usage(err)
			}
			tables, err := f.tables(cmd, args[0])
			if err != nil {
				return err
			}
			if export != "" {
				if err := exportRuns(tables, export); err != nil {
					return err
				}
			}
			if file == "" {
				if format == "text" && terminal(cmd.OutOrStdout()) {
					format = "color"
				}
				return report.Write(cmd.OutOrStdout(), format, tables)
			}
			var b bytes.Buffer
			if err := report.Write(&b, format, tables); err != nil {
				return err
			}
			return store.WriteOutput(file, b.Bytes())
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&format, "format", "", "text, md, tex, csv or json (default by the extension of -o, or text)")
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write")
	cmd.Flags().StringVar(&export, "export", "", "folder for a summary file of every run in the table")
	return cmd
}

func tableHelp() string {
	var b strings.Builder
	b.WriteString("Tables:\n")
	for _, k := range report.TableKinds() {
		fmt.Fprintf(&b, "  %-15s %s\n", k, report.TableHelp(k))
	}
	b.WriteString(`
Only finished runs count. Runs are averaged that differ in nothing but the seed;
what is missing is shown as missing. Below a row stands what the paper printed
and, in brackets, our mean minus the paper's.`)
	return b.String()
}

// tables builds the tables of a kind. Runs that do not fit together, and none at
// all, are the caller's mistake.
func (f *sourceFlags) tables(cmd *cobra.Command, kind string) ([]*report.Table, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	set, err := f.load(cmd.ErrOrStderr(), nil)
	if err != nil {
		return nil, err
	}
	tables, err := report.Build(kind, set, o)
	return tables, ofSelection(err)
}

// ofSelection marks errors that another choice of runs would solve.
func ofSelection(err error) error {
	var unlike *report.UnlikeError
	var none *report.NoRunsError
	switch {
	case errors.As(err, &unlike):
		return usage(fmt.Errorf("%w\n  choose with --sweep or --where key=value, or mix them on purpose with --mix", err))
	case errors.As(err, &none):
		return usage(err)
	}
	return err
}

// formatOf chooses the format of a table.
func formatOf(format, file string) (string, error) {
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(file), ".")
		if format == "" || format == "txt" {
			format = "text"
		}
	}
	if !slices.Contains(report.Formats(), format) {
		return "", names.Unknown("format", format, report.Formats())
	}
	return format, nil
}

func exportRuns(tables []*report.Table, dir string) error {
	set := &report.Set{}
	for _, t := range tables {
		for _, s := range t.Runs {
			if !slices.Contains(set.Runs, s) {
				set.Runs = append(set.Runs, s)
			}
		}
	}
	return set.Save(store.OS(), dir)
}

// terminal says whether a writer is a terminal.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
