package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/report/tables"
	"macpro/core/store"
	"macpro/core/sweep"
)

func newSweepBest() *cobra.Command {
	var out, metric, mode string
	var top int
	cmd := &cobra.Command{
		Use:   "best SWEEP",
		Short: "Rank the configurations of a sweep and print the command of the best",
		Example: `  macpro sweep best lr-smoke
  macpro sweep best lr-smoke --metric forgetting --top 3`,
		Args: exactly(1, " SWEEP"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if top < 1 {
				return usage(fmt.Errorf("--top %d: want at least 1", top))
			}
			s, err := sweep.Find(store.OS(), out, args[0])
			if err != nil {
				return usage(err)
			}
			f := sourceFlags{out: out, sweeps: []string{s.ID}}
			set, err := f.load(cmd.ErrOrStderr(), nil)
			if err != nil {
				return err
			}
			ranks, err := tables.Rank(set, metric, mode)
			if err != nil {
				return usage(err)
			}
			w := cmd.OutOrStdout()
			table := [][]string{{"configuration", "seeds", metric, "95 % interval", "steps"}}
			for _, r := range ranks[:min(top, len(ranks))] {
				table = append(table, []string{varied(s, r.Group), fmt.Sprint(len(r.Values)), fmt.Sprintf("%.3f ± %.3f", r.Mean, r.Std),
					fmt.Sprintf("[%.3f, %.3f]", r.Interval.Low, r.Interval.High), fmt.Sprint(r.Steps)})
			}
			if err := printTable(w, table); err != nil {
				return err
			}
			if c := cellWith(s, ranks[0].Group); c != nil {
				_, err = fmt.Fprintf(w, "the best again; another --seed makes a new run:\n  %s\n", bestCommand(c))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the results")
	cmd.Flags().StringVar(&metric, "metric", "final_average", strings.Join(tables.RankMetrics(), ", "))
	cmd.Flags().StringVar(&mode, "mode", "", "test mode (default the method's own)")
	cmd.Flags().IntVar(&top, "top", 10, "configurations to show")
	return cmd
}

// cellWith finds a cell of a group.
func cellWith(s *sweep.Sweep, group string) *sweep.Cell {
	for _, c := range s.Cells {
		if c.GroupHash == group {
			return c
		}
	}
	return nil
}

// varied lists the settings of a group in which the sweep's cells differ.
func varied(s *sweep.Sweep, group string) string {
	c := cellWith(s, group)
	if c == nil {
		return group
	}
	var out []string
	for _, kv := range c.Sets {
		everywhere := true
		for _, other := range s.Cells {
			everywhere = everywhere && slices.Contains(other.Sets, kv)
		}
		if !everywhere && !strings.HasPrefix(kv, "seed=") {
			out = append(out, kv)
		}
	}
	if out == nil {
		return c.Alg
	}
	return strings.Join(out, " ")
}

// bestCommand is how a cell is run by itself, as a line for the shell.
func bestCommand(c *sweep.Cell) string {
	line := "macpro run"
	for _, kv := range c.Sets {
		key, v, _ := strings.Cut(kv, "=")
		switch key {
		case "seed":
		case "alg", "env", "learner", "profile", "compat", "ablation":
			line += " --" + key + " " + v
		default:
			line += " --set '" + strings.ReplaceAll(kv, "'", `'\''`) + "'"
		}
	}
	return fmt.Sprintf("%s --seed %d", line, c.Seed)
}
