package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/palette"
	"macpro/core/report/alike"
	"macpro/core/report/draw"
	"macpro/core/report/read"
	"macpro/core/report/spec"
)

// view is the curves that stand in one panel: those of an environment, or of the
// configurations of a family.
type view struct {
	in     spec.Vars
	family bool
	curves []curve
	foot   []string
}

func (v view) runs() (all []*read.Summary) {
	for _, c := range v.curves {
		all = append(all, c.runs...)
	}
	return all
}

// sheets make a panel of every environment in one figure, or a figure of every family,
// whose configurations have a legend of their own.
func (b *builder) sheets(sp *spec.FigureSpec, panel func(view) draw.Panel) []*draw.Figure {
	var out []*draw.Figure
	for i, v := range b.views(sp) {
		if i == 0 || v.family {
			in := b.vars("")
			if v.family {
				in = v.in
			}
			out = append(out, &draw.Figure{Title: in.Labels(sp.Title), Columns: sp.Columns, Foot: v.foot})
		}
		f, p := out[len(out)-1], panel(v)
		if !v.family {
			p.Title = b.lib.EnvLabel(v.in.Env)
		}
		f.Panels, f.Runs = append(f.Panels, p), append(f.Runs, v.runs()...)
	}
	return out
}

func (b *builder) views(sp *spec.FigureSpec) (out []view) {
	if sp.Lines.Of == spec.Configurations {
		for _, sc := range b.families() {
			if v := b.family(sp, sc); len(v.curves) > 1 {
				out = append(out, v)
			}
		}
		return out
	}
	for _, env := range b.lib.Envs(b.runs) {
		v := view{in: b.vars(env)}
		v.curves = b.curves(sp, v.in, func(s *read.Summary) bool { return s.Env == env && sp.Where.Accepts(s, v.in) })
		out = append(out, v)
	}
	return out
}

const mostConfigurations = 12

// family shows the configurations of a family, called by the keys in which they
// differ. Of many it shows those with the highest final average.
func (b *builder) family(sp *spec.FigureSpec, sc scope) view {
	runs := b.accepted(sp.Where, sc)
	if len(runs) == 0 {
		return view{}
	}
	in := b.vars(runs[0].Env)
	in.Alg, in.Learner = runs[0].Alg, runs[0].Learner
	v := view{in: in, family: true}
	keys := alike.Varied(runs)
	for _, e := range configurations(runs) {
		parts := make([]string, len(keys))
		for i, key := range keys {
			parts[i] = key + "=" + e.labels[i]
		}
		v.curves = append(v.curves, curve{entry: e, group: b.group(strings.Join(parts, ", "), e.match)})
	}
	if n := len(v.curves); n > mostConfigurations {
		best := slices.SortedStableFunc(slices.Values(v.curves), func(x, y curve) int { return cmp.Compare(y.average(), x.average()) })[:mostConfigurations]
		v.curves = slices.DeleteFunc(v.curves, func(c curve) bool {
			return !slices.ContainsFunc(best, func(b curve) bool { return b.Key == c.Key })
		})
		v.foot = append(v.foot, fmt.Sprintf("%d of %s are drawn, those with the highest average at the end", len(v.curves), names.Many(n, "configuration")))
	}
	for i := range v.curves {
		c := &v.curves[i]
		c.color, c.Dashes, c.place = palette.Wheel(i), palette.DashesAt(i), i
	}
	return v
}

// average is A at the end of the runs, mean over them; NaN without.
func (c curve) average() float64 {
	var x []float64
	for i, s := range c.runs {
		x = append(x, s.Average(c.modes[i], s.TEnv))
	}
	return metrics.Mean(x)
}
