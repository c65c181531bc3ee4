package tables

import (
	"macpro/core/report/draw"
	"macpro/core/report/read"
	"macpro/core/report/spec"
	"macpro/core/report/stats"
)

// profilePoints is the number of steps of tau from 0 to 1.
const profilePoints = 100

// profileFigure draws performance profiles, a panel an environment: the share of
// final scores, over runs and tasks, above tau. The band is the 95 % bootstrap
// interval when whole runs are drawn.
func (b *builder) profileFigure(kind string, sp *spec.FigureSpec) []*draw.Figure {
	f := &draw.Figure{Kind: kind, Title: b.vars("").Labels(sp.Title), Columns: sp.Columns,
		Spread: "95 % bootstrap interval, drawn from whole runs"}
	for _, env := range b.lib.Envs(b.runs) {
		p := draw.Panel{Title: b.lib.EnvLabel(env), X: sp.X, Y: sp.Y, High: 1}
		for _, c := range b.envCurves(sp, env) {
			scores := stats.Scores(c.scores((*read.Summary).FinalRow)).Defined()
			if len(scores) == 0 {
				continue
			}
			p.Lines = append(p.Lines, c.styled(profile(c.label, scores)))
			f.Runs = append(f.Runs, c.runs...)
		}
		f.Panels = append(f.Panels, p)
	}
	return []*draw.Figure{f}
}

func profile(label string, s stats.Scores) draw.Line {
	l := draw.Line{Label: label}
	for i := range profilePoints + 1 {
		tau := float64(i) / profilePoints
		band := stats.Bootstrap(s, stats.Above(tau), curveResamples, bootstrapSource)
		l.X, l.Y = append(l.X, tau), append(l.Y, s.Of(stats.Above(tau)))
		l.Low, l.High = append(l.Low, float64(band.Low)), append(l.High, float64(band.High))
	}
	return l
}
