package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
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
	// Plugins are those of the run, in the version and state that they must have.
	Plugins []store.PluginVersion `json:"plugins,omitempty"`
}

// Label is a short name for people, safe to print.
func (c *Cell) Label() string { return c.label("") }

// label is Label with what else tells a cell from others.
func (c *Cell) label(more string) string {
	parts := []string{c.Alg, c.Ablation, c.Env, c.Learner, more, fmt.Sprintf("s%d", c.Seed), c.ID[:min(len(c.ID), 6)]}
	return names.Brief(names.Plain(strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")))
}

// named are the keys whose values a label has in any case.
var named = []string{"alg", "env", "learner", "ablation", "seed"}

// Label is a cell's label with the settings in which it differs from others.
func (s *Sweep) Label(c *Cell) string { return c.label(strings.Join(s.Own(c), " ")) }

// Own lists the settings in which a cell differs from others, but for those that every
// label has.
func (s *Sweep) Own(c *Cell) []string {
	return slices.DeleteFunc(s.Varied(c), func(kv string) bool { return slices.Contains(named, keyOf(kv)) })
}

// Varied lists the settings of a cell that not all cells have, but for the seed.
func (s *Sweep) Varied(c *Cell) (own []string) {
	for _, kv := range c.Sets {
		if !slices.Contains(s.Sets, kv) && keyOf(kv) != seedKey {
			own = append(own, kv)
		}
	}
	return own
}

// Execution is how a sweep was asked to run its cells.
type Execution struct {
	Executor string   `json:"executor"`
	Jobs     int      `json:"jobs,omitempty"`   // cells at the same time; 0 is one a processor
	Sbatch   []string `json:"sbatch,omitempty"` // arguments for Slurm
	Pack     int      `json:"pack,omitempty"`   // cells in a task, see Slurm
	Throttle int      `json:"throttle,omitempty"`
	// Environ holds variables of the cells' environment.
	Environ map[string]string `json:"environ,omitempty"`
}

// Plan is what a sweep was asked to do: the content of sweep.json.
type Plan struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Source  string    `json:"source"` // file or "command line"
	Profile string    `json:"profile"`
	Argv    []string  `json:"argv"`
	Execution
	Search   Search     `json:"search"`
	Evaluate []Evaluate `json:"evaluate,omitempty"`
	// Sets holds the key=value that all cells have. In the file, the cells have the
	// others alone.
	Sets  []string `json:"sets,omitempty"`
	Cells []*Cell  `json:"cells"`
}

// planFormat is the format of plans.
const planFormat = 2

// Sweep is a sweep's folder.
type Sweep struct {
	Plan
	Root string // of the results
	FS   store.FS
}

// ExistsError says that a sweep of that name was made before.
type ExistsError struct{ ID, Root string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("there is a sweep %q already: go on with \"%s\", or give this one another name with --name", e.ID, ResumeCommand(e.ID, e.Root))
}

// ResumeCommand goes on with a sweep, as a line for the shell.
func ResumeCommand(id, root string) string {
	line := "macpro sweep resume " + names.ShellWord(id)
	if root != "results" {
		line += " --out " + names.ShellWord(root)
	}
	return line
}

// CheckName says whether a sweep may have a name. Its folder has the same name.
func CheckName(id string) error {
	if id == "" || strings.ContainsAny(id, "/\\ \t\n") || id[0] == '.' || id[0] == '-' || names.Plain(id) != id {
		return fmt.Errorf("a sweep cannot be named %q: a name is one word without slashes that starts with a letter or digit", id)
	}
	return nil
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
	if err := names.DecodeJSON(data, &s.Plan); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", name, err)
	}
	if s.Format != planFormat || s.ID != id {
		return nil, fmt.Errorf("%s is not the plan of sweep %s in format %d", name, id, planFormat)
	}
	for _, c := range s.Cells {
		c.Sets = slices.Concat(s.Sets, c.Sets)
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
