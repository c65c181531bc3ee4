package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/report/stats"
	"macpro/core/rng"
)

// Options say what to make of a set of runs.
type Options struct {
	Stats   string // StatsMean or StatsIQM
	Env     string // one environment instead of all
	Learner string // of comparisons of methods; "" is qmix
	Keys    []string
	Mix     bool // allow runs that differ in more than they may
	Paper   *Paper
}

// resamples of a bootstrap interval.
const resamples = 10000

// kinds of tables by name.
var kinds = []struct {
	name, help string
	build      func(*builder) error
}{
	{"main", "final scores of all methods, by task", (*builder).mainTables},
	{"ablation", "MACPro without one of its parts", (*builder).ablationTable},
	{"integrative", "VDN, QMIX and QPLEX with and without MACPro", (*builder).integrativeTable},
	{"generalization", "scores on tasks that were never trained", (*builder).generalizationTables},
	{"sensitivity", "the final average under other values of a key", (*builder).sensitivityTables},
	{"metrics", "forgetting and transfer", (*builder).metricsTables},
	{"single_task", "every task alone, from scratch", (*builder).singleTables},
}

// TableKinds lists the names of all tables.
func TableKinds() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// TableHelp is one line about a kind of table.
func TableHelp(kind string) string {
	for _, k := range kinds {
		if k.name == kind {
			return k.help
		}
	}
	return ""
}

// NoRunsError says that nothing of a table or figure could be shown.
type NoRunsError struct {
	What  string
	Notes []string
}

// Error says what was looked for and what was found instead.
func (e *NoRunsError) Error() string {
	msg := "no finished runs for " + e.What
	if len(e.Notes) > 0 {
		msg += ":\n  " + strings.Join(e.Notes, "\n  ")
	}
	return msg
}

// Build makes the tables of a kind, one an environment or key where they have
// different columns. Runs that must not be mixed are an *UnlikeError, and
// nothing to show is a *NoRunsError.
func Build(kind string, set *Set, o Options) ([]*Table, error) {
	i := slices.IndexFunc(kinds, func(k struct {
		name, help string
		build      func(*builder) error
	}) bool {
		return k.name == kind
	})
	if i < 0 {
		return nil, names.Unknown("table", kind, TableKinds())
	}
	b, err := newBuilder(set, o)
	if err != nil {
		return nil, err
	}
	if err := kinds[i].build(b); err != nil {
		return nil, err
	}
	return b.finish(kind)
}

// builder collects tables.
type builder struct {
	o      Options
	runs   []*Summary // done
	notes  []string   // about runs that were left out
	tables []*Table
	unlike []string
}

func newBuilder(set *Set, o Options) (*builder, error) {
	switch o.Stats {
	case "":
		o.Stats = StatsMean
	case StatsMean, StatsIQM:
	default:
		return nil, names.Unknown("statistics", o.Stats, []string{StatsMean, StatsIQM})
	}
	if o.Learner == "" {
		o.Learner = "qmix"
	}
	b := &builder{o: o}
	b.runs, b.notes = set.finished()
	if o.Env != "" {
		b.runs = slices.DeleteFunc(b.runs, func(s *Summary) bool { return s.Env != o.Env })
	}
	return b, nil
}

// add begins a table; columns are those of scores unless they say otherwise.
func (b *builder) add(kind, title string, head []string, columns ...string) *Table {
	t := &Table{Kind: kind, Title: title, Stats: b.o.Stats, Head: head}
	for _, c := range columns {
		t.Columns = append(t.Columns, Column{Name: c, Better: 1})
	}
	b.tables = append(b.tables, t)
	return t
}

// group is the runs of one row, in the order of their seeds, with the test mode
// that counts in each.
type group struct {
	label string
	runs  []*Summary
	modes []string
}

// group collects the runs that match accepts.
func (b *builder) group(label string, match func(*Summary) (mode string, ok bool)) group {
	g := group{label: label}
	of := map[*Summary]string{}
	for _, s := range b.runs {
		if mode, ok := match(s); ok {
			g.runs = append(g.runs, s)
			of[s] = mode
		}
	}
	slices.SortStableFunc(g.runs, func(a, b *Summary) int { return int(a.Seed - b.Seed) })
	for _, s := range g.runs {
		g.modes = append(g.modes, of[s])
	}
	if len(g.runs) > 0 {
		if reason := oneGroup(label, g.runs); reason != "" {
			b.unlike = append(b.unlike, reason)
		}
	}
	return g
}

// source names the runs of the group.
func (g group) source() Source {
	src := Source{Seeds: []int64{}, Runs: []string{}}
	for _, s := range g.runs {
		src.Seeds, src.Runs, src.Group = append(src.Seeds, s.Seed), append(src.Runs, s.ID), s.GroupHash
	}
	src.Seeds = slices.Compact(src.Seeds) // runs are in the order of their seeds
	return src
}

// put adds a cell that is of other runs than its row's other cells.
func (t *Table) put(r *Row, g group, c Cell) {
	src := g.source()
	c.Source = &src
	r.Cells = append(r.Cells, c)
	t.Runs = append(t.Runs, g.runs...)
}

// scores applies a measure to every run; runs without it are left out.
func (g group) scores(of func(s *Summary, mode string) ([]float64, bool)) stats.Scores {
	var out stats.Scores
	for i, s := range g.runs {
		if x, ok := of(s, g.modes[i]); ok {
			out = append(out, x)
		}
	}
	return out
}

