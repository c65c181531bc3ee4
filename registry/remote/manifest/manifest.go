// Package manifest finds external plugins and decides whether they may run.
//
// An external plugin is a folder with a file plugin.yaml, the manifest. It says
// what a user needs to know before anything runs: kind, name, version, the keys of
// the configuration, and the command that starts the plugin. The SHA-256 of a
// plugin covers the files in its folder and every program or script that the
// command names by a path. It does not cover an interpreter that is found on PATH,
// so an update of Python does not concern a plugin.
//
// A plugin runs if the user has named its path for this run or has accepted it
// before: the list of accepted plugins holds kind, name and SHA-256. A plugin
// that has changed since is refused until it is accepted again. A manifest may
// also carry its own sha256, which then must hold in any case.
package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/core"
	"macpro/core/files"
	"macpro/core/names"
	"macpro/registry/remote"
	"macpro/registry/remote/process"
)

// FileName is the name of a manifest.
const FileName = "plugin.yaml"

// Manifest describes an external plugin.
type Manifest struct {
	Kind     string   `yaml:"kind"`
	Name     string   `yaml:"name"`
	Summary  string   `yaml:"summary"`
	Version  string   `yaml:"version"`
	Protocol int      `yaml:"protocol"`
	Command  []string `yaml:"command,flow"`
	SHA256   string   `yaml:"sha256,omitempty"`
	Algs     []string `yaml:"algs,flow,omitempty"` // an ablation's methods
	// Config is the plugin's configuration file, see core.Info.
	Config string  `yaml:"config,omitempty"`
	Schema []Field `yaml:"schema,omitempty"`

	Dir string `yaml:"-"` // the folder it lies in, absolute
}

// Field is a key of the configuration.
type Field struct {
	Key  string   `yaml:"key"`
	Kind string   `yaml:"kind"`
	Help string   `yaml:"help"`
	Min  *float64 `yaml:"min,omitempty"`
	Max  *float64 `yaml:"max,omitempty"`
	Enum []string `yaml:"enum,flow,omitempty"`
	// Neutral is core.Field.Neutral.
	Neutral string `yaml:"neutral,omitempty"`
	// Only is core.Field.Only.
	Only string `yaml:"only,omitempty"`
}

// Read reads the manifest in a folder, or a manifest by its own name.
func Read(path string) (*Manifest, error) {
	if filepath.Base(path) != FileName {
		path = filepath.Join(path, FileName)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	data, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not the folder of a plugin: it has no %s", filepath.Dir(path), FileName)
	}
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := names.DecodeYAML(data, m, "the manifest of a plugin"); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.Dir = filepath.Dir(path)
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// check says what is wrong with a manifest, if anything.
func (m *Manifest) check() error {
	switch {
	case !slices.Contains(remote.Kinds(), m.Kind):
		return names.Unknown("kind", m.Kind, remote.Kinds())
	case m.Protocol != process.Protocol:
		return fmt.Errorf("it speaks protocol %d, this program %d: build the plugin for this program", m.Protocol, process.Protocol)
	case len(m.Command) == 0 || m.Command[0] == "":
		return errors.New("command must name a program, as in [python3, maze.py]")
	}
	for _, alg := range m.Algs {
		if err := names.Check(alg); err != nil {
			return fmt.Errorf("algs: %w", err)
		}
	}
	return m.Info().Check()
}

// ID is kind and name, as in "env/corridor".
func (m *Manifest) ID() string { return m.Kind + "/" + m.Name }

// Info is the description of the plugin.
func (m *Manifest) Info() core.Info {
	i := core.Info{Name: m.Name, Summary: m.Summary, Version: m.Version, Config: []byte(m.Config), ConfigFile: "plugin " + m.ID()}
	for _, f := range m.Schema {
		i.Schema = append(i.Schema, core.Field{Key: f.Key, Kind: core.Kind(f.Kind), Help: f.Help, Min: f.Min, Max: f.Max, Enum: f.Enum, Neutral: f.Neutral, Only: f.Only})
	}
	return i
}

// Describe makes the manifest of a plugin that describes itself.
func Describe(p remote.Plugin, algs, command []string) *Manifest {
	i := p.Info()
	m := &Manifest{
		Kind: p.Kind(), Name: i.Name, Summary: i.Summary, Version: i.Version, Protocol: process.Protocol,
		Command: command, Algs: algs, Config: string(i.Config),
	}
	for _, f := range i.Schema {
		m.Schema = append(m.Schema, Field{Key: f.Key, Kind: string(f.Kind), Help: f.Help, Min: f.Min, Max: f.Max, Enum: f.Enum, Neutral: f.Neutral, Only: f.Only})
	}
	return m
}

// Encode writes the manifest as a file.
func (m *Manifest) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err := e.Encode(m)
	return b.Bytes(), err
}

// Launch says how to start the plugin; allow decides whether it may in the state
// that its files are in.
func (m *Manifest) Launch(allow func(hash string) error) remote.Launch {
	command := slices.Clone(m.Command)
	if p := m.path(command[0]); p != "" {
		command[0] = p
	}
	check := func() (string, error) {
		hash, err := m.Digest()
		if err != nil {
			return "", err
		}
		return hash, allow(hash)
	}
	return remote.Launch{Kind: m.Kind, Info: m.Info(), Algs: m.Algs, Command: command, Dir: m.Dir, Check: check}
}

// path is the absolute path of a part of the command that is a file, "" for
// any other part. A first part without a slash is looked for on PATH, so it is
// no path even if there is such a file.
func (m *Manifest) path(part string) string {
	if part == m.Command[0] && !strings.Contains(part, "/") {
		return ""
	}
	if !filepath.IsAbs(part) {
		part = filepath.Join(m.Dir, part)
	}
	if i, err := os.Stat(part); err != nil || !i.Mode().IsRegular() {
		return ""
	}
	return part
}

// Found is a manifest, or what is wrong with the folder where one should be.
type Found struct {
	Path     string
	Manifest *Manifest
	Err      error
}

// Find reads the manifests in the folders below dirs, in their order. A folder
// that does not exist holds none.
func Find(dirs []string) ([]Found, error) {
	var out []Found
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if _, err := os.Stat(filepath.Join(path, FileName)); err != nil {
				continue
			}
			m, err := Read(path)
			out = append(out, Found{path, m, err})
		}
	}
	return out, nil
}
