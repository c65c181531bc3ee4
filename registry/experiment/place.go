package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/registry"
	"macpro/registry/remote"
)

// placement says where the plugins of a run live.
type placement struct {
	remote.Config
	pins map[string]string // SHA256 by kind and name
}

// pluginsOf reads the keys that must be known before the plugins are, and adds
// the external plugins that they name.
func pluginsOf(u config.User) (placement, error) {
	var w placement
	s, err := config.Defaults("configs/default.yaml", configs.Read(configs.Default), remote.Schema())
	if err != nil {
		return w, err
	}
	early, err := config.Early(u, remote.Schema())
	if err != nil {
		return w, err
	}
	maps.Copy(s, early)
	if err := config.Decode(s, &w.Config); err != nil {
		return w, err
	}
	flagged := len(registered) > 0
	for _, path := range w.Paths {
		err := RegisterNamed(path)
		switch moved := errors.Is(err, fs.ErrNotExist); {
		case moved && flagged: // a plugin of --env-plugin stands for it, or else its name is unknown below
		case moved:
			return w, fmt.Errorf("%w; if it has moved, name its place by --env-plugin", err)
		case err != nil:
			return w, err
		}
	}
	RegisterFound(w.Dirs)
	known := pluginIDs()
	for _, id := range w.Isolate {
		if !slices.Contains(known, id) {
			return w, fmt.Errorf("plugins.isolate: %w", names.Unknown("plugin", id, known))
		}
	}
	return w, w.pin(known)
}

// pin reads the states that plugins must have.
func (w *placement) pin(known []string) error {
	w.pins = map[string]string{}
	for _, s := range w.SHA256 {
		id, hash, ok := strings.Cut(s, "=")
		if b, err := hex.DecodeString(hash); !ok || err != nil || len(b) != sha256.Size {
			return fmt.Errorf("plugins.sha256: %q is not KIND/NAME=SHA256, with 64 hexadecimal digits", s)
		}
		if !slices.Contains(known, id) {
			return fmt.Errorf("plugins.sha256: %w", names.Unknown("plugin", id, known))
		}
		w.pins[id] = strings.ToLower(hash)
	}
	return nil
}

// pluginIDs lists all plugins by kind and name.
func pluginIDs() []string {
	var out []string
	for _, c := range registry.All() {
		for _, name := range c.Names() {
			out = append(out, c.Kind()+"/"+name)
		}
	}
	slices.Sort(out)
	return out
}

// imply chooses the environment of --env-plugin if there is one such plugin and
// nothing else was chosen.
func (w placement) imply(choices map[string]config.Chosen) {
	if _, ok := choices["env"]; ok {
		return
	}
	var envs []string
	for _, path := range w.Paths {
		if kind, name, _ := strings.Cut(registered[Absolute(path)], "/"); kind == remote.KindEnv {
			envs = append(envs, name)
		}
	}
	if len(envs) == 1 {
		choices["env"] = config.Chosen{Value: envs[0], At: config.Origin{Layer: config.LayerCommand, Source: "--env-plugin"}}
	}
}

// place moves a built-in plugin into a process of its own if the run wants it
// there; an external one gets the run's time-out and the state that it must have.
func place[T registry.Plugin](w placement, kind string, p T) (T, error) {
	name := p.Info().Name
	id := kind + "/" + name
	if r, ok := any(p).(remote.Plugin); ok {
		r.Limit(w.Timeout())
		return p, r.Expect(w.pins[id])
	}
	if w.pins[id] != "" {
		return p, fmt.Errorf("plugins.sha256: %s is built in and has no file of its own", id)
	}
	if !slices.Contains(w.Isolate, id) {
		return p, nil
	}
	program, err := os.Executable()
	if err != nil {
		return p, err
	}
	l := remote.Launch{Kind: kind, Info: p.Info(), Command: []string{program, "plugin", "serve", kind, name}, CallTimeout: w.Timeout()}
	if a, ok := any(p).(core.AblationPlugin); ok {
		l.Algs = a.Algs()
	}
	r, err := remote.New(l)
	if err != nil {
		return p, err
	}
	return any(r).(T), nil
}

// started makes sure that an external plugin runs: only then it is known that
// it is what its manifest says.
func started(p registry.Plugin) error {
	if r, ok := p.(remote.Plugin); ok {
		return r.Start()
	}
	return nil
}

// hashOf is the SHA-256 of an external plugin, "" for a built-in one.
func hashOf(p registry.Plugin) string {
	if r, ok := p.(remote.Plugin); ok {
		return r.Hash()
	}
	return ""
}
