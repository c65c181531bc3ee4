package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/report/draw"
	"macpro/core/report/tables"
	"macpro/core/store"
)

func newPlot() *cobra.Command {
	var f sourceFlags
	var file string
	kinds := library().FigureKinds()
	cmd := &cobra.Command{
		Use:   "plot " + strings.Join(kinds, "|") + "|FILE.yaml",
		Short: "Draw a figure of the paper from your own runs",
		Long:  figureHelp(),
		Example: `  macpro plot main --sweep paper_main-reduced -o main.png
  macpro plot tasks --sweep paper_main-reduced --env lbf -o lbf.pdf
  macpro plot configurations --sweep my_grid-reduced
  macpro plot ablation --from results/reduced -o ablation.svg
  macpro plot mine.yaml --sweep my-reduced`,
		ValidArgs: kinds,
		Args:      exactly(1, " "+strings.Join(kinds, "|")+"|FILE.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, err := kindOf("figure", args[0], kinds, library().AddFigure)
			if err != nil {
				return usage(err)
			}
			if err := readKeys(cmd, library().Figure(kind).Table); err != nil {
				return err
			}
			file = cmp.Or(file, kind+".png")
			ext := strings.TrimPrefix(filepath.Ext(file), ".")
			if ext == "" {
				return usage(fmt.Errorf("-o %s: a figure is a file and its ending the format: want a file name that ends in .png, .svg or .pdf", file))
			}
			if !slices.Contains(draw.Formats(), ext) {
				return usage(names.Unknown("figure format", ext, draw.Formats()))
			}
			o, err := f.options()
			if err != nil {
				return err
			}
			set, err := f.load(cmd.ErrOrStderr(), nil)
			if err != nil {
				return err
			}
			figures, err := tables.Draw(kind, set, o)
			if err != nil {
				return f.ofSelection(set, err)
			}
			written, err := draw.Save(store.WriteOutput, file, figures)
			for _, name := range written {
				fmt.Fprintln(cmd.OutOrStdout(), names.Plain(name))
			}
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write, png, svg or pdf (default the figure's name and png)")
	return cmd
}

func figureHelp() string {
	var b strings.Builder
	b.WriteString("Figures:\n")
	for _, k := range library().FigureKinds() {
		fmt.Fprintf(&b, "  %-15s %s\n", k, library().Figure(k).Help)
	}
	b.WriteString(`
A method has the same color everywhere. Only finished runs are drawn.

FILE.yaml is a figure of your own, in the form of the files in configs/figures: what
is drawn, and what the runs of each curve are like.`)
	return b.String()
}
