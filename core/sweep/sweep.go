package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"macpro/core/names"
	"macpro/core/store"
)

// Cell is one configuration with one seed.
type Cell struct {
	// ID is the beginning of ConfigHash.
	ID         string   `json:"id"`
	Sets       []string `json:"sets"` // key=value, with the seed
	ConfigHash string   `json:"config_hash"`
	GroupHash  string   `json:"group_hash"` // common to all seeds
	EnvHash    string   `json:"env_hash"`
	Alg        string   `json:"alg"`
	Env        string   `json:"env"`
	Learner    string   `json:"learner"`
	Ablation   string   `json:"ablation,omitempty"`
	Seed       int64    `json:"seed"`
	Steps      int64    `json:"steps"` // training transitions of the whole run
	// Tests are the episodes of each of the plan's evaluations, at most: tests
	// that a mode is not defined for are left out.
	Tests []int64 `json:"tests,omitempty"`
	// Plugins are those in processes of their own, in the state that they must
	// have.
	Plugins []store.PluginVersion `json:"plugins,omitempty"`
}

// Label is a short name for people.
func (c *Cell) Label() string {
	label := c.Alg
	if c.Ablation != "" {
		label += " " + c.Ablation
	}
	return fmt.Sprintf("%s %s %s s%d %s", label, c.Env, c.Learner, c.Seed, c.ID[:6])
}

// Plan is what a sweep was asked to do: the content of sweep.json.
type Plan struct {
	Format   int        `json:"format"`
	ID       string     `json:"id"`
	Created  time.Time  `json:"created"`
	Source   string     `json:"source"` // file or "command line"
	Profile  string     `json:"profile"`
	Argv     []string   `json:"argv"`
	Executor string     `json:"executor"`
	Search   Search     `json:"search"`
	Evaluate []Evaluate `json:"evaluate,omitempty"`
	Cells    []*Cell    `json:"cells"`
}

const planFormat = 1

// Sweep is a sweep's folder.
type Sweep struct {
	Plan
	Root string // of the results
	FS   store.FS
}

// Resolved is a cell with its configuration.
type Resolved struct {
	Cell
	Config []byte // YAML
}

// Resolver turns settings into a configuration.
type Resolver func(sets []string) (Resolved, error)

// ExistsError says that a sweep of that name was made before.
type ExistsError struct{ ID string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("there is a sweep %q already: go on with \"macpro sweep resume %s\", or give this one another name with --name", e.ID, e.ID)
}

// Resolve turns points into cells, one for every seed, or the one of seed if a
// point sets it. Points with the same
// configuration are one cell. Foreign keys are left out of a point; left says of
// how many. All problems are reported together.
func Resolve(points [][]string, seeds []int64, resolve Resolver, foreign Foreign) (out []Resolved, left map[string]int, err error) {
	if points, left, err = fit(points, foreign); err != nil {
		return nil, nil, err
	}
	var problems []problem
	seen := map[string]bool{}
	for _, p := range points {
		own, err := seedsFor(p, seeds)
		if err != nil {
			return nil, nil, err
		}
		for _, seed := range own {
			sets := override(p, []string{fmt.Sprintf("seed=%d", seed)})
			r, err := resolve(sets)
			if err != nil {
				problems = note(problems, p, err)
				break // the same for every seed
			}
			if seen[r.ConfigHash] {
				continue
			}
			seen[r.ConfigHash] = true
			r.ID, r.Sets, r.Seed = r.ConfigHash[:12], sets, seed
			out = append(out, r)
		}
	}
	if problems != nil {
		return nil, nil, told(problems)
	}
	return out, left, nil
}

// CheckName says whether a sweep may have a name, which names its folder, too.
func CheckName(id string) error {
	if id == "" || strings.ContainsAny(id, "/\\ \t\n") || id[0] == '.' || id[0] == '-' {
		return fmt.Errorf("a sweep cannot be named %q: a name is one word without slashes that starts with a letter or digit", id)
	}
	return nil
}

// Create makes the folder of a new sweep. sweep.json comes last: without it
// there is no sweep, so that a creation that was cut can be repeated.
func Create(fsys store.FS, root string, p Plan, cells []Resolved) (*Sweep, error) {
	if err := CheckName(p.ID); err != nil {
		return nil, err
	}
	s := &Sweep{Plan: p, Root: root, FS: fsys}
	if _, err := Open(fsys, root, p.ID); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = &ExistsError{p.ID}
		}
		return nil, err
	}
	s.Format = planFormat
	for i := range cells {
		c := &cells[i].Cell
		s.Cells = append(s.Cells, c)
		if err := store.WriteFile(fsys, s.cellPath(c, "config.yaml"), cells[i].Config); err != nil {
			return nil, err
		}
	}
	data, err := json.MarshalIndent(s.Plan, "", " ")
	if err != nil {
		return nil, err
	}
	return s, store.WriteFile(fsys, s.Path("sweep.json"), append(data, '\n'))
}

// Open reads the plan of a sweep. One that does not exist matches
// fs.ErrNotExist.
func Open(fsys store.FS, root, id string) (*Sweep, error) {
	s := &Sweep{Plan: Plan{ID: id}, Root: root, FS: fsys}
	name := s.Path("sweep.json")
	data, err := store.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &s.Plan); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", name, err)
	}
	if s.Format != planFormat || s.ID != id {
		return nil, fmt.Errorf("%s is not the plan of sweep %s in format %d", name, id, planFormat)
	}
	return s, nil
}

// Find is Open with an error that names the nearest sweep.
func Find(fsys store.FS, root, id string) (*Sweep, error) {
	s, err := Open(fsys, root, id)
	if errors.Is(err, fs.ErrNotExist) {
		known, _, listErr := List(fsys, root)
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Join(root, "sweeps"), names.Unknown("sweep", id, known)), listErr)
	}
	return s, err
}

// List names the sweeps of a results root; what is no sweep is a warning.
func List(fsys store.FS, root string) (ids, warnings []string, err error) {
	entries, err := fsys.ReadDir(filepath.Join(root, "sweeps"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		if _, err := Open(fsys, root, e.Name); err != nil {
			warnings = append(warnings, fmt.Sprintf("%s is no sweep: %v", filepath.Join(root, "sweeps", e.Name), err))
			continue
		}
		ids = append(ids, e.Name)
	}
	return ids, warnings, err
}

// Path is the place of a file of the sweep.
func (s *Sweep) Path(elem ...string) string {
	return filepath.Join(append([]string{s.Root, "sweeps", s.ID}, elem...)...)
}

func (s *Sweep) cellPath(c *Cell, name string) string { return s.Path("cells", c.ID, name) }

// Cancel tells the workers of the sweep to stop; Revive takes that back.
func (s *Sweep) Cancel() error { return store.WriteFile(s.FS, s.Path("cancelled"), nil) }

// Revive lets workers of a cancelled sweep work again.
func (s *Sweep) Revive() error {
	if err := s.FS.Remove(s.Path("cancelled")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Cancelled says whether the sweep was told to stop.
func (s *Sweep) Cancelled() bool {
	f, err := s.FS.Open(s.Path("cancelled"))
	if err != nil {
		return false
	}
	return f.Close() == nil
}
