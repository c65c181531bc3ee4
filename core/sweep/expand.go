package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macpro/core/rng"
)

// Distribution is a range that random search draws from.
type Distribution struct {
	Low, High float64
	Log       bool // uniform in the logarithm
}

// ParseAxis reads "key=a,b,c" or, for random search, "key=uniform(a,b)" and
// "key=loguniform(a,b)". Commas within brackets belong to a value.
func ParseAxis(s string) (Axis, error) {
	key, list, ok := strings.Cut(s, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return Axis{}, fmt.Errorf("grid %q: want key=value,value,..., such as lr=0.001,0.0005", s)
	}
	for _, form := range []string{"uniform", "loguniform"} {
		if args, ok := strings.CutPrefix(list, form+"("); ok {
			d, err := distribution(args, form == "loguniform")
			if err != nil {
				return Axis{}, fmt.Errorf("grid %q: %w", s, err)
			}
			return Axis{Key: key, Draw: d}, nil
		}
	}
	values := splitValues(list)
	for i, v := range values {
		switch {
		case v == "":
			return Axis{}, fmt.Errorf("grid %q: value %d is empty", s, i+1)
		case slices.Contains(values[:i], v):
			return Axis{}, fmt.Errorf("grid %q: the value %s is listed twice", s, v)
		}
	}
	return Axis{Key: key, Values: values}, nil
}

func distribution(args string, log bool) (*Distribution, error) {
	low, high, ok := strings.Cut(strings.TrimSuffix(args, ")"), ",")
	a, err1 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	b, err2 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !ok || err1 != nil || err2 != nil || !(a < b) || log && a <= 0 || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return nil, fmt.Errorf("want two numbers, the smaller first, and above 0 for loguniform")
	}
	return &Distribution{a, b, log}, nil
}

// splitValues splits at commas outside of brackets.
func splitValues(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range s {
		switch r {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(s[from:]))
}

// points lists the product of the axes, the last axis fastest, each point as
// key=value settings. A grid without axes has one point without settings.
func (g Grid) points() [][]string {
	out := [][]string{{}}
	for _, a := range g {
		var next [][]string
		for _, p := range out {
			for _, v := range a.Values {
				next = append(next, append(slices.Clone(p), a.Key+"="+v))
			}
		}
		out = next
	}
	return out
}

// draw picks a point at random.
func (g Grid) draw(r *rng.Stream) []string {
	var out []string
	for _, a := range g {
		v := ""
		switch {
		case a.Draw == nil:
			v = a.Values[r.Intn(len(a.Values))]
		case a.Draw.Log:
			v = number(math.Exp(r.Uniform(math.Log(a.Draw.Low), math.Log(a.Draw.High))))
		default:
			v = number(r.Uniform(a.Draw.Low, a.Draw.High))
		}
		out = append(out, a.Key+"="+v)
	}
	return out
}

// number prints four significant digits, so that settings stay readable.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// Search says how the points of the grids are chosen.
type Search struct {
	Strategy string // grid, random or asha
	Trials   int    // points that random and asha draw
	Seed     uint64 // of the draws
	// Eta is the factor between two rungs of ASHA and the share that is
	// promoted; First is the first rung in transitions.
	Eta   int
	First int64
}

// Adaptive says whether the search decides while cells run, so that one process
// must see them all.
func (s Search) Adaptive() bool { return s.Strategy == "asha" }

// Strategies lists the ways to choose points.
var Strategies = []string{"grid", "random", "asha"}

// Expand lists the settings of all configurations without their seeds.
func (s Spec) Expand(search Search) ([][]string, error) {
	if err := s.checkExclude(); err != nil {
		return nil, err
	}
	var points [][]string
	if search.Strategy == "grid" {
		for _, g := range s.Grids {
			for _, a := range g {
				if a.Draw != nil {
					return nil, fmt.Errorf("%s has a range and no values: ranges are for --strategy random and asha", a.Key)
				}
			}
			points = append(points, g.points()...)
		}
		if s.Grids == nil {
			points = [][]string{{}}
		}
	} else {
		var err error
		if points, err = s.draw(search); err != nil {
			return nil, err
		}
	}
	var out [][]string
	for _, p := range points {
		if all := override(s.Fixed, p); !s.excluded(all) {
			out = append(out, all)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the grid is empty: all of its %d points are excluded", len(points))
	}
	return out, nil
}

// override sets the keys of over in a list of key=value.
func override(base, over []string) []string {
	out := slices.Clone(base)
	for _, kv := range over {
		key, _, _ := strings.Cut(kv, "=")
		out = slices.DeleteFunc(out, func(old string) bool { return strings.HasPrefix(old, key+"=") })
		out = append(out, kv)
	}
	return out
}

// draw picks different points; a small grid may have fewer than asked for.
func (s Spec) draw(search Search) ([][]string, error) {
	if len(s.Grids) == 0 || search.Trials < 1 {
		return nil, fmt.Errorf("--strategy %s wants --grid with what to vary and --trials with how often", search.Strategy)
	}
	if slices.ContainsFunc(s.Grids, func(g Grid) bool { return g.axis(seedKey) >= 0 }) {
		return nil, fmt.Errorf("--strategy %s draws configurations, each with all seeds: list the seeds with seeds: or --seeds, not in a grid", search.Strategy)
	}
	r := rng.New(search.Seed).Child("sweep", "search").Stream()
	var out [][]string
	seen := map[string]bool{}
	for range 100 * search.Trials {
		p := s.Grids[r.Intn(len(s.Grids))].draw(r)
		if key := strings.Join(p, "\n"); !seen[key] {
			seen[key] = true
			out = append(out, p)
		}
		if len(out) == search.Trials {
			break
		}
	}
	return out, nil
}
