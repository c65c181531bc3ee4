package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/core/files"
	"macpro/core/names"
)

// Entry is an accepted plugin.
type Entry struct {
	Plugin string `yaml:"plugin"` // kind and name
	SHA256 string `yaml:"sha256"`
	Path   string `yaml:"path"` // where it was when it was accepted, for the reader
}

// Accepted is the list of the plugins that a user lets run.
type Accepted []Entry

// ReadAccepted reads a list; there need not be one.
func ReadAccepted(file string) (Accepted, error) {
	data, err := files.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var a Accepted
	if err := names.DecodeYAML(data, &a, "the list of accepted plugins"); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return a, nil
}

// With adds a plugin; an entry of the same plugin at the same path is replaced.
func (a Accepted) With(m *Manifest, hash string) Accepted {
	out := slices.DeleteFunc(slices.Clone(a), func(e Entry) bool { return e.Plugin == m.ID() && e.Path == m.Dir })
	return append(out, Entry{m.ID(), hash, m.Dir})
}

// Encode writes the list as a file.
func (a Accepted) Encode() ([]byte, error) { return yaml.Marshal(a) }

// The states of a plugin on this machine.
const (
	StateAccepted = "accepted"
	StateNew      = "new"     // never accepted
	StateChanged  = "changed" // another state of it was accepted
)

// State compares a plugin with the list.
func (a Accepted) State(m *Manifest, hash string) string {
	known := false
	for _, e := range a {
		if e.Plugin == m.ID() {
			if e.SHA256 == hash {
				return StateAccepted
			}
			known = known || e.Path == m.Dir
		}
	}
	if known {
		return StateChanged
	}
	return StateNew
}

// Allow says why a plugin may not run, if it may not. One that the user has
// named by its path may, unless it breaks its own sha256.
func (a Accepted) Allow(m *Manifest, hash string, named bool) error {
	if m.SHA256 != "" && !strings.EqualFold(m.SHA256, hash) {
		return fmt.Errorf("plugin %s in %s is not what its manifest says: sha256 is %s, the manifest has %s", m.ID(), m.Dir, hash, m.SHA256)
	}
	if named {
		return nil
	}
	switch a.State(m, hash) {
	case StateNew:
		return fmt.Errorf("plugin %s in %s has not been accepted: it would run with your rights; look at it, then: macpro plugin accept %s", m.ID(), m.Dir, names.ShellWord(m.Dir))
	case StateChanged:
		return fmt.Errorf("plugin %s in %s has changed since it was accepted (sha256 is %s now); look at it, then: macpro plugin accept %s", m.ID(), m.Dir, hash, names.ShellWord(m.Dir))
	}
	return nil
}
