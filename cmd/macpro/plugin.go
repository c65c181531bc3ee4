package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/store"
	"macpro/registry/experiment"
	"macpro/registry/remote"
	"macpro/registry/remote/manifest"
)

func newPlugin() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "List, check, accept and write plugins that live in processes of their own",
		Long: `External plugins are folders with a plugin.yaml below --plugin-dir; they run with
your rights, and only after you have accepted them or named their path. A plugin
may be written in Go or in Python.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(names.Unknown("plugin verb", args[0], []string{"accept", "check", "list", "new", "serve"}))
			}
			return cmd.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	cmd.AddCommand(newPluginList(), newPluginCheck(), newPluginAccept(), newPluginNew(), newPluginServe())
	return cmd
}

type externalItem struct {
	Plugin  string `json:"plugin"`
	Version string `json:"version,omitempty"`
	State   string `json:"state"`
	SHA256  string `json:"sha256,omitempty"`
	Path    string `json:"path"`
	Error   string `json:"error,omitempty"`
}

func newPluginList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List external plugins and whether they may run; nothing is started",
		Example: `  macpro plugin list
  macpro plugin list --plugin-dir ./plugins --json`,
		Args: exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			items, err := externalItems(cmd)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), items)
			}
			if len(items) == 0 {
				return noExternals(cmd)
			}
			return printExternals(cmd.OutOrStdout(), items)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// externalItems looks at the plugin folders without running anything.
func externalItems(cmd *cobra.Command) ([]externalItem, error) {
	dirs, err := namedDirs(cmd)
	if err != nil {
		return nil, usage(err)
	}
	found, err := manifest.Find(experiment.PluginDirs(dirs))
	if err != nil {
		return nil, err
	}
	list, err := experiment.AcceptedPlugins()
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, f := range found {
		have[experiment.Absolute(f.Path)] = true
	}
	for _, f := range experiment.AcceptedFolders() {
		if !have[f.Path] {
			found = append(found, f)
		}
	}
	items := []externalItem{}
	for _, f := range found {
		i := externalItem{Path: f.Path, State: "broken"}
		err := f.Err
		if err == nil {
			i.Plugin, i.Version = f.Manifest.ID(), f.Manifest.Version
			if i.SHA256, err = f.Manifest.Digest(); err == nil {
				i.State = list.State(f.Manifest, i.SHA256)
			}
		}
		if err != nil {
			i.Error = err.Error()
		}
		items = append(items, i)
	}
	return items, nil
}

// noExternals says where no plugin is, and what to do about it.
func noExternals(cmd *cobra.Command) error {
	dirs, err := namedDirs(cmd)
	if err != nil {
		return usage(err)
	}
	where := "there is no configuration folder to look in"
	if dirs = experiment.PluginDirs(dirs); len(dirs) > 0 {
		where = "none is in " + strings.Join(dirs, ", ")
	}
	return fit(cmd.OutOrStdout(), "no external plugins: "+names.Plain(where)+", and none was accepted elsewhere. "+
		"\"macpro plugin new\" writes one, \"macpro plugin accept PATH\" adds one, --plugin-dir names a folder to look in.\n")
}

func printExternals(w io.Writer, items []externalItem) error {
	table := [][]string{{"plugin", "version", "state", "sha256", "path"}}
	notes := ""
	for _, i := range items {
		table = append(table, []string{names.Plain(i.Plugin), names.Plain(i.Version), i.State, i.SHA256[:min(12, len(i.SHA256))], names.Plain(i.Path)})
		if i.Error != "" {
			notes += names.Plain(i.Error) + "\n"
		}
	}
	if err := printTable(w, 1, table); err != nil {
		return err
	}
	return fit(w, notes)
}

func newPluginAccept() *cobra.Command {
	return &cobra.Command{
		Use:   "accept PATH",
		Short: "Let an external plugin run, in the state that it is in now",
		Long: `Adds the SHA-256 of a plugin's files to the list of accepted plugins
(macpro/accepted.yaml in your configuration folder). The plugin then runs with
your rights whenever a run names it. A plugin that changes must be accepted anew.`,
		Example: "  macpro plugin accept ~/.config/macpro/plugins/maze",
		Args:    exactly(1, " PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := manifest.Read(args[0])
			if err != nil {
				return usage(err)
			}
			hash, err := m.Digest()
			if err != nil {
				return err
			}
			if err := errors.Join((manifest.Accepted{}).Allow(m, hash, true), m.Acceptable()); err != nil {
				return err
			}
			warnExposed(cmd.ErrOrStderr(), m)
			return accept(cmd.OutOrStdout(), m, hash)
		},
	}
}

// warnExposed names what others can write to.
func warnExposed(w io.Writer, m *manifest.Manifest) {
	const most = 5
	list := m.Exposed()
	for _, path := range list[:min(most, len(list))] {
		fmt.Fprintf(w, "macpro: warning: others can change what runs with your rights: %s\n", names.Plain(path))
	}
	if n := len(list) - most; n > 0 {
		fmt.Fprintf(w, "macpro: warning: and %d more files and folders; chmod -R go-w %s\n", n, names.ShellWord(m.Dir))
	}
}

func accept(w io.Writer, m *manifest.Manifest, hash string) error {
	file, err := experiment.AcceptedFile()
	if err != nil {
		return err
	}
	list, err := manifest.ReadAccepted(file)
	if err != nil {
		return err
	}
	data, err := list.With(m, hash).Encode()
	if err != nil {
		return err
	}
	if err := store.WriteFile(store.OS(), file, data); err != nil {
		return err
	}
	fmt.Fprintf(w, "accepted %s, sha256 %s\n", m.ID(), hash)
	for _, what := range m.Beyond() {
		fmt.Fprintf(w, "not checked: %s\n", names.Plain(what))
	}
	return nil
}

func newPluginServe() *cobra.Command {
	return &cobra.Command{
		Use:     "serve KIND NAME",
		Short:   "Be a built-in plugin in a process of its own; started by macpro itself",
		Example: "  macpro run --env lbf --set plugins.isolate=[env/lbf]",
		Args:    exactly(2, " KIND NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := experiment.Plugin(args[0], args[1])
			if err != nil {
				return usage(err)
			}
			collectOften()
			remote.Serve(p)
			return nil
		},
	}
}
