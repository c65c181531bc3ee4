package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/core/names"
)

// Spec describes an experiment.
type Spec struct {
	// Profile is the budget that was chosen, or else the experiment's own.
	Profile string
	// Fixed holds key=value for all cells.
	Fixed []string
	// Seeds lists the seeds of every configuration whose grid has no axis seed.
	Seeds []int64
	// Grids are united: a cell is a point of any of them.
	Grids []Grid
	// Exclude drops the points that have all values of one of its entries.
	Exclude []map[string]string
	// Evaluate lists tests of the finished networks.
	Evaluate []Evaluate

	written map[string][]string // values of the keys of the file, whatever flags make of them
}

// Grid is a product of axes, in their order.
type Grid []Axis

// Axis is a key with its values, written as in a configuration file, or a
// distribution of values.
type Axis struct {
	Key    string
	Values []string
	Draw   *Distribution
}

// Evaluate is a test of a finished run: macpro eval with these arguments.
type Evaluate struct {
	Name  string
	Tasks string   // "" is the tasks of the run
	Modes string   // "" is all of the method
	Sets  []string // key=value
}

type document struct {
	Profile  string           `yaml:"profile"`
	Seeds    yaml.Node        `yaml:"seeds"`
	Fixed    yaml.Node        `yaml:"fixed"`
	Grids    yaml.Node        `yaml:"grids"`
	Exclude  []yaml.Node      `yaml:"exclude"`
	Evaluate []evaluateSource `yaml:"evaluate"`
}

type evaluateSource struct {
	Name  string    `yaml:"name"`
	Tasks string    `yaml:"tasks"`
	Modes string    `yaml:"modes"`
	Grid  yaml.Node `yaml:"grid"`
}

// DefaultProfile is the budget of experiments that name none.
const DefaultProfile = "reduced"

// Parse reads a sweep file. profile, or if it is empty that of the file, chooses
// among seeds that are listed by profile, unless seeds, if not empty, replaces them.
// Errors name the file.
func Parse(file string, data []byte, profile, seeds string) (Spec, error) {
	d, err := decode(data)
	if err != nil {
		return Spec{}, fmt.Errorf("%s: %w", file, err)
	}
	if seeds != "" {
		d.Seeds = yaml.Node{Kind: yaml.ScalarNode, Value: seeds}
	}
	s, err := d.spec(cmp.Or(profile, d.Profile, DefaultProfile))
	if err != nil {
		return Spec{}, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// decode reads one document, strictly.
func decode(data []byte) (d document, err error) {
	if err := names.DecodeYAML(data, &d, "a sweep, such as configs/sweeps/grid_example.yaml"); err != nil {
		return d, err
	}
	if d.empty() {
		return d, errors.New("nothing is in it; a sweep has some of profile, seeds, fixed, grids, exclude, evaluate, see configs/sweeps/grid_example.yaml")
	}
	return d, nil
}

func (d *document) empty() bool {
	return d.Seeds.IsZero() && d.Fixed.IsZero() && d.Grids.IsZero() && len(d.Exclude) == 0 && len(d.Evaluate) == 0
}

func (d *document) spec(profile string) (s Spec, err error) {
	s.Profile = profile
	if s.Seeds, err = seedsOf(&d.Seeds, profile); err != nil {
		return s, err
	}
	fixed, err := pairs(&d.Fixed)
	if err != nil {
		return s, fmt.Errorf("fixed: %w", err)
	}
	for _, p := range fixed {
		if p.key == "profile" || p.key == "seed" {
			return s, fmt.Errorf("fixed: %s is not set there, but beside fixed (profile:, seeds:) or by a flag (--profile, --seeds)", p.key)
		}
		s.Fixed = append(s.Fixed, p.key+"="+text(p.value))
	}
	if s.Grids, err = gridsOf(&d.Grids); err != nil {
		return s, err
	}
	if err := s.checkSeedAxes(d.Seeds.Kind != 0); err != nil {
		return s, err
	}
	for _, p := range fixed {
		if slices.ContainsFunc(s.Grids, func(g Grid) bool { return g.axis(p.key) >= 0 }) {
			return s, fmt.Errorf("line %d: %s is fixed, and a grid varies it", p.value.Line, p.key)
		}
	}
	for i := range d.Exclude {
		ps, err := pairs(&d.Exclude[i])
		if err != nil || len(ps) == 0 {
			return s, fmt.Errorf("exclude %d: want keys with the values to leave out, as in {alg: ewc, env: sz}", i+1)
		}
		m := map[string]string{}
		for _, p := range ps {
			m[p.key] = text(p.value)
		}
		s.Exclude = append(s.Exclude, m)
	}
	s.written = s.texts()
	s.Evaluate, err = evaluations(d.Evaluate)
	return s, err
}

type pair struct {
	key   string
	value *yaml.Node
}

// pairs lists the keys of a section in their order.
func pairs(n *yaml.Node) ([]pair, error) {
	switch {
	case n.IsZero() || n.Kind == yaml.ScalarNode && n.Value == "":
		return nil, nil
	case n.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("line %d: want keys with values", n.Line)
	}
	var out []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		if slices.ContainsFunc(out, func(p pair) bool { return p.key == n.Content[i].Value }) {
			return nil, fmt.Errorf("line %d: %s is set twice", n.Content[i].Line, n.Content[i].Value)
		}
		out = append(out, pair{n.Content[i].Value, n.Content[i+1]})
	}
	return out, nil
}

func text(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	flow := *n
	flow.Style = yaml.FlowStyle
	b, err := yaml.Marshal(&flow)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(b))
}

