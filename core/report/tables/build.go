package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/report/alike"
	"macpro/core/report/format"
	"macpro/core/report/read"
	"macpro/core/report/spec"
	"macpro/core/report/stats"
)

// Options say what to make of a set of runs.
type Options struct {
	Library *spec.Library
	Stats   string // format.StatsMean or format.StatsIQM; "" is the first
	Env     string // one environment instead of all
	Learner string // of comparisons of methods; "" is that of the names
	Keys    []string
	Mix     bool // allow runs that differ in more than they may
}

// Build makes the tables of a kind, one an environment or key where they have
// different columns. Runs that must not be mixed are an *alike.Error, and
// nothing to show is a *read.NoRunsError.
func Build(kind string, set *read.Set, o Options) ([]*format.Table, error) {
	b, err := newBuilder(set, o)
	if err != nil {
		return nil, err
	}
	if b.lib.Table(kind) == nil {
		return nil, names.Unknown("table", kind, b.lib.Kinds())
	}
	b.build(kind)
	return b.finish(kind)
}

type builder struct {
	o      Options
	lib    *spec.Library
	runs   []*read.Summary // done
	lost   []*read.Summary // diverged
	notes  []string        // about runs that were left out
	tables []*format.Table
	shown  []scope // of the tables of a figure
	unlike []alike.Difference
}

func newBuilder(set *read.Set, o Options) (*builder, error) {
	o.Stats = cmp.Or(o.Stats, format.StatsMean)
	if known := []string{format.StatsMean, format.StatsIQM}; !slices.Contains(known, o.Stats) {
		return nil, names.Unknown("statistics", o.Stats, known)
	}
	b := &builder{o: o, lib: o.Library}
	b.runs, b.notes = set.Finished()
	b.o.Learner = cmp.Or(o.Learner, b.onlyLearner(), o.Library.Names.Learner)
	b.lost = set.Diverged()
	if other := func(s *read.Summary) bool { return s.Env != o.Env }; o.Env != "" {
		b.runs, b.lost = slices.DeleteFunc(b.runs, other), slices.DeleteFunc(b.lost, other)
	}
	return b, nil
}

func (b *builder) build(kind string) {
	sp := b.lib.Table(kind)
	for _, sc := range b.scopes(sp) {
		b.table(kind, sp, sc)
	}
	if sp.Single != nil && b.o.Env != "" {
		b.table(kind, sp.Single, scope{Vars: b.vars(b.o.Env)})
	}
}

func (b *builder) vars(env string) spec.Vars {
	return spec.Vars{Lib: b.lib, Env: env, Learner: b.o.Learner, Sequence: b.sequence()}
}

