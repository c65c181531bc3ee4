// Package registry holds the catalogues of plugins, one a kind. Built-in
// plugins are put in by package plugins/all; plugins in processes of their own
// by package registry/remote.
package registry

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"

	"macpro/core"
)

// Plugin is what every plugin kind has in common.
type Plugin interface{ Info() core.Info }

// Catalogue is a set of plugins of one kind, by name.
type Catalogue[T Plugin] struct {
	kind string
	mu   sync.RWMutex
	byID map[string]T
}

// The catalogues of this process.
var (
	Envs      = NewCatalogue[core.EnvPlugin]("env")
	Learners  = NewCatalogue[core.LearnerPlugin]("learner")
	Methods   = NewCatalogue[core.MethodPlugin]("method")
	Ablations = NewCatalogue[core.AblationPlugin]("ablation")
)

// NewCatalogue makes an empty catalogue; kind is the word used in messages.
func NewCatalogue[T Plugin](kind string) *Catalogue[T] {
	return &Catalogue[T]{kind: kind, byID: map[string]T{}}
}

// Kind is the word that messages use for the catalogue's plugins.
func (c *Catalogue[T]) Kind() string { return c.kind }

// Register adds a plugin. An empty or taken name is an error.
func (c *Catalogue[T]) Register(p T) error {
	name := p.Info().Name
	if name == "" {
		return fmt.Errorf("%s plugin without a name", c.kind)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, taken := c.byID[name]; taken {
		return fmt.Errorf("%s %q is registered twice", c.kind, name)
	}
	c.byID[name] = p
	return nil
}

// MustRegister is Register for built-in plugins, whose names are known to be
// free; it panics otherwise.
func (c *Catalogue[T]) MustRegister(p T) {
	if err := c.Register(p); err != nil {
		panic(err)
	}
}

// Get returns the plugin of that name. If there is none the error lists all
// names and points out the nearest.
func (c *Catalogue[T]) Get(name string) (T, error) {
	c.mu.RLock()
	p, ok := c.byID[name]
	c.mu.RUnlock()
	if ok {
		return p, nil
	}
	return p, UnknownName(c.kind, name, c.Names())
}

// Names lists the registered names in alphabetical order.
func (c *Catalogue[T]) Names() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	names := make([]string, 0, len(c.byID))
	for n := range c.byID {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// UnknownName is the error for a name that is not among the known ones.
func UnknownName(kind, name string, known []string) error {
	msg := fmt.Sprintf("unknown %s %q", kind, name)
	if near := Nearest(name, known); near != "" {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	if len(known) > 0 {
		msg += fmt.Sprintf(" (known: %s)", strings.Join(known, ", "))
	}
	return fmt.Errorf("%s", msg)
}

// Nearest returns the known name that is closest to name by edit distance, or
// "" if none is near enough to be a likely slip.
func Nearest(name string, known []string) string {
	best, dist := "", max(2, len(name)/2)+1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(k)); d < dist {
			best, dist = k, d
		}
	}
	return best
}