// row adds a row without cells.
func (t *Table) row(key string, g group, labels ...string) *Row {
	r := Row{Key: key, Labels: labels, Source: g.source()}
	t.Runs = append(t.Runs, g.runs...)
	t.Rows = append(t.Rows, r)
	return &t.Rows[len(t.Rows)-1]
}

// cell is the statistics of scores [runs][tasks]; a run counts with its mean.
func (b *builder) cell(s stats.Scores, paper *PaperValue) Cell {
	nan := metrics.Number(math.NaN())
	c := Cell{Values: []metrics.Number{}, Mean: nan, Std: nan, IQM: nan, Interval: stats.Undefined(), Paper: paper}
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
	if b.o.Stats == StatsIQM {
		c.IQM = metrics.Number(stats.Trimmed(s.Flat()))
		c.Interval = stats.Bootstrap(s, stats.IQM, resamples, bootstrapSource)
	}
	return c
}

// bootstrapSource makes intervals a function of the scores alone.
var bootstrapSource = rng.New(0).Child("report", "bootstrap")

// finish checks, marks the best and writes the feet.
func (b *builder) finish(kind string) ([]*Table, error) {
	var shown []*Table
	var used []*Summary
	for _, t := range b.tables {
		if len(t.Runs) > 0 {
			shown, used = append(shown, t), append(used, t.Runs...)
		}
	}
	if len(shown) == 0 {
		return nil, &NoRunsError{"the table " + kind, b.notes}
	}
	b.unlike = append(b.unlike, unlike(used)...)
	if len(b.unlike) > 0 && !b.o.Mix {
		return nil, &UnlikeError{b.unlike}
	}
	for _, t := range shown {
		t.markBest()
		t.Foot = append(t.Foot, b.foot(t)...)
	}
	return shown, nil
}

// markBest marks the best mean (or IQM) of every column within each block of
// rows, and its equals in print.
func (t *Table) markBest() {
	for i, col := range t.Columns {
		if col.Better == 0 {
			continue
		}
		rank := func(c Cell) float64 { // larger is better
			x := float64(c.Mean)
			if t.Stats == StatsIQM {
				x = float64(c.IQM)
			}
			return float64(col.Better) * hundredths(x)
		}
		best, ranked := map[string]float64{}, map[string]int{}
		for _, r := range t.Rows {
			if r.Unranked || r.Cells[i].Missing() {
				continue
			}
			if ranked[r.Block]++; ranked[r.Block] == 1 || rank(r.Cells[i]) > best[r.Block] {
				best[r.Block] = rank(r.Cells[i])
			}
		}
		for j := range t.Rows {
			r, c := &t.Rows[j], &t.Rows[j].Cells[i]
			c.Best = ranked[r.Block] > 1 && !r.Unranked && !c.Missing() && rank(*c) == best[r.Block]
		}
	}
}

// foot says where the numbers come from.
func (b *builder) foot(t *Table) []string {
	spread := "mean ± population standard deviation over seeds"
	if t.Stats == StatsIQM {
		spread = fmt.Sprintf("interquartile mean, that of all scores of seeds and tasks without the lowest and the highest quarter "+
			"(rounded down; of fewer than four it is the mean) [95 %% bootstrap interval, %d draws of whole runs]", resamples)
	}
	out := []string{"values: " + spread}
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return slices.ContainsFunc(r.Cells, Cell.single) }) {
		out[0] += "; of one seed its value alone"
	}
	if slices.ContainsFunc(t.Rows, Row.repeated) {
		out[0] = strings.Replace(out[0], "over seeds", "over runs, of which some have the same seed", 1)
	}
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return strings.Contains(r.seedCounts(), "/") }) {
		out = append(out, "seeds a/b/c: those of each column in turn")
	}
	if slices.ContainsFunc(t.Rows, Row.hasPaper) {
		of := "our mean"
		if t.Stats == StatsIQM {
			of = "our mean over seeds, which the table does not show,"
		}
		out = append(out, "difference: "+of+" minus the paper's")
	}
	out = append(out, "profile "+distinct(t.Runs, (*Summary).Profile)+", compat "+distinct(t.Runs, (*Summary).Compat)+
		", macpro "+distinct(t.Runs, func(s *Summary) string { return s.Versions.Macpro })+
		", constants of tasks "+distinct(t.Runs, func(s *Summary) string { return short(s.EnvHash) }))
	for _, r := range t.Rows {
		out = append(out, t.sources(r)...)
	}
	for _, r := range b.unlike {
		out = append(out, "MIXED: "+r)
	}
	return append(out, b.notes...)
}

// sources says which runs a row is of, or each of its cells.
func (t *Table) sources(r Row) []string {
	name := strings.Join(r.Labels, " ")
	var out []string
	for i, c := range r.Cells {
		if c.Source != nil && len(c.Source.Runs) > 0 {
			out = append(out, name+", "+t.Columns[i].Name+": "+c.Source.text())
		}
	}
	switch {
	case len(out) > 0:
		return out
	case len(r.Runs) == 0:
		return []string{name + ": missing, no finished run"}
	}
	return []string{name + ": " + r.text()}
}

func (s Source) text() string {
	return fmt.Sprintf("%s, configuration %s: %s", count(len(s.Runs), "run"), short(s.Group), strings.Join(s.Runs, " "))
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// distinct joins the different values among runs.
func distinct(runs []*Summary, of func(*Summary) string) string {
	seen := map[string]bool{}
	for _, s := range runs {
		seen[of(s)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), " and ")
}
