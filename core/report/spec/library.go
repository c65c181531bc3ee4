package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image/color"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"macpro/core/names"
	"macpro/core/palette"
	"macpro/core/report/format"
	"macpro/core/report/read"
)

// Library holds the tables and figures that can be made, the names in them and
// the reference numbers.
type Library struct {
	Names   Vocabulary
	tables  map[string]*Spec
	figures map[string]*FigureSpec
	paper   any
}

// Vocabulary is tables/names.yaml.
type Vocabulary struct {
	Learner  string            `yaml:"learner"`
	Tables   []string          `yaml:"tables"`
	Figures  []string          `yaml:"figures"`
	Tasks    string            `yaml:"tasks"`
	Envs     []Item            `yaml:"envs"`
	Learners []Item            `yaml:"learners"`
	Lists    map[string][]Item `yaml:"lists"`
	// Rest has, by key, the looks of the values that an axis adds to its list.
	Rest map[string][]Item `yaml:"rest"`
}

// Open reads the files tables/*.yaml and figures/*.yaml. paper is a JSON document
// with the numbers that references point into.
func Open(fsys fs.FS, paper []byte) (*Library, error) {
	lib := &Library{tables: map[string]*Spec{}, figures: map[string]*FigureSpec{}}
	if err := json.Unmarshal(paper, &lib.paper); err != nil {
		return nil, fmt.Errorf("the reference numbers: %w", err)
	}
	data, err := fs.ReadFile(fsys, "tables/names.yaml")
	if err != nil {
		return nil, err
	}
	if err := decode("tables/names.yaml", data, &lib.Names); err != nil {
		return nil, err
	}
	for _, kind := range lib.Names.Tables {
		if data, err = fs.ReadFile(fsys, path.Join("tables", kind+".yaml")); err != nil {
			return nil, err
		}
		if err := lib.Add(kind, "tables/"+kind+".yaml", data); err != nil {
			return nil, err
		}
	}
	for _, kind := range lib.Names.Figures {
		if data, err = fs.ReadFile(fsys, path.Join("figures", kind+".yaml")); err != nil {
			return nil, err
		}
		if err := lib.AddFigure(kind, "figures/"+kind+".yaml", data); err != nil {
			return nil, err
		}
	}
	return lib, nil
}

// Add takes a table from its YAML text; file is its name for messages.
func (lib *Library) Add(kind, file string, data []byte) error {
	var s Spec
	if err := decode(file, data, &s); err != nil {
		return err
	}
	if err := s.check(lib); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	s.Title = cmp.Or(s.Title, kind)
	lib.tables[kind] = &s
	return nil
}

// AddFigure takes a figure from its YAML text; file is its name for messages.
func (lib *Library) AddFigure(kind, file string, data []byte) error {
	var f FigureSpec
	if err := decode(file, data, &f); err != nil {
		return err
	}
	if err := f.check(lib); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	lib.figures[kind] = &f
	return nil
}

// Table is the spec of a table, nil for an unknown one.
func (lib *Library) Table(kind string) *Spec { return lib.tables[kind] }

// Figure is the spec of a figure, nil for an unknown one.
func (lib *Library) Figure(kind string) *FigureSpec { return lib.figures[kind] }

// Kinds lists the names of all tables in their order.
func (lib *Library) Kinds() []string { return slices.Clone(lib.Names.Tables) }

// FigureKinds lists the names of all figures in their order.
func (lib *Library) FigureKinds() []string { return slices.Clone(lib.Names.Figures) }

// EnvLabel is the printed name of an environment.
func (lib *Library) EnvLabel(env string) string { return labelOf(lib.Names.Envs, env) }

func labelOf(items []Item, key string) string {
	for _, i := range items {
		if i.Key == key && i.Label != "" {
			return i.Label
		}
	}
	return key
}

// Envs lists the environments of the runs in the order of the names, others last.
func (lib *Library) Envs(runs []*read.Summary) []string {
	var out, rest []string
	for _, e := range lib.Names.Envs {
		if slices.ContainsFunc(runs, func(s *read.Summary) bool { return s.Env == e.Key }) {
			out = append(out, e.Key)
		}
	}
	for _, s := range runs {
		if !slices.Contains(out, s.Env) {
			rest = append(rest, s.Env)
		}
	}
	slices.Sort(rest)
	return append(out, slices.Compact(rest)...)
}

