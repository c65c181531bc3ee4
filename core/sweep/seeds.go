package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// seedKey is the key whose values are the seeds of a configuration. As an axis of
// a grid it says which seeds the points of this grid have.
const seedKey = "seed"

// seedsOf reads a list of seeds, a range as in 1..5, or either by profile.
func seedsOf(n *yaml.Node, profile string) ([]int64, error) {
	switch n.Kind {
	case yaml.MappingNode:
		ps, err := pairs(n)
		if err != nil {
			return nil, err
		}
		var known []string
		for _, p := range ps {
			if p.key == profile {
				return ParseSeeds(text(p.value))
			}
			known = append(known, p.key)
		}
		return nil, fmt.Errorf("seeds: none for profile %q, only for %s; choose some with --seeds", profile, strings.Join(known, ", "))
	case 0:
		return []int64{1}, nil
	}
	return ParseSeeds(text(n))
}

// ParseSeeds reads seeds: "1..5", "1,2,7" or "[1, 2, 7]".
func ParseSeeds(s string) ([]int64, error) {
	bad := fmt.Errorf("seeds %q: want a range such as 1..5 or a list such as 1,2,7", s)
	if from, to, ok := strings.Cut(s, ".."); ok {
		a, err1 := strconv.ParseInt(strings.TrimSpace(from), 10, 64)
		b, err2 := strconv.ParseInt(strings.TrimSpace(to), 10, 64)
		if err1 != nil || err2 != nil || b < a || b-a >= 1000 {
			return nil, bad
		}
		var out []int64
		for x := a; x <= b; x++ {
			out = append(out, x)
		}
		return out, nil
	}
	var out []int64
	for _, word := range strings.Split(strings.Trim(s, "[] "), ",") {
		x, err := strconv.ParseInt(strings.TrimSpace(word), 10, 64)
		if err != nil {
			return nil, bad
		}
		if slices.Contains(out, x) {
			return nil, fmt.Errorf("seeds %q: %d is listed twice", s, x)
		}
		out = append(out, x)
	}
	return out, nil
}

// seeds are the values of an axis of seeds.
func (a Axis) seeds() ([]int64, error) {
	if a.Draw != nil {
		return nil, errors.New("seed: seeds are listed, not drawn; use --seeds, such as --seeds 1..5")
	}
	return ParseSeeds(strings.Join(a.Values, ","))
}

// checkSeedAxes refuses axes of seeds that are no seeds, and those beside a list
// of seeds, which would be overridden.
func (s *Spec) checkSeedAxes(listed bool) error {
	for i, g := range s.Grids {
		at := g.axis(seedKey)
		if at < 0 {
			continue
		}
		seeds, err := g[at].seeds()
		if err != nil {
			return fmt.Errorf("grid %d: %w", i+1, err)
		}
		if listed {
			return fmt.Errorf("grid %d varies seed while seeds are listed, too (seeds: or --seeds): keep one of them", i+1)
		}
		g[at].Values = nil
		for _, x := range seeds {
			g[at].Values = append(g[at].Values, strconv.FormatInt(x, 10))
		}
	}
	return nil
}

// seedsFor are the seeds of a point: its own, or else all that are listed.
func seedsFor(point []string, listed []int64) ([]int64, error) {
	for _, kv := range point {
		if v, ok := strings.CutPrefix(kv, seedKey+"="); ok {
			return ParseSeeds(v)
		}
	}
	return listed, nil
}
