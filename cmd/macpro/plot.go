package main

import (
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
		Use:   "plot " + strings.Join(kinds, "|"),
		Short: "Draw a figure of the paper from your own runs",
		Long:  figureHelp(),
		Example: `  macpro plot main --sweep paper_main-reduced -o main.png
  macpro plot tasks --sweep paper_main-reduced --env lbf -o lbf.pdf
  macpro plot ablation --from results/paper_ablation/runs -o ablation.svg`,
		ValidArgs: kinds,
		Args:      exactly(1, " "+strings.Join(kinds, "|")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(kinds, args[0]) {
				return usage(names.Unknown("figure", args[0], kinds))
			}
			if file == "" {
				file = args[0] + ".png"
			}
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
			figures, err := tables.Draw(args[0], set, o)
			if err != nil {
				return ofSelection(err)
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
	b.WriteString("\nA method has the same color everywhere. Only finished runs are drawn.")
	return b.String()
}