// ColorOf is the colour of a thing in all pictures, by its key in any list.
func (lib *Library) ColorOf(key string) color.NRGBA { return lib.item(key).Tint() }

func (lib *Library) item(key string) Item {
	for _, lists := range []map[string][]Item{lib.Names.Lists, lib.Names.Rest} {
		for _, name := range slices.Sorted(maps.Keys(lists)) {
			if i := slices.IndexFunc(lists[name], func(i Item) bool { return i.Key == key }); i >= 0 {
				return lists[name][i]
			}
		}
	}
	return Item{Key: key}
}

// RestItem is the item of a value of a key that an axis adds to its list.
func (lib *Library) RestItem(key, value string) Item {
	out := Item{Key: value}
	if i := slices.IndexFunc(lib.Names.Rest[key], func(i Item) bool { return i.Key == value }); i >= 0 {
		out = lib.Names.Rest[key][i]
	}
	out.When = When{{key: {value}}}
	return out
}

// Tint is the colour of the item in pictures.
func (i Item) Tint() color.NRGBA {
	if c, ok := palette.Get(i.Color); ok {
		return c
	}
	return palette.Named(i.Key)
}

// LearnerLabel is the printed name of a learner.
func (lib *Library) LearnerLabel(learner string) string {
	return labelOf(lib.Names.Learners, learner)
}

// MethodLabel is the printed name of a method or an ablation, by its key in any list.
func (lib *Library) MethodLabel(key string) string { return cmp.Or(lib.item(key).Label, key) }

// ValueLabel is the printed form of the value of a key: the name of a plugin, else the
// value itself.
func (lib *Library) ValueLabel(key, value string) string {
	switch key {
	case "env":
		return lib.EnvLabel(value)
	case "learner":
		return lib.LearnerLabel(value)
	case "alg", "ablation":
		return lib.MethodLabel(value)
	}
	return value
}

func dashesKnown(name string) error {
	if name != "" && !slices.Contains(palette.KnownDashes(), name) {
		return names.Unknown("dashes", name, palette.KnownDashes())
	}
	return nil
}

func colorKnown(name string) error {
	if _, ok := palette.Get(name); name != "" && !ok {
		return names.Unknown("colour", name, palette.Known())
	}
	return nil
}

// Reference finds the printed number of a row in the column of in; nil if there
// is none, or if it is of another number of tasks.
func (lib *Library) Reference(alternatives []Reference, in Vars, tasks int) *format.PaperValue {
	for _, r := range alternatives {
		if r.Column != "" && r.Column != in.Column || !holds(r.When, in) {
			continue
		}
		if n, ok := at(lib.paper, in.Keys(lib.Names.Tasks)).(float64); !ok || int(n) != tasks {
			return nil
		}
		cell, ok := at(lib.paper, in.Keys(r.Path)).(map[string]any)
		if !ok {
			return nil
		}
		mean, hasMean := cell["mean"].(float64)
		std, _ := cell["std"].(float64)
		if !hasMean {
			return nil
		}
		return &format.PaperValue{Mean: mean, Std: std}
	}
	return nil
}

func holds(when map[string]string, in Vars) bool {
	for key, want := range when {
		if in.Keys("{"+key+"}") != want {
			return false
		}
	}
	return true
}

// at follows a path into a JSON document. Its parts are keys; in a list, a part
// like env=lbf,method=x is the element with these values.
func at(doc any, path string) any {
	for part := range strings.SplitSeq(path, "/") {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[part]
		case []any:
			i := slices.IndexFunc(v, func(e any) bool { return describes(part, e) })
			if i < 0 {
				return nil
			}
			doc = v[i]
		default:
			return nil
		}
	}
	return doc
}

// describes says whether all key=value of a part hold for an element, or whether
// it is the element itself by its number.
func describes(part string, element any) bool {
	m, ok := element.(map[string]any)
	for kv := range strings.SplitSeq(part, ",") {
		key, want, _ := strings.Cut(kv, "=")
		if !ok || text(m[key]) != want {
			return false
		}
	}
	return true
}

func text(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}
