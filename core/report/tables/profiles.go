package tables

import (
	"macpro/core/report/draw"
	"macpro/core/report/read"
	"macpro/core/report/spec"
	"macpro/core/report/stats"
)

// profilePoints is the number of steps of tau from 0 to 1.
const profilePoints = 100

// profileFigures draw performance profiles: the share of final scores, over runs and
// tasks, above tau. The band is the 95 % bootstrap interval when whole runs are drawn.
func (b *builder) profileFigures(sp *spec.FigureSpec) []*draw.Figure {
	all := b.sheets(sp, func(v view) draw.Panel {
		p := draw.Panel{X: sp.X, Y: sp.Y, High: 1}
		for _, c := range v.curves {
			if scores := c.scores((*read.Summary).FinalRow).Defined(); len(scores) > 0 {
				p.Lines = append(p.Lines, c.styled(profile(c.label, scores)))
			}
		}
		return p
	})
	for _, f := range all {
		f.Spread = "95 % bootstrap interval, drawn from whole runs"
	}
	return all
}

func profile(label string, s stats.Scores) draw.Line {
	l := draw.Line{Label: label}
	for i := range profilePoints + 1 {
		tau := float64(i) / profilePoints
		band := stats.Bootstrap(s, stats.Above(tau), curveResamples, stats.Source)
		l.X, l.Y = append(l.X, tau), append(l.Y, s.Of(stats.Above(tau)))
		l.Low, l.High = append(l.Low, float64(band.Low)), append(l.High, float64(band.High))
	}
	return l
}
