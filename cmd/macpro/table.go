package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/report/alike"
	"macpro/core/report/format"
	"macpro/core/report/read"
	"macpro/core/report/tables"
	"macpro/core/store"
)

func newTable() *cobra.Command {
	var f sourceFlags
	var ext, file, export string
	kinds := library().Kinds()
	cmd := &cobra.Command{
		Use:   "table " + strings.Join(kinds, "|") + "|FILE.yaml",
		Short: "Print a table of the paper from your own runs, with the paper's numbers beside them",
		Long:  tableHelp(),
		Example: `  macpro table ablation --sweep paper_ablation-reduced
  macpro table main --where profile=reduced --stats iqm
  macpro table integrative --sweep paper_integrative-reduced --format tex -o integrative.tex
  macpro table main --sweep paper_main-reduced --export results/paper_main/runs
  macpro table main --from results/paper_main/runs --format md
  macpro table mine.yaml --sweep my-reduced`,
		ValidArgs: kinds,
		Args:      exactly(1, " "+strings.Join(kinds, "|")+"|FILE.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, err := kindOf("table", args[0], kinds, library().Add)
			if err != nil {
				return usage(err)
			}
			if err := readKeys(cmd, kind); err != nil {
				return err
			}
			ext, err := formatOf(ext, file)
			if err != nil {
				return usage(err)
			}
			made, err := f.tables(cmd, kind)
			if err != nil {
				return err
			}
			if export != "" {
				if err := exportRuns(made, export); err != nil {
					return err
				}
			}
			if file == "" {
				if w := cmd.OutOrStdout(); ext == "text" && terminal(w) {
					return format.Show(w, made, columnsOf(w), coloured(w))
				}
				return format.Write(cmd.OutOrStdout(), ext, made)
			}
			var b bytes.Buffer
			if err := format.Write(&b, ext, made); err != nil {
				return err
			}
			return store.WriteOutput(file, b.Bytes())
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&ext, "format", "", "text, md, tex, csv or json (default by the extension of -o, or text)")
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write")
	cmd.Flags().StringVar(&export, "export", "", "folder for a summary file of every run in the table")
	return cmd
}

func tableHelp() string {
	var b strings.Builder
	b.WriteString("Tables:\n")
	for _, k := range library().Kinds() {
		fmt.Fprintf(&b, "  %-15s %s\n", k, library().Table(k).Help)
	}
	b.WriteString(`
Only finished runs count. Runs are averaged that differ in nothing but the seed;
what the paper printed and was not run is shown as missing. Below a row stands
what the paper printed and, in brackets, our mean minus the paper's.

FILE.yaml is a table of your own, in the form of the files in configs/tables:
which rows and columns it has, and what the runs of each are like.`)
	return b.String()
}

// readKeys refuses --key for a table that shows no values of keys.
func readKeys(cmd *cobra.Command, table string) error {
	t := library().Table(table)
	return readBy(cmd, "the values of a key, as sensitivity shows them", t != nil && slices.Contains(t.Each, "key"), "key")
}

// kindOf is the name of a table or a figure; a file is read first.
func kindOf(what, arg string, kinds []string, add func(kind, file string, data []byte) error) (string, error) {
	ext := filepath.Ext(arg)
	if ext != ".yaml" && ext != ".yml" {
		if !slices.Contains(kinds, arg) {
			return "", names.Unknown(what, arg, kinds)
		}
		return arg, nil
	}
	data, err := store.ReadFile(store.OS(), arg)
	if err != nil {
		return "", err
	}
	kind := strings.TrimSuffix(filepath.Base(arg), ext)
	return kind, add(kind, arg, data)
}

// tables builds the tables of a kind. Runs that do not fit together, and none at
// all, are the caller's mistake.
func (f *sourceFlags) tables(cmd *cobra.Command, kind string) ([]*format.Table, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	set, err := f.load(cmd.ErrOrStderr(), nil)
	if err != nil {
		return nil, err
	}
	made, err := tables.Build(kind, set, o)
	return made, f.ofSelection(set, err)
}

// ofSelection marks errors that another choice of runs would solve.
func (f *sourceFlags) ofSelection(set *read.Set, err error) error {
	var unlike *alike.Error
	var none *read.NoRunsError
	switch {
	case errors.As(err, &unlike) && unlike.Grid:
		return usage(fmt.Errorf("%w\n  macpro table configurations and macpro plot configurations show each; choose with --sweep or --where key=value, or mix them on purpose with --mix", err))
	case errors.As(err, &unlike):
		return usage(fmt.Errorf("%w\n  choose with --sweep or --where key=value, or mix them on purpose with --mix", err))
	case errors.As(err, &none) && len(set.Runs) == 0 && len(set.Warnings) == 0:
		return usage(fmt.Errorf("%w: %s", err, f.empty()))
	case errors.As(err, &none):
		return usage(err)
	}
	return err
}

func formatOf(name, file string) (string, error) {
	if name == "" {
		name = strings.TrimPrefix(filepath.Ext(file), ".")
		if name == "" || name == "txt" {
			name = "text"
		}
	}
	if !slices.Contains(format.Formats(), name) {
		return "", names.Unknown("format", name, format.Formats())
	}
	return name, nil
}

func exportRuns(made []*format.Table, dir string) error {
	set := &read.Set{}
	for _, t := range made {
		for _, s := range t.Runs {
			if !slices.Contains(set.Runs, s) {
				set.Runs = append(set.Runs, s)
			}
		}
	}
	return set.Save(store.OS(), dir)
}
