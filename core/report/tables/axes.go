package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/report/read"
	"macpro/core/report/spec"
)

// scope is what one of the tables of a spec is about.
type scope struct {
	spec.Vars
	family string // the runs that differ in nothing but settings; "" is no limit
}

// scopes lists the tables of a spec.
func (b *builder) scopes(sp *spec.Spec) []scope {
	if slices.Contains(sp.Each, "family") {
		return b.families()
	}
	envs := []string{""} // all of them in one table
	if slices.Contains(sp.Each, "env") {
		envs = b.lib.Envs(b.runs)
	}
	keys := sp.Keys
	if len(b.o.Keys) > 0 {
		keys = b.o.Keys
	}
	if !slices.Contains(sp.Each, "key") {
		keys = append(slices.Clone(keys), "")[:1]
	}
	var out []scope
	for _, env := range envs {
		for _, key := range keys {
			sc := scope{Vars: b.vars(env)}
			sc.Key = key
			out = append(out, sc)
		}
	}
	return out
}

type entry struct {
	spec.Item
	labels []string
	env    string // the block's; "" is the table's
	path   string // the column in paths to printed numbers
	rest   bool   // not one of the spec's items
	// match says whether a run belongs to it, nil where it makes no difference;
	// mode "" is the method's own.
	match func(*read.Summary) (mode string, ok bool)
	// score replaces the measure of the columns.
	score func(s *read.Summary) []float64
	// first and last are the numbers, from 1, of the tasks whose mean final score a
	// column shows; 0 is all of them.
	first, last int
}

func (b *builder) list(a spec.Axis) []entry {
	var out []entry
	items := slices.Concat(b.lib.Names.Lists[a.List], a.Items)
	for _, i := range items {
		if !slices.Contains(a.Without, i.Key) {
			out = append(out, newEntry(i))
		}
	}
	if a.Rest == "" {
		return out
	}
	var more []string
	for _, s := range b.runs {
		v, ok := spec.Setting(s, a.Rest)
		if ok && !slices.ContainsFunc(items, func(i spec.Item) bool { return i.Key == v }) {
			more = append(more, v)
		}
	}
	slices.Sort(more)
	for _, v := range slices.Compact(more) {
		e := newEntry(b.lib.RestItem(a.Rest, v))
		e.rest = true
		out = append(out, e)
	}
	return out
}

func newEntry(i spec.Item) entry {
	i.Label = cmp.Or(i.Label, i.Key, i.Value)
	i.Key = cmp.Or(i.Key, i.Label)
	return entry{Item: i, labels: []string{i.Label}, path: i.Key}
}

// bind gives the items of a list their conditions within a table.
func bind(entries []entry, in spec.Vars) []entry {
	for i, e := range entries {
		if len(e.When) > 0 {
			entries[i].match = func(s *read.Summary) (string, bool) { return e.When.Mode(s, in) }
		}
	}
	return entries
}

// ofEnv is an entry for the runs of an environment.
func (b *builder) ofEnv(env string) entry {
	e := newEntry(spec.Item{Key: env, Label: b.lib.EnvLabel(env)})
	e.match = func(s *read.Summary) (string, bool) { return "", s.Env == env }
	return e
}

// columns lists the columns of a table of some runs.
func (b *builder) columns(sp *spec.Spec, sc scope, runs []*read.Summary) []entry {
	var out []entry
	switch a := sp.Columns; a.Of {
	case "tasks":
		out = taskColumns(runs[0].Tasks)
		out = append(out, entry{Item: spec.Item{Label: averageColumn}, path: averageColumn})
	case "envs":
		for _, env := range b.lib.Envs(b.runs) {
			out = append(out, b.ofEnv(env))
		}
	case "values":
		for _, v := range read.Values(runs, sc.Key) {
			out = append(out, b.valueEntry(sc.Key, v))
		}
	default:
		out = bind(b.list(a), sc.Vars)
	}
	return out
}

// Of more than manyTasks tasks a table shows blocks of consecutive ones.
const (
	manyTasks = 10
	blocks    = 3
)

func taskColumns(tasks []string) (out []entry) {
	if len(tasks) <= manyTasks {
		for i, name := range record.Labels(tasks) {
			out = append(out, entry{Item: spec.Item{Label: name}, path: taskColumn(i), first: i + 1, last: i + 1})
		}
		return out
	}
	for k := range blocks {
		from, to := len(tasks)*k/blocks+1, len(tasks)*(k+1)/blocks
		out = append(out, entry{Item: spec.Item{Label: fmt.Sprintf("%d-%d", from, to)}, first: from, last: to})
	}
	return out
}

// The columns of printed numbers.
const averageColumn = "average"

func taskColumn(i int) string { return "task_" + strconv.Itoa(i+1) }

// valueEntry is the runs with a value of a key.
func (b *builder) valueEntry(key, v string) entry {
	e := newEntry(spec.Item{Key: v, Label: names.Brief(b.lib.ValueLabel(key, v))})
	e.match = func(s *read.Summary) (string, bool) {
		value, _ := s.Value(key)
		return "", value == v
	}
	return e
}

// rows lists the rows of a table of some runs.
func (b *builder) rows(sp *spec.Spec, sc scope, runs []*read.Summary) []entry {
	a := sp.Rows
	var out []entry
	switch a.Of {
	case "tasks":
		for _, s := range runs {
			if task := strings.Join(s.Tasks, ", "); !slices.ContainsFunc(out, func(e entry) bool { return e.Key == task }) {
				e := newEntry(spec.Item{Key: task})
				e.match = func(s *read.Summary) (string, bool) { return "", strings.Join(s.Tasks, ", ") == task }
				out = append(out, e)
			}
		}
	case "unseen":
		for _, task := range b.unseenTasks(sp, sc) {
			out = append(out, newEntry(spec.Item{Key: task}))
		}
	case "envs":
		for _, env := range b.lib.Envs(b.runs) {
			out = append(out, b.ofEnv(env))
		}
	case "values":
		out = b.values(runs, b.lostOf(sp, sc, runs), sc.Key)
	case "runs":
		out = b.singly(runs)
	case "configurations":
		out = configurations(slices.Concat(runs, b.lostOf(sp, sc, runs)))
	default:
		out = bind(b.list(a), sc.Vars)
	}
	if !a.Blocks {
		return out
	}
	var blocks []entry
	for _, env := range b.lib.Envs(b.runs) {
		for _, e := range out {
			e.env, e.labels = env, append([]string{b.lib.EnvLabel(env)}, e.labels...)
			blocks = append(blocks, e)
		}
	}
	return blocks
}

// singly makes a row for every run.
func (b *builder) singly(runs []*read.Summary) (out []entry) {
	for _, s := range runs {
		e := newEntry(spec.Item{Key: s.ID})
		e.labels = []string{b.lib.MethodLabel(s.Alg), strconv.FormatInt(s.Seed, 10)}
		e.match = func(other *read.Summary) (string, bool) { return "", other == s }
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b entry) int { return slices.CompareFunc(a.labels, b.labels, read.CompareValues) })
	return out
}

// unseenTasks are those that the first of the columns with runs was tested on.
func (b *builder) unseenTasks(sp *spec.Spec, sc scope) []string {
	for _, c := range b.columns(sp, sc, b.runs) {
		for _, s := range b.runs {
			mode, ok := c.match(s)
			if tasks, _ := spec.Unseen(s, cmp.Or(mode, s.Own())); ok && sp.Where.Accepts(s, sc.Vars) && len(tasks) > 0 {
				return tasks
			}
		}
	}
	return nil
}
