package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"macpro/core/names"
)

// Spec is a table as its file describes it. Texts may hold {env}, {learner},
// {alg} and {key}, which stand for those of the table.
type Spec struct {
	Help  string `yaml:"help"`
	Title string `yaml:"title"`
	Needs string `yaml:"needs"` // what its runs must have; shown where there are none
	// Each makes a table of every env, key or family: the runs that differ in
	// nothing but settings.
	Each []string `yaml:"each"`
	Keys []string `yaml:"keys"` // of Each key, where --key names no others
	// Where is what all runs of the table are like, Alone those of one task each
	// that FT compares with.
	Where Condition `yaml:"where"`
	Alone Condition `yaml:"alone"`
	Head  []string  `yaml:"head"` // headers of the label columns
	Rows  Axis      `yaml:"rows"`
	// Columns without conditions are of the row's runs.
	Columns Axis     `yaml:"columns"`
	Value   string   `yaml:"value"` // the measure of columns that name none; "" is final
	Foot    []string `yaml:"foot"`
	// Against is the key of the row whose probability of being better than the
	// others is shown beside interquartile means.
	Against string                 `yaml:"against"`
	Paper   map[string][]Reference `yaml:"paper"` // reference numbers by row
	// Single is a further table that is made with --env only.
	Single *Spec `yaml:"single"`
}

// Axis is the rows or the columns of a table.
type Axis struct {
	// Of makes them from the runs: tasks (and their average), unseen (tasks that
	// were never trained), envs, values (of the table's key), configurations, runs
	// (one each, by method and seed).
	Of    string `yaml:"of"`
	List  string `yaml:"list"` // items of names.yaml
	Items []Item `yaml:"items"`
	// Rest adds an item for every other value of this key.
	Rest    string   `yaml:"rest"`
	Without []string `yaml:"without"` // keys of items
	// Present rows without runs are left out, but for those with printed numbers.
	Present bool `yaml:"present"`
	// With fewer rows that have runs, or fewer columns that have values, there is no table.
	Least   int  `yaml:"least"`
	Blocks  bool `yaml:"blocks"`  // all items for each env
	Neutral bool `yaml:"neutral"` // no value is better than another
}

// Item is one row, one column or one curve.
type Item struct {
	Key   string `yaml:"key"`
	Label string `yaml:"label"` // "" is the key
	When  When   `yaml:"when"`
	Value string `yaml:"value"` // a measure
	Part  string `yaml:"part"`  // first or last: the tenth of the tasks that the mean of the measure is of; "" is all
	// Optional rows are shown only with runs, optional columns only with values;
	// Unranked rows never count as best.
	Optional bool   `yaml:"optional"`
	Unranked bool   `yaml:"unranked"`
	Color    string `yaml:"color"`  // of package palette; "" follows from the key
	Dashes   string `yaml:"dashes"` // of package palette; "" is solid
}

// Reference is where a printed number stands in paper.json.
type Reference struct {
	When   map[string]string `yaml:"when"`   // env and learner of the table
	Column string            `yaml:"column"` // the only column; "" is all
	Path   string            `yaml:"path"`
}

// FigureSpec is a figure as its file describes it.
type FigureSpec struct {
	Help  string `yaml:"help"`
	Title string `yaml:"title"` // "" is the table's
	Needs string `yaml:"needs"` // what its runs must have; shown where there are none
	// Draw is average (curves), tasks (a panel a task), profiles (the share of scores
	// above tau), contexts, series (a panel each), or bars of a
	// table: rows (a category a row) or columns (a category a column).
	// Lines of configurations make a figure of every family, see Spec.Each.
	Draw    string    `yaml:"draw"`
	Columns int       `yaml:"columns"` // panels in a row
	Panels  []Panel   `yaml:"panels"`  // of series
	Where   Condition `yaml:"where"`
	Lines   Axis      `yaml:"lines"`
	Table   string    `yaml:"table"`
	Column  string    `yaml:"column"` // of rows
	Panel   string    `yaml:"panel"`  // title of a panel of rows
	X       string    `yaml:"x"`
	Y       string    `yaml:"y"`
	Color   string    `yaml:"color"` // of rows
	Paper   bool      `yaml:"paper"` // light bars beside those of columns
}

