package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/registry/experiment"
	"macpro/registry/remote/manifest"
)

// usePlugins lets verbs that name plugins find external ones.
func usePlugins(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringArray("plugin-dir", nil, "folder of external plugins (default "+experiment.PluginPath+", then macpro/plugins in the user's configuration folder); may be repeated")
	f.StringArray("env-plugin", nil, "external plugin to use in this run: a folder with a plugin.yaml, or a program; may be repeated")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := outIsFolder(cmd); err != nil {
			return err
		}
		verb := cmd
		for verb.Parent() != nil && verb.Parent() != root {
			verb = verb.Parent()
		}
		if !slices.Contains([]string{"run", "resume", "extend", "eval", "export", "sweep", "list"}, verb.Name()) {
			return nil
		}
		err := registerFlagged(cmd)
		if err == nil && verb.Name() == "list" {
			experiment.RegisterFound(nil)
		}
		return usage(err)
	}
}

// registerFlagged adds the plugins of --env-plugin and notes the folders that the
// user has named.
func registerFlagged(cmd *cobra.Command) error {
	paths, err := cmd.Flags().GetStringArray("env-plugin")
	for _, path := range paths {
		if wrong := experiment.RegisterNamed(path); wrong != nil {
			err = errors.Join(err, fmt.Errorf("--env-plugin %s: %w", path, wrong))
		}
	}
	var dirs []string
	if err == nil {
		dirs, err = namedDirs(cmd)
	}
	experiment.UseDirs(dirs, cmd.ErrOrStderr())
	return err
}

// keysOf leaves out of the environment what is not a key of the configuration.
func keysOf(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool { return strings.HasPrefix(kv, experiment.PluginPath+"=") })
}

// pluginSets turns --env-plugin and --plugin-dir into keys, so that the record of
// a run or a sweep knows its plugins and resume finds them. written is what the user
// wrote, by key.
func pluginSets(cmd *cobra.Command) (sets []string, written map[string]string) {
	written = map[string]string{}
	paths, err := cmd.Flags().GetStringArray("env-plugin")
	dirs, dirsErr := namedDirs(cmd)
	if errors.Join(err, dirsErr) != nil {
		return nil, written // the verb has complained before it came to this
	}
	for _, l := range []struct {
		key, flag string
		list      []string
	}{{"plugins.paths", "--env-plugin", paths}, {"plugins.dirs", "--plugin-dir", dirs}} {
		if len(l.list) == 0 {
			continue
		}
		abs := make([]string, len(l.list))
		for i, p := range l.list {
			abs[i] = experiment.Absolute(p)
		}
		if list, err := json.Marshal(abs); err == nil { // JSON is YAML
			sets = append(sets, l.key+"="+string(list))
			written[l.key] = l.flag + " " + strings.Join(l.list, " "+l.flag+" ")
		}
	}
	return sets, written
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
		dirs = filepath.SplitList(os.Getenv(experiment.PluginPath))
	}
	return dirs, nil
}