// gridsOf reads the list of grids; without one there are none.
func gridsOf(n *yaml.Node) (out []Grid, err error) {
	switch {
	case n.IsZero():
		return nil, nil
	case n.Kind != yaml.SequenceNode:
		return nil, fmt.Errorf("line %d: grids: want a list of keys with values, as in - lr: [0.001, 0.0005]", n.Line)
	case len(n.Content) == 0:
		return nil, fmt.Errorf("line %d: grids: the grid is empty; leave grids out for one point, the fixed keys", n.Line)
	}
	for i := range n.Content {
		g, err := gridOf(n.Content[i])
		if err != nil {
			return nil, fmt.Errorf("grid %d: %w", i+1, err)
		}
		out = append(out, g)
	}
	return out, nil
}

func gridOf(n *yaml.Node) (Grid, error) {
	ps, err := pairs(n)
	if err != nil {
		return nil, err
	}
	var g Grid
	for _, p := range ps {
		a := Axis{Key: p.key}
		switch {
		case p.value.Kind == yaml.SequenceNode:
			for _, v := range p.value.Content {
				a.Values = append(a.Values, text(v))
			}
		case formOf.MatchString(text(p.value)):
			if a, err = axisOf(p.key, text(p.value)); err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", p.value.Line, p.key, err)
			}
		default:
			a.Values = []string{text(p.value)}
		}
		if len(a.Values) == 0 && a.Draw == nil {
			return nil, fmt.Errorf("line %d: %s has no values", p.value.Line, p.key)
		}
		g = append(g, a)
	}
	return g, nil
}

// evaluations lists the tests, each once.
func evaluations(list []evaluateSource) ([]Evaluate, error) {
	var out []Evaluate
	named, listed := map[string]bool{}, map[string]bool{}
	for i, e := range list {
		switch {
		case e.Name == "":
			return nil, fmt.Errorf("evaluate %d: the name is missing", i+1)
		case named[e.Name]:
			return nil, fmt.Errorf("evaluate %d: there is an evaluation %s already, and its results would be overwritten", i+1, e.Name)
		}
		named[e.Name] = true
		g, err := gridOf(&e.Grid)
		if err != nil {
			return nil, fmt.Errorf("evaluate %s: %w", e.Name, err)
		}
		if at := slices.IndexFunc(g, func(a Axis) bool { return a.Draw != nil }); at >= 0 {
			return nil, fmt.Errorf("evaluate %s: %s has a range; list its values", e.Name, g[at].Key)
		}
		for _, point := range g.points() {
			one := Evaluate{Name: e.Name, Tasks: e.Tasks, Modes: e.Modes, Sets: point}
			if listed[one.Label()] {
				return nil, fmt.Errorf("evaluate %s: the evaluation %s is listed twice", e.Name, one.Label())
			}
			listed[one.Label()] = true
			out = append(out, one)
		}
	}
	return out, nil
}
