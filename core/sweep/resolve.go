package sweep

import "fmt"

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
