package sweep

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"macpro/core/names"
)

// Resolved is a cell with its configuration.
type Resolved struct {
	Cell
	Config []byte // YAML
}

// Planner turns settings into configurations.
type Planner struct {
	// Resolve finds the configuration of settings, with the seed among them.
	Resolve func(sets []string) (Resolved, error)
	// Foreign finds the keys among settings that no plugin of the settings' run has
	// but some other plugin does, as alpha_reg in a run of finetuning, and names that
	// plugin. Keys that nobody has are not foreign: resolving reports them.
	Foreign func(sets []string) map[string]string
	// Progress, if not nil, hears of each configuration that is done.
	Progress func(done, all int)
}

// Resolve turns points into cells, one for every seed, or the one of seed if a
// point sets it. Points with the same configuration are one cell. Foreign keys are
// left out of a point; left says of how many. All problems are reported together.
func Resolve(points [][]string, seeds []int64, p Planner) (out []Resolved, left map[string]int, err error) {
	if points, left, err = fit(points, p.Foreign); err != nil {
		return nil, nil, err
	}
	var wrong problems
	seen := map[string]bool{}
	for i, point := range points {
		own, err := seedsFor(point, seeds)
		if err != nil {
			return nil, nil, err
		}
		for k, seed := range own {
			sets := override(point, []string{fmt.Sprintf("seed=%d", seed)})
			r, err := p.Resolve(sets)
			if err != nil {
				wrong.note(point, err)
				break // the same for every seed
			}
			if p.Progress != nil {
				p.Progress(i*len(own)+k+1, len(points)*len(own))
			}
			if seen[r.ConfigHash] {
				continue
			}
			seen[r.ConfigHash] = true
			r.ID, r.Sets, r.Seed = r.ConfigHash[:12], sets, seed
			out = append(out, r)
		}
	}
	if err := wrong.err(); err != nil {
		return nil, nil, err
	}
	return out, left, nil
}

// fit takes the foreign keys out of all points, so that a key of one method does
// not stand in the way of comparing it with others. Points that become equal are
// one cell in the end. left says how many points went without each key; a key
// that no point could keep is an error.
func fit(points [][]string, foreign func([]string) map[string]string) (out [][]string, left map[string]int, err error) {
	left = map[string]int{}
	set, owner := map[string]int{}, map[string]string{} // set counts points
	for _, p := range points {
		without := foreign(p)
		var own []string
		for _, kv := range p {
			set[keyOf(kv)]++
			if _, no := without[keyOf(kv)]; !no {
				own = append(own, kv)
			}
		}
		out = append(out, own)
		for k, plugin := range without {
			left[k]++
			owner[k] = plugin
		}
	}
	for _, k := range slices.Sorted(maps.Keys(left)) {
		if left[k] == set[k] {
			return nil, nil, fmt.Errorf("no cell of the sweep has the key %q: it is a key of %s, which the sweep does not run", k, owner[k])
		}
	}
	return out, left, nil
}

func keyOf(kv string) string {
	key, _, _ := strings.Cut(kv, "=")
	return key
}

// problems collects what is wrong with configurations.
type problems struct {
	texts  []string              // each once, in their order
	points map[string][][]string // the configurations with each of them
}

// note adds a problem of a configuration.
func (ps *problems) note(point []string, err error) {
	text := err.Error()
	if ps.points == nil {
		ps.points = map[string][][]string{}
	}
	if ps.points[text] == nil {
		ps.texts = append(ps.texts, text)
	}
	ps.points[text] = append(ps.points[text], point)
}

// err reports the problems together, ten at most; nil if there are none.
func (ps *problems) err() error {
	const most = 10
	if ps.texts == nil {
		return nil
	}
	var b strings.Builder
	b.WriteString("the sweep has cells that cannot run:")
	for _, text := range ps.texts[:min(most, len(ps.texts))] {
		points := ps.points[text]
		fmt.Fprintf(&b, "\n  %s: %s", names.Brief(strings.Join(points[0], " ")), text)
		if more := len(points) - 1; more > 0 {
			fmt.Fprintf(&b, " (and the same in %d more)", more)
		}
	}
	if n := len(ps.texts) - most; n > 0 {
		fmt.Fprintf(&b, "\n  and %d problems more", n)
	}
	return errors.New(b.String())
}
