package page

import (
	"fmt"
	"slices"
	"strings"

	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/report/draw"
	"macpro/core/report/spec"
)

// Cell is a cell of a sweep that no run has begun.
type Cell struct {
	Sweep, ID                   string
	Status                      string // pending, or why it has no run
	Alg, Ablation, Env, Learner string
	Settings                    []string // key=value in which it differs from other cells
	Seed                        int64
	Steps                       int64 // training transitions of its run
}

const mostCells = 200

// waiting are the lines of cells in the list of runs, and how many more there are.
func (p Page) waiting() (lines []runView, more int) {
	n := min(len(p.Cells), mostCells)
	for _, c := range p.Cells[:n] {
		lines = append(lines, runView{Label: c.label(p.Options.Library), ID: names.Plain(c.Sweep + " " + c.ID), Status: record.Status(c.Status),
			Progress: "0 of " + draw.Steps(float64(c.Steps))})
	}
	return lines, len(p.Cells) - n
}

func (c Cell) label(lib *spec.Library) string {
	parts := []string{lib.MethodLabel(c.Alg), lib.ValueLabel("ablation", c.Ablation), lib.EnvLabel(c.Env), lib.LearnerLabel(c.Learner)}
	parts = slices.DeleteFunc(append(parts, c.Settings...), func(p string) bool { return p == "" || p == "none" })
	return names.Brief(names.Plain(fmt.Sprintf("%s, seed %d", strings.Join(parts, ", "), c.Seed)))
}

// unstarted words the number of cells without a run, "" for none.
func unstarted(cells []Cell) string {
	by := map[string]int{}
	var order []string
	for _, c := range cells {
		if by[c.Status] == 0 {
			order = append(order, c.Status)
		}
		by[c.Status]++
	}
	var parts []string
	for _, status := range order {
		parts = append(parts, fmt.Sprintf("%d %s", by[status], status))
	}
	if parts == nil {
		return ""
	}
	return names.Many(len(cells), "cell") + " without a run: " + strings.Join(parts, ", ")
}
