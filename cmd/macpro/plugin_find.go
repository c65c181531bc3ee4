package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core"
	"macpro/core/files"
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
		err := registerFlagged(cmd)
		if err == nil && verb.Name() == "list" {
			err = registerFound(nil)
		}
		return usage(err)
	}
}

// registerFlagged adds the plugins of --env-plugin and notes the folders that the
// user has named.
func registerFlagged(cmd *cobra.Command) error {
	paths, err := cmd.Flags().GetStringArray("env-plugin")
	for _, path := range paths {
		err = errors.Join(err, registerNamed(path))
	}
	folders.warn = cmd.ErrOrStderr()
	if err == nil {
		folders.named, err = namedDirs(cmd)
	}
	return err
}

// keysOf leaves out of the environment what is not a key of the configuration.
func keysOf(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool { return strings.HasPrefix(kv, pluginPath+"=") })
}

// pluginSets turns --env-plugin and --plugin-dir into keys, so that the record of
// a run or a sweep knows its plugins and resume finds them.
func pluginSets(cmd *cobra.Command) []string {
	var out []string
	paths, err := cmd.Flags().GetStringArray("env-plugin")
	dirs, dirsErr := namedDirs(cmd)
	if errors.Join(err, dirsErr) != nil {
		return nil // the verb has complained before it came to this
	}
	for _, l := range []struct {
		key  string
		list []string
	}{{"plugins.paths", paths}, {"plugins.dirs", dirs}} {
		if len(l.list) == 0 {
			continue
		}
		abs := make([]string, len(l.list))
		for i, p := range l.list {
			abs[i] = absolute(p)
		}
		if list, err := json.Marshal(abs); err == nil { // JSON is YAML
			out = append(out, l.key+"="+string(list))
		}
	}
	return out
}

// namedDirs lists the folders of external plugins that the user has named.
func namedDirs(cmd *cobra.Command) ([]string, error) {
	dirs, err := cmd.Flags().GetStringArray("plugin-dir")
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if _, err := os.ReadDir(d); err != nil {
			return nil, fmt.Errorf("--plugin-dir: %w", err)
		}
		if _, err := os.Stat(filepath.Join(d, manifest.FileName)); err == nil {
			return nil, fmt.Errorf("--plugin-dir: %s is a plugin itself: name it by --env-plugin, or here the folder that it lies in", d)
		}
	}
	if len(dirs) == 0 {
		dirs = filepath.SplitList(os.Getenv(pluginPath))
	}
	return dirs, nil
}

// orOwn is the user's own plugin folder if no others are named.
func orOwn(dirs []string) []string {
	if len(dirs) > 0 {
		return dirs
	}
	base, err := os.UserConfigDir()
	if err != nil {
		return nil // a user without a home has no plugins there
	}
	return []string{filepath.Join(base, "macpro", "plugins")}
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

// acceptedFolders are the plugins that lie where they were accepted, the latest
// first and one of each name that is not known yet. A list that cannot be read is
// the business of those who need it.
func acceptedFolders() []manifest.Found {
	list, err := accepted()
	if err != nil {
		return nil
	}
	var out []manifest.Found
	seen := map[string]bool{}
	for _, id := range registered {
		seen[id] = true
	}
	for _, e := range slices.Backward(list) {
		if m, err := manifest.Read(e.Path); err == nil && m.ID() == e.Plugin && !seen[e.Plugin] {
			seen[e.Plugin] = true
			out = append(out, manifest.Found{Path: e.Path, Manifest: m})
		}
	}
	return out
}

// What this process knows of external plugins.
var (
	registered = map[string]string{} // ids of those in the catalogues, by path
	named      = map[string]bool{}   // folders of plugins whose path the user has named
	folders    struct {
		named  []string // plugin folders of this call
		looked []string // at before
		warn   io.Writer
	}
)

// registerFound adds the plugins of the named plugin folders and of further ones.
// What cannot be used is left out with a warning.
func registerFound(more []string) error {
	dirs := slices.Concat(folders.named, more)
	wanted := len(dirs) > 0
	dirs = slices.DeleteFunc(orOwn(dirs), func(d string) bool {
		seen := slices.Contains(folders.looked, absolute(d))
		folders.looked = append(folders.looked, absolute(d))
		return seen
	})
	for _, d := range dirs {
		if _, err := os.Stat(d); err != nil && wanted {
			fmt.Fprintf(folders.warn, "macpro: folder of external plugins (--plugin-dir, %s or plugins.dirs): %v\n", pluginPath, err)
		}
	}
	var found []manifest.Found
	for _, d := range dirs {
		more, err := manifest.Find([]string{d})
		if err != nil {
			fmt.Fprintf(folders.warn, "macpro: plugins left out: %s\n", names.Plain(err.Error()))
		}
		found = append(found, more...)
	}
	registerAll(found)
	registerAll(acceptedFolders())
	return nil
}

// registerAll adds plugins, and leaves out what cannot be used with a warning.
func registerAll(found []manifest.Found) {
	for _, f := range found {
		err := f.Err
		if err == nil && registered[f.Manifest.Dir] == "" {
			err = registerManifest(f.Manifest)
		}
		if err != nil {
			fmt.Fprintf(folders.warn, "macpro: external plugin left out: %s\n", names.Plain(err.Error()))
		}
	}
}

// registerNamed adds a plugin that the user has named by its path.
func registerNamed(path string) error {
	abs := absolute(path)
	i, err := os.Stat(abs)
	if err != nil {
		return fmt.Errorf("external plugin: %w", err)
	}
	if i.IsDir() || filepath.Base(abs) == manifest.FileName {
		m, err := manifest.Read(abs)
		if err != nil {
			return err
		}
		named[m.Dir] = true
		if registered[m.Dir] == "" {
			err = registerManifest(m)
		}
		registered[abs] = registered[m.Dir]
		return err
	}
	if registered[abs] != "" {
		return nil
	}
	p, err := remote.Discover(remote.Launch{Command: []string{abs}, Dir: filepath.Dir(abs), Check: func() (string, error) {
		sum, err := files.Sum(abs)
		return fmt.Sprintf("%x", sum), err
	}})
	if err != nil {
		return err
	}
	return register(p, abs)
}

func registerManifest(m *manifest.Manifest) error {
	p, err := remote.New(m.Launch(allowed(m)))
	if err != nil {
		return err
	}
	return register(p, m.Dir)
}

// allowed decides whether a plugin may run: if the user has named its path or
// has accepted it.
func allowed(m *manifest.Manifest) func(hash string) error {
	return func(hash string) error {
		list, err := accepted()
		if err != nil {
			return err
		}
		return list.Allow(m, hash, named[m.Dir])
	}
}

// register puts an external plugin into the catalogue of its kind.
func register(p remote.Plugin, path string) error {
	kind, name := p.Kind(), p.Info().Name
	id := kind + "/" + name
	if _, err := builtin(kind, name); err == nil {
		for other, known := range registered {
			if known == id {
				return fmt.Errorf("%s: there is a plugin %s in %s already: use one of them, or give one another name", path, id, other)
			}
		}
		return fmt.Errorf("%s: macpro has a built-in %s %q: give the plugin another name", path, kind, name)
	}
	registered[path] = id
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
	return fmt.Errorf("plugin %s is of a kind without a catalogue", id)
}
