package report

import (
	"fmt"
	"math"
	"slices"
)

// contextFigure shows how contexts group and how heads are added: contexts of
// one run at three times, first on three components and at last on two, the number
// of heads, and curves.
func (b *builder) contextFigure() ([]*Figure, error) {
	f := &Figure{Kind: "context", Columns: 3}
	var shown *Summary
	for _, s := range b.runs {
		if s.Alg == reference && s.Ablation == "" && len(s.Latents) > 0 && (shown == nil || s.Seed < shown.Seed) {
			shown = s
		}
	}
	if shown == nil {
		return nil, nil
	}
	f.Title = fmt.Sprintf("Contexts of %s, %s tasks: triangles are g, circles f, a color a head (seed %d)", EnvLabel(shown.Env), shown.Sequence, shown.Seed)
	f.Runs = append(f.Runs, shown)
	for i, d := range shown.pictures() {
		components := 3 // of the first two pictures; the last has two, as in the paper
		if i == 2 {
			components = 2
		}
		f.Panels = append(f.Panels, contextPanel(d, components))
	}
	heads := Panel{Title: "heads", X: "training steps", Y: "number of heads"}
	curves := Panel{Title: "average over seen tasks", X: "training steps", Y: "average score", High: 1}
	for _, v := range []struct{ alg, ablation, label, key string }{
		{reference, "", "MACPro", reference},
		{reference, "without_expansion", "a head for every task", "without_expansion"},
		{"finetuning", "", "Finetuning", "finetuning"},
	} {
		g := b.group(v.label, func(s *Summary) (string, bool) {
			return s.Own(), s.Alg == v.alg && s.Ablation == v.ablation && s.Env == shown.Env && s.Sequence == shown.Sequence && slices.Equal(s.Tasks, shown.Tasks)
		})
		if len(g.runs) == 0 {
			continue
		}
		f.Runs = append(f.Runs, g.runs...)
		l := b.line(g, 0, end(g.runs), (*Summary).Average)
		l.Color = colorOf(v.key)
		curves.Lines = append(curves.Lines, l)
		if n := b.line(g, 0, end(g.runs), (*Summary).headsAt); len(n.X) > 0 {
			n.Color, n.Step = l.Color, true
			heads.Lines = append(heads.Lines, n)
		}
	}
	f.Panels = append(f.Panels, heads, curves)
	return []*Figure{f}, nil
}

// headsAt is the number of heads at a time, NaN before the first.
func (s *Summary) headsAt(_ string, t int64) float64 {
	n := math.NaN()
	for _, h := range s.Heads {
		if h.T <= t {
			n = float64(h.Heads)
		}
	}
	return n
}

// pictures picks the contexts at the starts of the third and the sixth task and at
// the end, as the paper does, or three others if a run lacks any of these.
func (s *Summary) pictures() []Dump {
	var out []Dump
	for _, task := range []int{2, 5} {
		i := slices.IndexFunc(s.Latents, func(d Dump) bool {
			return d.When == "task_start" && task < len(s.Starts) && d.T == s.Starts[task]
		})
		if i < 0 {
			return threeOf(s.Latents)
		}
		out = append(out, s.Latents[i])
	}
	return append(out, s.Latents[len(s.Latents)-1])
}

// threeOf picks the first, the middle and the last.
func threeOf(d []Dump) []Dump {
	if len(d) <= 3 {
		return d
	}
	return []Dump{d[0], d[len(d)/2], d[len(d)-1]}
}

// contextPanel shows a dump on its first two or three components, on two if it
// has no third.
func contextPanel(d Dump, components int) Panel {
	p := Panel{Title: fmt.Sprintf("step %s", steps(float64(d.T)))}
	solid := components == 3 && len(d.Explained) >= 3
	for i, axis := range []*string{&p.X, &p.Y, &p.Z} {
		if i == 2 && !solid {
			break
		}
		*axis = fmt.Sprintf("component %d", i+1)
		if i < len(d.Explained) {
			*axis += fmt.Sprintf(" (%s)", percent(d.Explained[i]))
		}
	}
	for _, local := range []bool{true, false} { // g on top
		for _, head := range headsOf(d) {
			q := Points{Label: fmt.Sprintf("head %d", head), Color: headColor(head), Triangle: !local}
			for _, l := range d.Points {
				if l.Head == head && (l.Agent >= 0) == local {
					q.X, q.Y = append(q.X, l.At[0]), append(q.Y, l.At[1])
					if solid {
						q.Z = append(q.Z, l.At[2])
					}
				}
			}
			if len(q.X) > 0 {
				p.Points = append(p.Points, q)
			}
		}
	}
	return p
}

func headsOf(d Dump) []int {
	var out []int
	for _, l := range d.Points {
		if l.Head >= 0 && !slices.Contains(out, l.Head) {
			out = append(out, l.Head)
		}
	}
	slices.Sort(out)
	return out
}

// percent prints a share, close to its ends with a digit more.
func percent(share float64) string {
	x := 100 * share
	switch {
	case x < 0.1:
		return "< 0.1 %"
	case x < 1, x > 99 && x < 99.95:
		return fmt.Sprintf("%.1f %%", x)
	}
	return fmt.Sprintf("%.0f %%", x)
}

// steps prints a number of steps in thousands or millions.
func steps(t float64) string {
	switch {
	case t >= 1e6:
		return fmt.Sprintf("%.3gM", t/1e6)
	case t >= 1e3:
		return fmt.Sprintf("%.3gk", t/1e3)
	}
	return fmt.Sprintf("%.4g", t)
}
