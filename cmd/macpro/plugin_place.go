package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/registry"
	"macpro/registry/remote"
	"macpro/registry/remote/manifest"
)

// pluginPath names the variable with further folders of external plugins. It is
// no key of the configuration although it looks like one.
const pluginPath = "MACPRO_PLUGIN_PATH"

// usePlugins lets verbs that name plugins find external ones.
func usePlugins(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringArray("plugin-dir", nil, "folder of external plugins (default "+pluginPath+", then macpro/plugins in the user's configuration folder); may be repeated")
	f.StringArray("env-plugin", nil, "external plugin to use in this run: a folder with a plugin.yaml, or a program; may be repeated")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		verb := cmd
		for verb.Parent() != nil && verb.Parent() != root {
			verb = verb.Parent()
		}
		if !slices.Contains([]string{"run", "resume", "eval", "export", "sweep", "list"}, verb.Name()) {
			return nil
		}
		err := errors.Join(registerFound(cmd), registerFlagged(cmd))
		if err == nil && verb.Name() == "sweep" {
			err = passOn(cmd)
		}
		return usage(err)
	}
}

// registerFlagged adds the plugins of --env-plugin.
func registerFlagged(cmd *cobra.Command) error {
	paths, err := cmd.Flags().GetStringArray("env-plugin")
	for _, path := range paths {
		err = errors.Join(err, registerNamed(path))
	}
	return err
}

// passOn lets the processes of a sweep's runs find the same plugins.
func passOn(cmd *cobra.Command) error {
	dirs, err := cmd.Flags().GetStringArray("plugin-dir")
	if err != nil {
		return err
	}
	for i, d := range dirs {
		if dirs[i], err = filepath.Abs(d); err != nil {
			return err
		}
	}
	if len(dirs) > 0 {
		err = os.Setenv(pluginPath, strings.Join(dirs, string(filepath.ListSeparator)))
	}
	for _, set := range namedPaths(cmd) {
		_, list, _ := strings.Cut(set, "=")
		err = errors.Join(err, os.Setenv(config.Prefix+"PLUGINS__PATHS", list))
	}
	return err
}

// keysOf leaves out of the environment what is not a key of the configuration.
func keysOf(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool { return strings.HasPrefix(kv, pluginPath+"=") })
}

// namedPaths turns the flag --env-plugin into a key, so that a run's record
// knows its plugins and resume finds them.
func namedPaths(cmd *cobra.Command) []string {
	paths, err := cmd.Flags().GetStringArray("env-plugin")
	if err != nil || len(paths) == 0 {
		return nil
	}
	for i, p := range paths {
		if abs, err := filepath.Abs(p); err == nil {
			paths[i] = abs
		}
	}
	list, err := json.Marshal(paths) // JSON is YAML
	if err != nil {
		return nil // strings always have a JSON form
	}
	return []string{"plugins.paths=" + string(list)}
}

// pluginDirs lists the folders with external plugins.
func pluginDirs(cmd *cobra.Command) ([]string, error) {
	dirs, err := cmd.Flags().GetStringArray("plugin-dir")
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if _, err := os.ReadDir(d); err != nil {
			return nil, fmt.Errorf("--plugin-dir: %w", err)
		}
	}
	if len(dirs) == 0 {
		dirs = filepath.SplitList(os.Getenv(pluginPath))
	}
	if len(dirs) == 0 {
		if base, err := os.UserConfigDir(); err == nil {
			dirs = []string{filepath.Join(base, "macpro", "plugins")}
		}
	}
	return dirs, nil
}

// acceptedFile is where the list of accepted plugins is kept.
func acceptedFile() (string, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("the list of accepted plugins: %w", err)
	}
	return filepath.Join(base, "macpro", "accepted.yaml"), nil
}

func accepted() (manifest.Accepted, error) {
	file, err := acceptedFile()
	if err != nil {
		return nil, err
	}
	return manifest.ReadAccepted(file)
}

// registered maps the paths of external plugins in the catalogues to their id.
var registered = map[string]string{}