// Panel is a panel of a figure of series.
type Panel struct {
	Value string  `yaml:"value"` // a series
	Title string  `yaml:"title"`
	Y     string  `yaml:"y"`
	High  float64 `yaml:"high"`  // of the y axis from 0; 0 leaves the axis to the values
	Whole bool    `yaml:"whole"` // the y axis counts from 0
}

// decode reads a YAML file in which every key is known.
func decode(name string, data []byte, v any) error {
	if err := names.DecodeYAML(data, v, "a table or a figure (docs/tables.md)"); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Configurations is the word of an axis for those of a grid.
const Configurations = "configurations"

// The words of a spec.
var (
	eachWords = []string{"env", "key", "family"}
	ofWords   = []string{"tasks", "unseen", "envs", "values", Configurations, "runs"}
	drawWords = []string{"average", "tasks", "profiles", "contexts", "series", "rows", "columns"}
	partWords = []string{partFirst, partLast}
)

func (f *FigureSpec) check(lib *Library) error {
	switch f.Draw {
	case "":
		return fmt.Errorf("draw what? want one of %s", strings.Join(drawWords, ", "))
	case "rows", "columns":
		t := lib.tables[f.Table]
		if t == nil {
			return names.Unknown("table", f.Table, lib.Names.Tables)
		}
		return nil
	case "contexts":
	case "average", "tasks", "profiles", "series":
		if of := f.Lines.Of; of != "" && of != Configurations {
			return fmt.Errorf("lines: %w", names.Unknown("word of", of, []string{Configurations}))
		}
	default:
		return names.Unknown("word of draw", f.Draw, drawWords)
	}
	if f.Draw == "series" && len(f.Panels) == 0 {
		return errors.New("series of which panels? list them in panels")
	}
	for _, p := range f.Panels {
		if _, err := SeriesOf(p.Value); err != nil {
			return err
		}
	}
	return f.Lines.check("lines", lib)
}

func (s *Spec) check(lib *Library) error {
	for _, e := range s.Each {
		if !slices.Contains(eachWords, e) {
			return names.Unknown("word of each", e, eachWords)
		}
	}
	if s.Value != "" {
		if _, err := MeasureOf(s.Value); err != nil {
			return err
		}
	}
	if (s.Rows.Of == "values" || s.Columns.Of == "values") && len(s.Keys) == 0 {
		return errors.New("values of which key? name it in keys")
	}
	if s.Single != nil {
		if err := s.Single.check(lib); err != nil {
			return fmt.Errorf("single: %w", err)
		}
	}
	return errors.Join(s.Rows.check("rows", lib), s.Columns.check("columns", lib))
}

func (a *Axis) check(what string, lib *Library) error {
	if a.Of == "" && a.List == "" && len(a.Items) == 0 {
		return fmt.Errorf("%s: want items, list or of", what)
	}
	if a.Of != "" && !slices.Contains(ofWords, a.Of) {
		return fmt.Errorf("%s: %w", what, names.Unknown("word of", a.Of, ofWords))
	}
	if a.List != "" && lib.Names.Lists[a.List] == nil {
		return fmt.Errorf("%s: there is no list %q", what, a.List)
	}
	for _, i := range a.Items {
		if i.Value != "" {
			if _, err := MeasureOf(i.Value); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		if i.Part != "" && !slices.Contains(partWords, i.Part) {
			return fmt.Errorf("%s: %w", what, names.Unknown("part", i.Part, partWords))
		}
		if i.Key == "" && i.Label == "" && i.Value == "" {
			return fmt.Errorf("%s: an item has neither key nor label nor value", what)
		}
		if err := errors.Join(colorKnown(i.Color), dashesKnown(i.Dashes)); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}
