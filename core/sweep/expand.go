package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"macpro/core/names"
	"macpro/core/rng"
)

// MaxCells bounds a sweep.
const MaxCells = 100_000

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

func (g Grid) draw(r *rng.Stream) []string {
	var out []string
	for _, a := range g {
		v := ""
		if a.Draw != nil {
			v = a.Draw.draw(r)
		} else {
			v = a.Values[r.Intn(len(a.Values))]
		}
		out = append(out, a.Key+"="+v)
	}
	return out
}

// size is the number of points of a grid, infinite if it has ranges.
func (g Grid) size() float64 {
	n := 1.0
	for _, a := range g {
		if a.Draw != nil {
			return math.Inf(1)
		}
		n *= float64(len(a.Values))
	}
	return n
}

// size is the number of cells of an experiment before any is left out.
func (s Spec) size(search Search) (n float64, text string) {
	seeds := float64(len(s.Seeds))
	if search.Strategy != "grid" {
		return float64(search.Trials) * seeds, names.Many(search.Trials, "trial") + ", " + names.Many(len(s.Seeds), "seed")
	}
	if len(s.Grids) == 0 {
		return seeds, names.Many(len(s.Seeds), "seed")
	}
	for _, g := range s.Grids {
		points := g.size()
		if g.axis(seedKey) < 0 {
			points *= seeds
		}
		n += points
		for _, a := range g {
			text += names.Many(len(a.Values), "value") + " of " + a.Key + ", "
		}
	}
	return n, text + names.Many(len(s.Seeds), "seed")
}

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

// Expand lists the settings of all configurations without their seeds. notes say
// which entries of Exclude have no effect. More than MaxCells cells are an error.
func (s Spec) Expand(search Search) (out [][]string, notes []string, err error) {
	if err := s.checkExclude(); err != nil {
		return nil, nil, err
	}
	if ranges := s.Ranges(); search.Strategy == "grid" && len(ranges) > 0 {
		return nil, nil, fmt.Errorf("%s has a range and no values: ranges are for --strategy random and asha", ranges[0].Key)
	}
	if n, text := s.size(search); n > MaxCells {
		return nil, nil, fmt.Errorf("the sweep has %.0f cells (%s), and a sweep has at most %d: make several of it, or draw from it with --strategy random --trials N", n, text, MaxCells)
	}
	var points [][]string
	switch {
	case search.Strategy != "grid":
		if points, err = s.draw(search); err != nil {
			return nil, nil, err
		}
	case s.Grids == nil:
		points = [][]string{{}}
	default:
		for _, g := range s.Grids {
			points = append(points, g.points()...)
		}
	}
	x := s.exclusion()
	for _, p := range points {
		if all := override(s.Fixed, p); !x.drops(all) {
			out = append(out, all)
		}
	}
	if len(out) == 0 {
		return nil, nil, fmt.Errorf("the grid is empty: all of its %d points are excluded", len(points))
	}
	return out, s.idle(x), nil
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
	possible := 0.0
	for _, g := range s.Grids {
		possible += g.size()
	}
	most := int(min(float64(search.Trials), possible))
	// After so many misses in a row next to nothing is left to find.
	misses := min(100*most, 1_000_000)
	for missed := 0; len(out) < most && missed < misses; missed++ {
		p := s.Grids[r.Intn(len(s.Grids))].draw(r)
		if key := strings.Join(p, "\n"); !seen[key] {
			seen[key] = true
			out = append(out, p)
			missed = 0
		}
	}
	return out, nil
}
