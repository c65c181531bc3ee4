package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"macpro/configs"
	"macpro/core/config"
	"macpro/core/film"
	"macpro/core/names"
	"macpro/core/report/format"
	"macpro/registry/experiment"
)

// keyFlags are the flags that set a key of the configuration.
var keyFlags = []struct{ name, help string }{
	{"alg", "continual method (default macpro)"},
	{"env", "environment"},
	{"learner", "team learner (default qmix)"},
	{"profile", "budget: smoke, reduced or paper (default reduced)"},
	{"compat", "follow the official code or the paper's letter: default, official or paper"},
	{"ablation", "ablation (default none)"},
	{"seed", "root of all randomness"},
	{"stop-when", "end a task early, as in 'score>=0.95 x3': three tests in a row with that score"},
	{"threads", "1 to shards (2); results do not depend on it"},
}

// addKeyFlags adds the flags of keyFlags, --set and --config to a verb.
func addKeyFlags(cmd *cobra.Command, sets *[]string, file *string) {
	for _, f := range keyFlags {
		if f.name == "seed" {
			cmd.Flags().Var(new(oneSeed), f.name, f.help)
			continue
		}
		cmd.Flags().String(f.name, "", f.help)
	}
	cmd.Flags().StringArrayVar(sets, "set", nil, "set a key, as in --set env_args.time_limit=25; may be repeated")
	cmd.Flags().Var((*configFile)(file), "config", "YAML file of keys")
}

// userLayers collects what the user sets: flags, --set, "with a=b" and the
// process's environment.
func userLayers(cmd *cobra.Command, file string, sets, with, environ []string) config.User {
	u := config.User{File: file, Environ: keysOf(environ), Sets: append(sets, with...), Flags: map[string]string{}}
	u.Keep()
	own, written := pluginSets(cmd)
	u.Sets, u.Written = append(u.Sets, own...), written
	for _, w := range with {
		key, _, _ := strings.Cut(w, "=")
		u.Written[strings.TrimSpace(key)] = "with " + w
	}
	for _, f := range keyFlags {
		if flag := cmd.Flags().Lookup(f.name); flag != nil && flag.Changed {
			u.Flags[strings.ReplaceAll(f.name, "-", "_")] = flag.Value.String()
		}
	}
	return u
}

// withArgs wants nothing, or PyMARL's "with key=value ...".
func withArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if args[0] != "with" {
		return usage(fmt.Errorf("unexpected argument %q; keys are set by --set key=value or \"with key=value ...\"", args[0]))
	}
	if len(args) == 1 {
		return usage(errors.New("\"with\" wants key=value behind it, as in: with lr=0.0005"))
	}
	return nil
}

// alias lets a flag be given by the name that another verb has for it, too.
func alias(cmd *cobra.Command, name, other string) {
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, given string) pflag.NormalizedName {
		if given == other {
			given = name
		}
		return pflag.NormalizedName(given)
	})
}

// nearFlag points out the flag that an unknown one was meant to be, or the key, or the
// verb that has such a flag.
func nearFlag(cmd *cobra.Command, err error) string {
	_, name, ok := strings.Cut(err.Error(), "unknown flag: --")
	if !ok {
		return ""
	}
	if hint, ok := configs.PyMARL().Flags[name]; ok {
		return ": " + hint
	}
	if key := strings.ReplaceAll(name, "-", "_"); cmd.Flags().Lookup("set") != nil {
		if experiment.IsKey(key) {
			return fmt.Sprintf(": %s is a key: --set %s=VALUE", key, key)
		}
		if hint, ok := configs.PyMARL().Keys[key]; ok {
			return ": " + hint
		}
	}
	for _, verb := range cmd.Root().Commands() {
		if !verb.Hidden && verb.LocalFlags().Lookup(name) != nil && name != "json" {
			return fmt.Sprintf(": it is a flag of macpro %s", verb.Name())
		}
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := names.Nearest(name, known); near != "" {
		return fmt.Sprintf(", did you mean --%s?", near)
	}
	return ""
}

// onceValue is the value of a flag that is given once and not empty, as in
// --config "$UNSET".
type onceValue struct {
	pflag.Value
	given bool
}

func (v *onceValue) Set(text string) error {
	switch {
	case text == "":
		return errors.New("the value is missing")
	case v.given:
		return fmt.Errorf("the flag is set twice, first to %s", v.Value)
	}
	v.given = true
	text, err := plainNumber(v.Type(), text)
	if err != nil {
		return err
	}
	return v.Value.Set(text)
}

// plainNumber reads the text of a flag that is a number as the configuration reads
// numbers, such as 1e4 for a whole one, and writes it as Go does.
func plainNumber(kind, text string) (string, error) {
	switch kind {
	case "int", "int64":
		n, err := config.ParseInt(text)
		return strconv.Itoa(n), err
	case "float64":
		x, err := config.ParseFloat(text)
		return strconv.FormatFloat(x, 'g', -1, 64), err
	}
	return text, nil
}

// atLeast checks a whole number that the user has given.
func atLeast(cmd *cobra.Command, name string, least int64) error {
	f := cmd.Flags().Lookup(name)
	if n, err := strconv.ParseInt(f.Value.String(), 10, 64); f.Changed && (err != nil || n < least) {
		return usage(fmt.Errorf("--%s %s: want at least %d", name, f.Value, least))
	}
	return nil
}

// readBy refuses flags that would have no effect: used says whether what reads
// them was chosen.
func readBy(cmd *cobra.Command, what string, used bool, flags ...string) error {
	for _, name := range flags {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && !used {
			return usage(fmt.Errorf("--%s is for %s", name, what))
		}
	}
	return nil
}

// outIsFolder refuses the name of a file as the folder of the results: files are
// named by -o.
func outIsFolder(cmd *cobra.Command) error {
	out, file := cmd.Flags().Lookup("out"), cmd.Flags().Lookup("output")
	if out == nil || !out.Changed || filepath.Ext(out.Value.String()) == "" {
		return nil
	}
	if info, err := os.Stat(out.Value.String()); err == nil && info.IsDir() {
		return nil
	}
	ext := strings.TrimPrefix(filepath.Ext(out.Value.String()), ".")
	known := slices.Concat(exportFormats, format.Formats(), film.Formats(), []string{"html", "pdf", "txt", "parquet", "yaml"})
	if !slices.Contains(known, ext) {
		return nil
	}
	advice := "this verb writes no such file"
	if file != nil {
		advice = "name the file with -o"
	}
	return usage(fmt.Errorf("--out %s: --out is the folder of the results; %s", out.Value, advice))
}

// strict makes the flags of a verb, and of those below it, onceValues, except
// switches and those that may be repeated.
func strict(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if t := f.Value.Type(); t != "bool" && t != "stringArray" {
			f.Value = &onceValue{Value: f.Value}
		}
	})
	for _, c := range cmd.Commands() {
		strict(c)
	}
}
