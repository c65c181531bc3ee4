package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"macpro/core/names"
	"macpro/core/sweep"
)

// brief names a cell for somebody who knows the sweep: by the settings that not all
// cells have, and by its seed.
func (v *sweepView) brief(c *sweep.Cell) string {
	if v.sweep == nil {
		return c.Label()
	}
	return briefly(v.sweep, c)
}

// briefly is brief of a sweep's cell, safe to print.
func briefly(s *sweep.Sweep, c *sweep.Cell) string {
	own := s.Varied(c)
	if len(own) == 0 {
		own = []string{c.Alg, c.Env}
	}
	for i, kv := range own {
		if slices.Contains(axisFlags, keyOf(kv)) {
			own[i] = kv[len(keyOf(kv))+1:]
		}
	}
	return names.Plain(fmt.Sprintf("%s s%d", strings.Join(own, " "), c.Seed))
}

// ending says on a terminal what became of a cell.
func (v *sweepView) ending(c *sweep.Cell, st sweep.State) {
	code, word := "", string(st.Status)
	switch {
	case st.Status == sweep.Failed || st.Status == sweep.Diverged:
		code = red
	case v.quiet:
		return
	case st.Status == sweep.Done:
		code = green
	case st.Status == sweep.Pending: // in a search, until others are there
		code, word = faint, "paused"
	case st.Status.Ended() || st.Status == sweep.Interrupted:
		code = yellow
	}
	text := v.brief(c)
	if st.Reused {
		text += ", before this sweep"
	}
	text += fmt.Sprintf(" (%d of %d)", len(v.ended), v.all)
	if st.Error != "" {
		text += ": " + st.Error
	}
	_ = v.screen.line(clock(), code, word, text)
}

// cellLine is what a block shows of a running cell.
type cellLine struct {
	label, left string
	percent     int64
	speed       float64
}

// show draws the block anew. The view is locked, so that the block gets copies.
func (v *sweepView) show() {
	if v.screen == nil || v.quiet || v.sweep == nil {
		return
	}
	var cells []cellLine
	for _, c := range v.order {
		p := v.cells[c.ID]
		cells = append(cells, cellLine{label: v.brief(c), speed: p.speed(), left: leftText(p.open(), p.speed()), percent: min(100*p.last/max(c.Steps, 1), 100)})
	}
	whole := []string{fmt.Sprintf("%d of %s done,", len(v.ended), names.Many(v.all, "cell")), names.Many(len(cells), "cell") + " running"}
	if left := v.left(); left != "" {
		whole[1] += ","
		whole = append(whole, left)
	}
	screen := v.screen
	screen.show(func(columns int) []string {
		return append(screen.cells(cells, columns), screen.labelled("sweep", whole, columns)...)
	})
}

// cells are the lines of running cells. A label that leaves no room has a line of its
// own. There are no more lines than rows.
func (s *screen) cells(cells []cellLine, columns int) (lines []string) {
	_, rows := sizeOf(s.file)
	var labels, numbers []string
	wide, widest := 0, 0
	for _, c := range cells {
		text := fmt.Sprintf("%s %3d %%", s.gauge(c.percent, columns), c.percent)
		if c.speed > 0 {
			text += fmt.Sprintf("  %.0f steps/s  %s", c.speed, c.left)
		}
		labels, numbers = append(labels, c.label), append(numbers, text)
		wide, widest = max(wide, twwidth.Width(c.label)), max(widest, twwidth.Width(text))
	}
	for i, label := range labels {
		if wide+2+widest <= columns {
			lines = append(lines, label+strings.Repeat(" ", wide+2-twwidth.Width(label))+numbers[i])
		} else {
			lines = append(lines, twwidth.Truncate(label, columns, "~"), twwidth.Truncate("  "+numbers[i], columns, "~"))
		}
		if more := len(labels) - 1 - i; more > 0 && len(lines) > rows-6 {
			return append(lines, fmt.Sprintf("and %s more", names.Many(more, "running cell")))
		}
	}
	return lines
}
