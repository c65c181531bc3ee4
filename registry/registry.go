// Package registry holds the catalogues of plugins, one a kind. Built-in
// plugins are put in by package plugins/all; plugins in processes of their own
// by package registry/remote.
package registry

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"macpro/core"
	"macpro/core/names"
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

// Any is a catalogue whose kind is not known.
type Any interface {
	Kind() string
	Names() []string
	// Find is Get.
	Find(name string) (Plugin, error)
	// Add is Register. A plugin of another kind is an error.
	Add(p Plugin) error
}

// All lists the catalogues of this process.
func All() []Any { return []Any{Envs, Learners, Methods, Ablations} }

// NewCatalogue makes an empty catalogue; kind is the word used in messages.
func NewCatalogue[T Plugin](kind string) *Catalogue[T] {
	return &Catalogue[T]{kind: kind, byID: map[string]T{}}
}

// Kind is the word that messages use for the catalogue's plugins.
func (c *Catalogue[T]) Kind() string { return c.kind }

// Register adds a plugin. A taken name, or a description that core.Info.Check
// refuses, is an error.
func (c *Catalogue[T]) Register(p T) error {
	info := p.Info()
	if err := info.Check(); err != nil {
		return fmt.Errorf("%s plugin: %w", c.kind, err)
	}
	name := info.Name
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
	return p, names.Unknown(c.kind, name, c.Names())
}

// Find implements Any.
func (c *Catalogue[T]) Find(name string) (Plugin, error) { return c.Get(name) }

// Add implements Any.
func (c *Catalogue[T]) Add(p Plugin) error {
	q, ok := p.(T)
	if !ok {
		return fmt.Errorf("%s is no %s", p.Info().Name, c.kind)
	}
	return c.Register(q)
}

// Names lists the registered names in alphabetical order.
func (c *Catalogue[T]) Names() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Sorted(maps.Keys(c.byID))
}
