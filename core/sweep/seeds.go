package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/core/config"
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

// ParseSeeds reads seeds: "1..5", "1,2,7" or "[1, 2, 7]". A seed is written as a
// whole number of a configuration is, so that 1e3 is one and 010 is none.
func ParseSeeds(s string) ([]int64, error) {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("seeds %q: %w; want a range such as 1..5 or a list such as 1,2,7", s, fmt.Errorf(format, args...))
	}
	var out []int64
	if from, to, ok := strings.Cut(s, ".."); ok {
		a, err1 := config.ParseInt(strings.TrimSpace(from))
		b, err2 := config.ParseInt(strings.TrimSpace(to))
		switch {
		case err1 != nil || err2 != nil:
			return nil, wrong("%w", cmp.Or(err1, err2))
		case b < a:
			return nil, wrong("the range ends before it begins")
		case uint64(b-a) >= MaxCells: // the difference may overflow, its bits are right
			return nil, wrong("the range has more than %d seeds, which is the most cells of a sweep", MaxCells)
		}
		for x := a; x <= b; x++ {
			out = append(out, int64(x))
		}
		return out, nil
	}
	seen := map[int]bool{}
	for _, word := range strings.Split(strings.Trim(s, "[] "), ",") {
		x, err := config.ParseInt(strings.TrimSpace(word))
		if err != nil {
			return nil, wrong("%w", err)
		}
		if seen[x] {
			return nil, fmt.Errorf("seeds %q: %d is listed twice", s, x)
		}
		seen[x] = true
		out = append(out, int64(x))
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
