package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"macpro/core/names"
	"macpro/core/report/draw"
	"macpro/core/report/format"
	"macpro/core/report/read"
)

// caption says what a figure shows apart from its legend: the meaning of bands,
// error bars, strips and boxes, the profile and the seeds.
func (b *builder) caption(f *draw.Figure) []string {
	spread := "± population standard deviation over seeds"
	if b.o.Stats == format.StatsIQM {
		spread = "95 % bootstrap interval, drawn from whole runs, around the interquartile mean"
	}
	spread = cmp.Or(f.Spread, spread)
	has := func(of func(draw.Panel) bool) bool { return slices.ContainsFunc(f.Panels, of) }
	var out []string
	if has(func(p draw.Panel) bool {
		return slices.ContainsFunc(p.Lines, func(l draw.Line) bool { return !l.Step && wide(l.Low, l.High) })
	}) {
		out = append(out, "band: "+spread)
	}
	if has(func(p draw.Panel) bool {
		return slices.ContainsFunc(p.Bars, func(b draw.Bars) bool { return wide(b.Low, b.High) })
	}) {
		out = append(out, "error bars: "+spread)
	}
	if has(func(p draw.Panel) bool { return len(p.Spans) > 0 }) {
		out = append(out, "grey: the task's own training")
	}
	for _, p := range f.Panels {
		switch {
		case len(p.Borders) == 0:
			continue
		case p.Apart > 1:
			out = append(out, fmt.Sprintf("upright lines: tasks %d, %d, ... begin", p.Apart+1, 2*p.Apart+1))
		default:
			out = append(out, "upright lines: the next task begins")
		}
		break
	}
	runs := once(f.Runs)
	out = append(out, fmt.Sprintf("profile %s%s, %s, %s", distinct(runs, (*read.Summary).Profile), overridden(runs), seedsOf(runs), names.Many(len(runs), "run")))
	if n := len(inflated(runs)); n > 0 {
		out = append(out, fmt.Sprintf("ALARM: in %d of %s the mean Q_tot left the returns; tables name them", n, names.Many(len(runs), "run")))
	}
	return out
}

// wide says whether there is anything between the ends of a band or of error bars.
func wide(low, high []float64) bool {
	for i := range low {
		if low[i] < high[i] {
			return true
		}
	}
	return false
}

func seedsOf(runs []*read.Summary) string {
	var seeds []int64
	for _, s := range runs {
		seeds = append(seeds, s.Seed)
	}
	slices.Sort(seeds)
	seeds = slices.Compact(seeds)
	text := strings.Trim(fmt.Sprint(seeds), "[]")
	if len(seeds) == 1 {
		return "seed " + text
	}
	return "seeds " + text
}

// overridden names the keys that were given other values than the profile's, with
// their values.
func overridden(runs []*read.Summary) string {
	values := map[string][]string{}
	for _, s := range runs {
		for _, key := range s.Overridden {
			values[key] = append(values[key], s.Settings[key])
		}
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		read.SortValues(values[key])
		out = append(out, key+"="+names.Brief(strings.Join(slices.Compact(values[key]), " or ")))
	}
	if out == nil {
		return ""
	}
	return " with " + strings.Join(out, ", ")
}
