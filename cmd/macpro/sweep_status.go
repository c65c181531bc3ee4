package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/store"
	"macpro/core/sweep"
)

func newSweepStatus() *cobra.Command {
	var out string
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "status [SWEEP]",
		Short: "Show the states of a sweep's cells, or all sweeps",
		Example: `  macpro sweep status
  macpro sweep status paper_ablation-reduced --cells`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(fmt.Errorf("one sweep at a time, got %s", strings.Join(args, " ")))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			if len(args) == 0 {
				return printSweeps(w, cmd.ErrOrStderr(), out, asJSON)
			}
			s, err := sweep.Find(store.OS(), out, args[0])
			if err != nil {
				return usage(err)
			}
			if asJSON {
				return printJSON(w, statesOf(s))
			}
			return printStates(w, s, all)
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the results")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&all, "cells", false, "show every cell, not only those that failed or were interrupted")
	return cmd
}

func printSweeps(w, warn io.Writer, out string, asJSON bool) error {
	ids, warnings, err := sweep.List(store.OS(), out)
	for _, text := range warnings {
		fmt.Fprintln(warn, "warning:", names.Plain(text))
	}
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		fmt.Fprintln(warn, "no sweeps in", names.Plain(filepath.Join(out, "sweeps")))
	}
	tw, states := newColumns(w), []any{}
	for _, id := range ids {
		s, err := sweep.Open(store.OS(), out, id)
		if err != nil {
			return err
		}
		if asJSON {
			states = append(states, statesOf(s))
			continue
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", names.Plain(id), names.Many(len(s.Cells), "cell"), countsText(s))
	}
	if asJSON {
		return printJSON(w, states)
	}
	return tw.Flush()
}

func printStates(w io.Writer, s *sweep.Sweep, all bool) error {
	head := fmt.Sprintf("sweep %s, %s, profile %s, %s: %s\n", names.Plain(s.ID), names.Plain(s.Executor), names.Plain(s.Profile), names.Many(len(s.Cells), "cell"), countsText(s))
	if s.Cancelled() && !s.Over() {
		head += hint(w, "cancelled; go on with", sweep.ResumeCommand(s.ID, s.Root))
	}
	if err := fit(w, head); err != nil {
		return err
	}
	tw := newColumns(w)
	for _, c := range s.Cells {
		st := s.State(c)
		quiet := st.Status == sweep.Done || st.Status == sweep.Pending || st.Status == sweep.Pruned
		if !all && quiet {
			continue
		}
		status := string(st.Status)
		if done := s.Reached(st); done > 0 && c.Steps > 0 && !st.Status.Ended() {
			status += fmt.Sprintf(" %d %%", min(100*done/c.Steps, 100))
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", status, s.Label(c), names.Plain(st.Run), names.Plain(st.Error))
		if st.Status == sweep.Failed {
			for _, line := range st.Tail {
				fmt.Fprintf(tw, "\t  %s\n", names.Plain(line))
			}
		}
	}
	if err := tw.Flush(); err != nil || s.Executor != "slurm" && !s.Submitted() {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	lines, err := (sweep.Slurm{}).Confirm(ctx, s)
	switch {
	case err != nil:
		lines = append(lines, err.Error())
	case len(lines) == 0:
		lines = []string{"no task is queued or running"}
	}
	return fit(w, names.PlainLines("slurm says:\n  "+strings.Join(lines, "\n  ")+"\n"))
}

func statesOf(s *sweep.Sweep) map[string]any {
	type cell struct {
		*sweep.Cell
		State sweep.State `json:"state"`
	}
	cells := []cell{}
	for _, c := range s.Cells {
		cells = append(cells, cell{c, s.State(c)})
	}
	return map[string]any{"id": s.ID, "cancelled": s.Cancelled(), "cells": cells}
}

func printCells(w io.Writer, cells []sweep.Resolved) error {
	tw := newColumns(w)
	for i := range cells {
		fmt.Fprintf(tw, "%s\t%d steps\t%s\n", cells[i].Label(), cells[i].Steps, names.Brief(names.Plain(strings.Join(cells[i].Sets, " "))))
	}
	return tw.Flush()
}