// registerFound adds the plugins of the plugin folders. What cannot be used is
// left out with a warning.
func registerFound(cmd *cobra.Command) error {
	dirs, err := pluginDirs(cmd)
	if err != nil {
		return err
	}
	found, err := manifest.Find(dirs)
	if err != nil {
		return err
	}
	for _, f := range found {
		err := f.Err
		if err == nil {
			err = registerManifest(f.Manifest, false)
		}
		if err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "macpro: external plugin left out: %v\n", err)
		}
	}
	return nil
}

// registerNamed adds a plugin that the user has named by its path.
func registerNamed(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if registered[abs] != "" {
		return nil
	}
	i, err := os.Stat(abs)
	if err != nil {
		return fmt.Errorf("external plugin: %w", err)
	}
	if i.IsDir() || filepath.Base(abs) == manifest.FileName {
		m, err := manifest.Read(abs)
		if err != nil {
			return err
		}
		registered[abs] = m.ID()
		return registerManifest(m, true)
	}
	p, err := remote.Discover(remote.Launch{Command: []string{abs}, Dir: filepath.Dir(abs), Check: func() (string, error) {
		data, err := os.ReadFile(abs)
		return fmt.Sprintf("%x", sha256.Sum256(data)), err
	}})
	if err != nil {
		return err
	}
	registered[abs] = p.Kind() + "/" + p.Info().Name
	return register(p)
}

func registerManifest(m *manifest.Manifest, named bool) error {
	if !named && registered[m.Dir] != "" {
		return nil
	}
	registered[m.Dir] = m.ID()
	p, err := remote.New(m.Launch(named, accepted))
	if err != nil {
		return err
	}
	if err := register(p); err != nil {
		return fmt.Errorf("%s: %w", m.Dir, err)
	}
	return nil
}

// register puts an external plugin into the catalogue of its kind.
func register(p remote.Plugin) error {
	switch q := p.(type) {
	case core.EnvPlugin:
		return registry.Envs.Register(q)
	case core.LearnerPlugin:
		return registry.Learners.Register(q)
	case core.MethodPlugin:
		return registry.Methods.Register(q)
	case core.AblationPlugin:
		return registry.Ablations.Register(q)
	}
	return fmt.Errorf("plugin %s/%s is of a kind without a catalogue", p.Kind(), p.Info().Name)
}

// placement says where the plugins of a run live.
type placement struct{ remote.Config }

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
	for _, path := range w.Paths {
		if err := registerNamed(path); err != nil {
			return w, err
		}
	}
	known := pluginIDs()
	for _, id := range w.Isolate {
		if !slices.Contains(known, id) {
			return w, fmt.Errorf("plugins.isolate: %w", names.Unknown("plugin", id, known))
		}
	}
	return w, nil
}

// pluginIDs lists all plugins by kind and name.
func pluginIDs() []string {
	var out []string
	for kind, list := range map[string][]string{
		remote.KindEnv: registry.Envs.Names(), remote.KindLearner: registry.Learners.Names(),
		remote.KindMethod: registry.Methods.Names(), remote.KindAblation: registry.Ablations.Names(),
	} {
		for _, name := range list {
			out = append(out, kind+"/"+name)
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
		if abs, err := filepath.Abs(path); err == nil {
			if kind, name, _ := strings.Cut(registered[abs], "/"); kind == remote.KindEnv {
				envs = append(envs, name)
			}
		}
	}
	if len(envs) == 1 {
		choices["env"] = config.Chosen{Value: envs[0], At: config.Origin{Layer: config.LayerCommand, Source: "--env-plugin"}}
	}
}

// place moves a built-in plugin into a process of its own if the run wants it
// there; an external one gets the run's time-out.
func place[T registry.Plugin](w placement, kind string, p T) (T, error) {
	if r, ok := any(p).(remote.Plugin); ok {
		r.Limit(w.Timeout())
		return p, nil
	}
	name := p.Info().Name
	if !slices.Contains(w.Isolate, kind+"/"+name) {
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
