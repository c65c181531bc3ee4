package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/names"
	"macpro/core/store"
	"macpro/registry"
	"macpro/registry/experiment"
	"macpro/registry/remote"
	"macpro/registry/remote/manifest"
)

func newPluginCheck() *cobra.Command {
	var write bool
	var sets []string
	cmd := &cobra.Command{
		Use:   "check PATH|KIND/NAME",
		Short: "Run the conformance suite of its kind on a plugin",
		Long: `Starts the plugin (a folder with a plugin.yaml, a program, or a built-in one) and
runs every check of the contract on it. Naming the path is consent to run it.
--write brings the description in plugin.yaml up to date with what the plugin
says of itself.`,
		Example: `  macpro plugin check ./maze
  macpro plugin check ./maze --write
  macpro plugin check env/lbf --set env_args.time_limit=10`,
		Args: exactly(1, " PATH|KIND/NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, path, err := checked(args[0], write)
			if err != nil {
				return usage(err)
			}
			if write {
				if err := describeAt(cmd.OutOrStdout(), path, p.(remote.Plugin)); err != nil {
					return err
				}
			}
			return runChecks(cmd.OutOrStdout(), p, sets)
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "write the plugin's description to its plugin.yaml")
	cmd.Flags().StringArrayVar(&sets, "set", nil, "set a key of the plugin; may be repeated")
	return cmd
}

// checkTimeout bounds a call of a plugin that is checked.
const checkTimeout = time.Minute

// checked finds and starts the plugin to check. One whose manifest is to be
// rewritten describes itself.
func checked(arg string, write bool) (registry.Plugin, string, error) {
	if _, err := os.Stat(arg); errors.Is(err, fs.ErrNotExist) {
		if kind, name, _ := strings.Cut(arg, "/"); slices.Contains(remote.Kinds(), kind) && !write {
			p, err := experiment.Plugin(kind, name)
			return p, "", err
		}
		return nil, "", fmt.Errorf("%w; a built-in plugin is named with its kind, as in env/lbf", err)
	}
	if !write {
		p, err := experiment.At(arg)
		if err != nil {
			return nil, "", err
		}
		p.Limit(checkTimeout)
		return p, arg, p.Start()
	}
	m, err := manifest.Read(arg)
	if err != nil {
		return nil, "", err
	}
	experiment.Trust(m.Dir)
	l := m.Launch(experiment.Allowed(m))
	l.CallTimeout = checkTimeout
	p, err := remote.Discover(l)
	return p, m.Dir, err
}

// describeAt replaces a manifest's description by the plugin's own.
func describeAt(w io.Writer, path string, p remote.Plugin) error {
	old, err := manifest.Read(path)
	if err != nil {
		return err
	}
	var algs []string
	if a, ok := p.(core.AblationPlugin); ok {
		algs = a.Algs()
	}
	data, err := manifest.Describe(p, algs, old.Command).Encode()
	if err != nil {
		return err
	}
	file := filepath.Join(old.Dir, manifest.FileName)
	if err := store.WriteFile(store.OS(), file, data); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "wrote %s\n", file)
	return err
}

// runChecks prints a line a check; the error counts those that failed.
func runChecks(w io.Writer, p registry.Plugin, sets []string) error {
	checks, err := checksOf(p, sets)
	if err != nil {
		return usage(err)
	}
	failed := 0
	for _, c := range checks {
		from := time.Now()
		word, note := "ok", ""
		if err := c.Run(); err != nil {
			word, note = "FAILED", "\n  "+strings.ReplaceAll(names.PlainLines(err.Error()), "\n", "\n  ")
			failed++
		}
		if _, err := fmt.Fprintf(w, "%-6s  %-20s %6.2f s%s\n", word, c.Name, time.Since(from).Seconds(), note); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%s: %d of %d checks failed", p.Info().Name, failed, len(checks))
	}
	return nil
}

func checksOf(p registry.Plugin, sets []string) ([]conform.Check, error) {
	info := p.Info()
	own, err := ownSettings(p, sets)
	if err != nil {
		return nil, err
	}
	all := mini.Settings()
	maps.Copy(all, own)
	switch p := p.(type) {
	case core.EnvPlugin:
		var skip []string
		if _, ok := p.(remote.Plugin); ok {
			skip = []string{"allocations"} // a call to another process allocates
		}
		return conform.EnvChecks(p, own, skip...), nil
	case core.MethodPlugin:
		return conform.MethodChecks(conform.MethodSubject{Plugin: p, Env: mini.Env{}, Learner: conform.LearnerFor(p, all), Settings: all}), nil
	case core.LearnerPlugin:
		return conform.LearnerChecks(conform.LearnerSubject{Plugin: p, Settings: own}), nil
	case core.AblationPlugin:
		return []conform.Check{{Name: "overlay", Run: func() error { return checkOverlay(p) }}}, nil
	}
	return nil, fmt.Errorf("plugin %s is of a kind without a suite", info.Name)
}

// ownSettings are the values of a plugin's keys, and for learners and methods
// those of every run.
func ownSettings(p registry.Plugin, sets []string) (core.Settings, error) {
	r := config.Request{Shared: experiment.SharedFields(), Default: configs.Read(configs.Default), User: config.User{Sets: sets}}
	info := p.Info()
	switch p.(type) {
	case core.EnvPlugin:
		r.Env = info
	case core.LearnerPlugin:
		r.Learner = info
	case core.MethodPlugin:
		r.Alg = info
	}
	r.Known = experiment.KnownKeys(info)
	c, err := config.Load(r)
	if err != nil {
		return nil, err
	}
	s := c.Settings()
	if _, ok := p.(core.LearnerPlugin); ok {
		return s, nil
	}
	own := core.Settings{}
	for _, f := range info.Schema {
		own[f.Key] = s[f.Key]
	}
	return own, nil
}

// checkOverlay: an ablation changes keys that its methods have, and nothing
// else.
func checkOverlay(p core.AblationPlugin) error {
	info := p.Info()
	if info.Name == "" || info.Summary == "" || info.Version == "" || len(experiment.Mentioned(info.Config)) == 0 {
		return fmt.Errorf("name, summary, version and an overlay must be given: %q, %q, %q, %q", info.Name, info.Summary, info.Version, info.Config)
	}
	algs := p.Algs()
	if len(algs) == 0 {
		algs = registry.Methods.Names()
	}
	var errs []error
	for _, alg := range algs {
		m, err := registry.Methods.Get(alg)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		_, err = config.Load(config.Request{
			Shared: experiment.SharedFields(), Default: configs.Read(configs.Default), Alg: m.Info(), Known: experiment.KnownKeys(m.Info()),
			Ablation: config.Overlay{Name: info.Name, YAML: info.Config},
		})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
