package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/report/rank"
	"macpro/core/report/read"
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
			if err := knownMode(set, mode); err != nil {
				return usage(err)
			}
			ranks, err := rank.Configurations(set, metric, mode)
			if err != nil && !(s.Search.Adaptive() && errors.As(err, new(*read.NoRunsError))) {
				return usage(err)
			}
			if !cmd.Flags().Changed("top") && s.Search.Adaptive() {
				top = len(s.Cells)
			}
			w := cmd.OutOrStdout()
			if err := printTable(w, 1, newBest(s).table(ranks, metric, top)); err != nil || len(ranks) == 0 {
				return err
			}
			if i := slices.IndexFunc(s.Cells, func(c *sweep.Cell) bool { return c.GroupHash == ranks[0].Group }); i >= 0 {
				err = fit(w, fmt.Sprintf("%s again; another --seed makes a new run:\n  %s\n", bestOf(ranks, metric), bestCommand(s.Cells[i])))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the results")
	cmd.Flags().StringVar(&metric, "metric", "final_average", strings.Join(rank.Metrics(), ", "))
	cmd.Flags().StringVar(&mode, "mode", "", "test mode (default the method's own)")
	cmd.Flags().IntVar(&top, "top", 10, "configurations to show; of a search by asha all, unless it is set")
	return cmd
}

// bestOf says which configuration is the first one: the best, or one of those that tie.
func bestOf(ranks []rank.Configuration, metric string) string {
	if n := rank.Tied(ranks); n > 1 {
		return fmt.Sprintf("no best one: %d configurations tie with %s %.3f; the first of them", n, metric, ranks[0].Mean)
	}
	return "the best"
}

// knownMode wants a test mode that some run has, if there are runs; "" is the methods' own.
func knownMode(set *read.Set, mode string) error {
	var known []string
	for _, s := range set.Runs {
		for _, m := range s.Modes {
			if !slices.Contains(known, m) {
				known = append(known, m)
			}
		}
	}
	if mode == "" || known == nil || slices.Contains(known, mode) {
		return nil
	}
	return names.Unknown("test mode", mode, known)
}

// best is what a ranking shows of a sweep besides the scores.
type best struct {
	sweep     *sweep.Sweep
	standings map[string]sweep.Standing
	groups    []string // of the sweep, in its order
	cells     map[string]*sweep.Cell
	lost      map[string][]string // seeds without a result, by group
}

func newBest(s *sweep.Sweep) *best {
	b := &best{sweep: s, standings: s.Standings(), cells: map[string]*sweep.Cell{}, lost: map[string][]string{}}
	for _, c := range s.Cells {
		if b.cells[c.GroupHash] == nil {
			b.cells[c.GroupHash] = c
			b.groups = append(b.groups, c.GroupHash)
		}
		if st := s.State(c).Status; st == sweep.Failed || st == sweep.Diverged {
			b.lost[c.GroupHash] = append(b.lost[c.GroupHash], fmt.Sprintf("%d %s", c.Seed, st))
		}
	}
	return b
}

// table has a row for every ranked configuration and, in a search or where seeds
// are lost, for the others.
func (b *best) table(ranks []rank.Configuration, metric string, top int) [][]string {
	search := b.sweep.Search.Adaptive()
	head := []string{"configuration", "seeds", metric, "95 % interval", "steps"}
	if search {
		head = append(head, "rung", "score there")
	}
	if len(b.lost) > 0 {
		head = append(head, "seeds without a result")
	}
	rows := [][]string{head}
	ranked := map[string]bool{}
	add := func(group string, row ...string) {
		ranked[group] = true
		if len(rows) > top {
			return
		}
		row = append([]string{b.name(group)}, row...)
		if search {
			row = append(row, standingText(b.standings[group])...)
		}
		if len(b.lost) > 0 {
			row = append(row, strings.Join(b.lost[group], ", "))
		}
		rows = append(rows, row)
	}
	for _, r := range ranks {
		add(r.Group, fmt.Sprint(len(r.Values)), fmt.Sprintf("%.3f ± %.3f", r.Mean, r.Std),
			fmt.Sprintf("[%.3f, %.3f]", r.Interval.Low, r.Interval.High), fmt.Sprint(r.Steps))
	}
	var others []string
	for _, g := range b.groups {
		if !ranked[g] && (search || len(b.lost[g]) > 0) {
			others = append(others, g)
		}
	}
	slices.SortStableFunc(others, func(x, y string) int {
		u, v := b.standings[x], b.standings[y]
		return cmp.Or(cmp.Compare(v.Rung, u.Rung), cmp.Compare(v.Score, u.Score))
	})
	for _, g := range others {
		add(g, "0", "", "", "")
	}
	return rows
}

// name is the settings of a group in which the sweep's cells differ.
func (b *best) name(group string) string {
	c := b.cells[group]
	if c == nil {
		return group
	}
	if own := b.sweep.Varied(c); len(own) > 0 {
		return names.Plain(strings.Join(own, " "))
	}
	return names.Plain(c.Alg)
}

// standingText is the rung and the score there.
func standingText(at sweep.Standing) []string {
	switch {
	case at.Rung == 0:
		return []string{"-", ""}
	case math.IsInf(at.Score, 0):
		return []string{fmt.Sprint(at.Rung), "no test yet"}
	}
	return []string{fmt.Sprint(at.Rung), fmt.Sprintf("%.3f", at.Score)}
}

// bestCommand is how a cell is run by itself, as a line for the shell.
func bestCommand(c *sweep.Cell) string {
	line := "macpro run"
	for _, kv := range c.Sets {
		key, v, _ := strings.Cut(kv, "=")
		switch key {
		case "seed":
		case "alg", "env", "learner", "profile", "compat", "ablation":
			line += " --" + key + " " + names.ShellWord(v)
		default:
			line += " --set " + names.Quote(kv)
		}
	}
	return fmt.Sprintf("%s --seed %d", line, c.Seed)
}