// learners lists those of the runs.
func (b *builder) learners() []string {
	var out []string
	for _, s := range b.runs {
		out = append(out, s.Learner)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// onlyLearner is the one that all runs have, else "".
func (b *builder) onlyLearner() string {
	if all := b.learners(); len(all) == 1 {
		return all[0]
	}
	return ""
}

// sequence is the one that all runs have trained, else "train".
func (b *builder) sequence() string {
	common := ""
	for _, s := range b.runs {
		if common != "" && s.Sequence != common {
			return defaultSequence
		}
		common = s.Sequence
	}
	return cmp.Or(common, defaultSequence)
}

// none is the error for nothing to show. Runs of other sequences may be the reason.
func (b *builder) none(what, needs string) error {
	e := &read.NoRunsError{What: what, Needs: needs, Notes: slices.Clone(b.notes)}
	if all := b.learners(); len(all) > 1 && !slices.Contains(all, b.o.Learner) {
		e.Notes = append(e.Notes, fmt.Sprintf("the runs have several learners, of which %s was looked for: choose with --learner %s", b.o.Learner, strings.Join(all, "|")))
	}
	var sequences []string
	for _, s := range b.runs {
		sequences = append(sequences, s.Sequence)
	}
	slices.Sort(sequences)
	if sequences = slices.Compact(sequences); len(sequences) > 1 {
		e.Notes = append(e.Notes, fmt.Sprintf("the runs are of several sequences, of which %s was looked for: choose with --sweep or --where sequence=%s",
			b.sequence(), strings.Join(sequences, "|")))
	}
	return e
}

// defaultSequence is that of every environment.
const defaultSequence = "train"

// group is the runs of one row, in the order of their seeds, with the test mode
// that counts in each.
type group struct {
	label string
	runs  []*read.Summary
	modes []string
}

// group collects the runs that match accepts; mode "" is the method's own.
func (b *builder) group(label string, match func(*read.Summary) (mode string, ok bool)) group {
	g := group{label: label}
	of := map[*read.Summary]string{}
	for _, s := range b.runs {
		if mode, ok := match(s); ok {
			g.runs = append(g.runs, s)
			of[s] = cmp.Or(mode, s.Own())
		}
	}
	slices.SortStableFunc(g.runs, func(a, b *read.Summary) int { return cmp.Compare(a.Seed, b.Seed) })
	for _, s := range g.runs {
		g.modes = append(g.modes, of[s])
	}
	if len(g.runs) > 0 {
		if d := alike.Averaged(label, g.runs); d.Reason != "" {
			b.unlike = append(b.unlike, d)
		}
	}
	return g
}

func (g group) source() format.Source {
	src := format.Source{Seeds: []int64{}, Runs: []string{}}
	for _, s := range g.runs {
		src.Seeds, src.Runs, src.Group = append(src.Seeds, s.Seed), append(src.Runs, s.ID), s.GroupHash
	}
	src.Seeds = slices.Compact(src.Seeds) // runs are in the order of their seeds
	return src
}

// scores applies a measure to every run; runs without it are left out.
func (g group) scores(of func(s *read.Summary, mode string) []float64) stats.Scores {
	var out stats.Scores
	for i, s := range g.runs {
		if x := of(s, g.modes[i]); len(x) > 0 {
			out = append(out, x)
		}
	}
	return out
}

// cell is the statistics of scores [runs][tasks]; a run counts with its mean.
func (b *builder) cell(s stats.Scores, paper *format.PaperValue) format.Cell {
	nan := metrics.Number(math.NaN())
	c := format.Cell{Values: []metrics.Number{}, Mean: nan, Std: nan, IQM: nan, Interval: stats.Undefined(), Paper: paper}
	if s = s.Defined(); len(s) == 0 {
		return c
	}
	var means []float64
	for _, x := range s {
		m := metrics.Mean(x)
		means = append(means, m)
		c.Values = append(c.Values, metrics.Number(m))
	}
	c.Mean, c.Std = metrics.Number(metrics.Mean(means)), metrics.Number(metrics.Std(means))
	if b.o.Stats == format.StatsIQM {
		c.IQM = metrics.Number(stats.Trimmed(s.Flat()))
		c.Interval = stats.Bootstrap(s, stats.IQM, stats.Resamples, stats.Source)
	}
	return c
}

// improvement adds, with format.StatsIQM, the probability that the row named key beats
// each other row.
func (b *builder) improvement(t *format.Table, groups []group, key string) {
	i := slices.IndexFunc(t.Rows, func(r format.Row) bool { return r.Key == key })
	if b.o.Stats != format.StatsIQM || i < 0 || len(groups[i].runs) == 0 {
		return
	}
	t.Columns = append(t.Columns, format.Column{Name: "P(" + groups[i].label + " better)"})
	final := func(s *read.Summary, mode string) []float64 { return s.FinalRow(mode) }
	x := groups[i].scores(final)
	for j := range t.Rows {
		c := b.cell(nil, nil)
		c.Undefined = i == j
		if y := groups[j].scores(final); i != j && paired(x, y) {
			p := metrics.Number(stats.Improvement(x, y))
			c.Values, c.Mean, c.IQM = []metrics.Number{p}, p, p
			c.Interval = stats.BootstrapImprovement(x, y, stats.Resamples, stats.Source)
		}
		t.Rows[j].Cells = append(t.Rows[j].Cells, c)
	}
	t.Foot = append(t.Foot, "P(X better) = probability that a run of X beats one of the row on a task, mean over tasks; 0.5 is no difference")
}

// paired says whether there are runs on both sides, all with as many tasks.
func paired(x, y stats.Scores) bool {
	return len(x) > 0 && len(y) > 0 && !slices.ContainsFunc(slices.Concat(x, y), func(s []float64) bool { return len(s) != len(x[0]) })
}

// finish checks, marks the best and writes the feet.
func (b *builder) finish(kind string) ([]*format.Table, error) {
	var shown []*format.Table
	var used []*read.Summary
	for _, t := range b.tables {
		if len(t.Runs) > 0 {
			shown, used = append(shown, t), append(used, t.Runs...)
		}
	}
	if len(shown) == 0 {
		return nil, b.none("the table "+kind, b.lib.Table(kind).Needs)
	}
	if err := b.mixed(used); err != nil {
		return nil, err
	}
	for _, t := range shown {
		t.MarkBest()
		t.Foot = append(t.Foot, b.foot(t)...)
	}
	return shown, nil
}

// once leaves out what was there before.
func once[T comparable](list []T) []T {
	var out []T
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// mixed is the error for runs that must not be mixed.
func (b *builder) mixed(used []*read.Summary) error {
	b.unlike = once(append(b.unlike, alike.Compared(used)...))
	if len(b.unlike) == 0 || b.o.Mix {
		return nil
	}
	return alike.Refuse(b.unlike)
}

// foot says where the numbers come from.
func (b *builder) foot(t *format.Table) []string {
	spread := "mean ± population standard deviation over seeds"
	if t.Stats == format.StatsIQM {
		spread = fmt.Sprintf("interquartile mean, that of all scores of seeds and tasks without the lowest and the highest quarter "+
			"(rounded down; of fewer than four it is the mean) [95 %% bootstrap interval, %d draws of whole runs]", stats.Resamples)
	}
	out := []string{"values: " + spread}
	if slices.ContainsFunc(t.Rows, func(r format.Row) bool { return slices.ContainsFunc(r.Cells, format.Cell.Single) }) {
		out[0] += "; of one seed its value alone"
	}
	if slices.ContainsFunc(t.Rows, format.Row.Repeated) {
		out[0] = strings.Replace(out[0], "over seeds", "over runs, of which some have the same seed", 1)
	}
	if slices.ContainsFunc(t.Rows, func(r format.Row) bool { return strings.Contains(r.SeedCounts(), "/") }) {
		out = append(out, "seeds a/b/c: those of each column in turn")
	}
	if slices.ContainsFunc(t.Rows, format.Row.HasPaper) {
		of := "our mean"
		if t.Stats == format.StatsIQM {
			of = "our mean over seeds, which the table does not show,"
		}
		out = append(out, "difference: "+of+" minus the paper's")
	}
	out = append(out, "profile "+distinct(t.Runs, (*read.Summary).Profile)+overridden(t.Runs)+
		", compat "+distinct(t.Runs, (*read.Summary).Compat)+
		", macpro "+distinct(t.Runs, func(s *read.Summary) string { return s.Versions.Macpro })+
		", constants of tasks "+distinct(t.Runs, func(s *read.Summary) string { return format.Short(s.EnvHash) }))
	for _, r := range t.Rows {
		out = append(out, t.Sources(r)...)
	}
	out = append(out, inflated(t.Runs)...)
	for _, d := range b.unlike {
		out = append(out, "MIXED: "+d.Reason)
	}
	return append(append(out, b.otherSequences(t)...), b.notes...)
}

// inflated names the runs whose values rose above what an episode can return: what
// they learned is in doubt.
func inflated(runs []*read.Summary) []string {
	var out []string
	for _, s := range runs {
		if far := s.Inflation(); far != "" {
			out = append(out, fmt.Sprintf("ALARM: in run %s %s", s.ID, far))
		}
	}
	return once(out)
}

// otherSequences says that runs of other sequences than those of a table's are left out.
func (b *builder) otherSequences(t *format.Table) []string {
	var envs, shown, others []string
	for _, s := range t.Runs {
		envs, shown = append(envs, s.Env), append(shown, s.Sequence)
	}
	n := 0
	for _, s := range b.runs {
		if slices.Contains(envs, s.Env) && !slices.Contains(shown, s.Sequence) {
			n, others = n+1, append(others, s.Sequence)
		}
	}
	if n == 0 {
		return nil
	}
	slices.Sort(others)
	return []string{fmt.Sprintf("not shown: %s of other sequences; choose with --where sequence=%s", names.Many(n, "run"), strings.Join(slices.Compact(others), "|"))}
}
