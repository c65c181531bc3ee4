package film

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"macpro/core"
)

// WriteText shows the frames of boards as text: agents as a letter, in their order
// from a, with their label, goals in brackets.
func (r *Reel) WriteText(w io.Writer) error {
	for i := range r.Frames {
		f := &r.Frames[i]
		if !f.Scene.Board {
			return fmt.Errorf("%s: what is not a board cannot be shown as text", f.Title)
		}
		actions := f.ActionsText()
		if actions != "" {
			actions = "actions " + actions + "\n"
		}
		if _, err := fmt.Fprintf(w, "%s\n%s, %s\n%s%s\n", f.Title, f.Caption, HeadsText(f.Heads), actions, board(&f.Scene)); err != nil {
			return err
		}
	}
	return nil
}

const cellWidth = 4

// board writes the cells of a scene, a line a row.
func board(s *core.Scene) string {
	cols, rows := int(s.Right-s.Left), int(s.Top-s.Bottom)
	cells := make([]string, cols*rows)
	for _, t := range s.Things {
		x, y := int(t.X-s.Left), int(t.Y-s.Bottom)
		if x < 0 || y < 0 || x >= cols || y >= rows {
			continue
		}
		word := "[" + t.Label + "]"
		switch t.Role {
		case core.Mate:
			word = string(rune('a'+t.Agent%26)) + t.Label
		case core.Foe:
			word = "<" + t.Label + ">"
		case core.Obstacle:
			word = "###"
		}
		cells[(rows-1-y)*cols+x] = word
	}
	var b strings.Builder
	edge := "+" + strings.Repeat("-", cols*cellWidth+1) + "+\n"
	b.WriteString(edge)
	for y := range rows {
		b.WriteString("|")
		for x := range cols {
			word := cmp.Or(cells[y*cols+x], ".")
			pad := max(0, cellWidth-len(word))
			b.WriteString(strings.Repeat(" ", pad-pad/2) + word + strings.Repeat(" ", pad/2))
		}
		b.WriteString(" |\n")
	}
	b.WriteString(edge)
	return b.String()
}
