package experiment

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"macpro/core/files"
	"macpro/core/names"
	"macpro/registry"
	"macpro/registry/remote"
	"macpro/registry/remote/manifest"
)

// PluginPath names the variable with further folders of external plugins. It is
// no key of the configuration although it looks like one.
const PluginPath = "MACPRO_PLUGIN_PATH"

// PluginDirs is the user's own plugin folder if no others are named.
func PluginDirs(dirs []string) []string {
	if len(dirs) > 0 {
		return dirs
	}
	base, err := os.UserConfigDir()
	if err != nil {
		return nil // a user without a home has no plugins there
	}
	return []string{filepath.Join(base, "macpro", "plugins")}
}

// AcceptedFile is where the list of accepted plugins is kept.
func AcceptedFile() (string, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("the list of accepted plugins: %w", err)
	}
	return filepath.Join(base, "macpro", "accepted.yaml"), nil
}

// AcceptedPlugins reads the list of accepted plugins. A user without a configuration
// folder has accepted none.
func AcceptedPlugins() (manifest.Accepted, error) {
	file, err := AcceptedFile()
	if err != nil {
		return nil, nil
	}
	return manifest.ReadAccepted(file)
}

// AcceptedFolders are the plugins that lie where they were accepted, the latest
// first and one of each name that is not known yet. A list that cannot be read is
// the business of those who need it.
func AcceptedFolders() []manifest.Found {
	list, err := AcceptedPlugins()
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
		named  []string  // plugin folders of this call
		looked []string  // at before
		warn   io.Writer // nil: nobody is told
	}
)

// UseDirs notes the plugin folders that the user has named, and where to warn of
// plugins that are left out.
func UseDirs(dirs []string, warn io.Writer) { folders.named, folders.warn = dirs, warn }

// Trust lets the plugin in a folder run as one whose path the user has named.
func Trust(dir string) { named[dir] = true }

// At opens the plugin that a path leads to, which the user has named.
func At(path string) (remote.Plugin, error) {
	if err := RegisterNamed(path); err != nil {
		return nil, err
	}
	kind, name, _ := strings.Cut(registered[Absolute(path)], "/")
	p, err := Plugin(kind, name)
	if err != nil {
		return nil, err
	}
	return p.(remote.Plugin), nil
}

// Plugin finds a plugin in the catalogues.
func Plugin(kind, name string) (registry.Plugin, error) {
	c, err := catalogue(kind)
	if err != nil {
		return nil, err
	}
	return c.Find(name)
}

// VersionOf is the version of a plugin in the catalogues, "" if it is not there.
func VersionOf(kind, name string) string {
	p, err := Plugin(kind, name)
	if err != nil {
		return ""
	}
	return p.Info().Version
}

func catalogue(kind string) (registry.Any, error) {
	for _, c := range registry.All() {
		if c.Kind() == kind {
			return c, nil
		}
	}
	return nil, names.Unknown("kind", kind, remote.Kinds())
}

// RegisterFound adds the plugins of the named plugin folders and of further ones.
// What cannot be used is left out with a warning.
func RegisterFound(more []string) {
	dirs := slices.Concat(folders.named, more)
	wanted := len(dirs) > 0
	dirs = slices.DeleteFunc(PluginDirs(dirs), func(d string) bool {
		seen := slices.Contains(folders.looked, Absolute(d))
		folders.looked = append(folders.looked, Absolute(d))
		return seen
	})
	for _, d := range dirs {
		if _, err := os.Stat(d); err != nil && wanted {
			warn("folder of external plugins (--plugin-dir, %s or plugins.dirs): %v\n", PluginPath, err)
		}
	}
	var found []manifest.Found
	for _, d := range dirs {
		more, err := manifest.Find([]string{d})
		if err != nil {
			warn("plugins left out: %s\n", names.Plain(err.Error()))
		}
		found = append(found, more...)
	}
	registerAll(found)
	registerAll(AcceptedFolders())
}

// registerAll adds plugins, and leaves out what cannot be used with a warning.
func registerAll(found []manifest.Found) {
	for _, f := range found {
		err := f.Err
		if err == nil && registered[f.Manifest.Dir] == "" {
			err = registerManifest(f.Manifest)
		}
		if err != nil {
			warn("external plugin left out: %s\n", names.Plain(err.Error()))
		}
	}
}

// RegisterNamed adds a plugin that the user has named by its path.
func RegisterNamed(path string) error {
	abs := Absolute(path)
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
	p, err := remote.New(m.Launch(Allowed(m)))
	if err != nil {
		return err
	}
	return register(p, m.Dir)
}

// Allowed decides whether a plugin may run: if the user has named its path or
// has accepted it.
func Allowed(m *manifest.Manifest) func(hash string) error {
	return func(hash string) error {
		list, err := AcceptedPlugins()
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
	c, err := catalogue(kind)
	if err != nil {
		return err
	}
	if _, err := c.Find(name); err == nil {
		for other, known := range registered {
			if known == id {
				return fmt.Errorf("%s: there is a plugin %s in %s already: use one of them, or give one another name", path, id, other)
			}
		}
		return fmt.Errorf("%s: macpro has a built-in %s %q: give the plugin another name", path, kind, name)
	}
	registered[path] = id
	return c.Add(p)
}

func warn(format string, args ...any) {
	if folders.warn != nil {
		_, _ = io.WriteString(folders.warn, names.PlainLines(fmt.Sprintf("macpro: "+format, args...)))
	}
}

// Absolute is a path that does not depend on the folder of the process.
func Absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
