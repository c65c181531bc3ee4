package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"macpro/configs"
	"macpro/core/names"
	"macpro/registry"
	"macpro/registry/experiment"
)

type item struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary,omitempty"`
	Version string   `json:"version,omitempty"`
	Applies []string `json:"applies_to,omitempty"`
}

// lists maps what can be listed to its items; tasks and runs are apart (listTasks, listRuns).
var lists = []struct {
	name  string
	items func() []item
}{
	{"envs", func() []item { return pluginItems(registry.Envs) }},
	{"learners", func() []item { return pluginItems(registry.Learners) }},
	{"methods", func() []item { return pluginItems(registry.Methods) }},
	{"ablations", ablationItems},
	{"profiles", func() []item { return fileItems("profiles") }},
	{"compat", func() []item { return fileItems("compat") }},
	{"sweeps", func() []item { return fileItems("sweeps") }},
}

func listNames() []string {
	out := []string{"tasks", "runs"}
	for _, l := range lists {
		out = append(out, l.name)
	}
	return out
}

func newList() *cobra.Command {
	var asJSON bool
	var f sourceFlags
	var sets []string
	cmd := &cobra.Command{
		Use:   "list [envs|tasks|learners|methods|ablations|profiles|compat|sweeps|runs]",
		Short: "List plugins, tasks, built-in files and recorded runs",
		Long: `Lists what a run can be made of: all of it, or one list. With --env the list of
tasks shows the constants of each task.

"macpro list runs" shows the recorded runs: id, status, score, training time, name,
and the keys that are not at their default. --env, --sweep and --where choose some.`,
		Example: `  macpro list
  macpro list methods
  macpro list tasks
  macpro list tasks --env pp
  macpro list tasks --env lbf --set env_args.max_level=3 --json
  macpro list runs --where alg=macpro --where profile=smoke`,
		Args:      atMostOne(" [" + strings.Join(listNames(), "|") + "]"),
		ValidArgs: listNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			tasks, runs := len(args) == 1 && args[0] == "tasks", len(args) == 1 && args[0] == "runs"
			err := errors.Join(readBy(cmd, "macpro list tasks", tasks, "set"), readBy(cmd, "macpro list runs", runs, "out", "sweep", "where"),
				readBy(cmd, "macpro list tasks and macpro list runs", tasks || runs, "env"))
			switch {
			case err != nil:
				return err
			case tasks:
				return listTasks(cmd.OutOrStdout(), f.env, sets, asJSON)
			case runs:
				return listRuns(cmd, f, asJSON)
			case len(args) == 0:
				return listAll(cmd.OutOrStdout(), asJSON)
			}
			for _, l := range lists {
				if l.name == args[0] {
					return printItems(cmd.OutOrStdout(), l.items(), asJSON)
				}
			}
			return usage(names.Unknown("list", args[0], listNames()))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&f.env, "env", "", "tasks: those of this environment with their constants; runs: those on it")
	f.choose(cmd.Flags())
	cmd.Flags().StringArrayVar(&sets, "set", nil, "set a key of the environment; may be repeated")
	return cmd
}

// listAll prints every list below its name, the tasks last.
func listAll(w io.Writer, asJSON bool) error {
	all := map[string]any{}
	var text strings.Builder
	for _, l := range lists {
		items := l.items()
		all[l.name] = items
		fmt.Fprintf(&text, "%s\n", l.name)
		writeItems(&text, "  ", items)
		text.WriteString("\n")
	}
	tasks, err := allTasks()
	if err != nil {
		return err
	}
	if all["tasks"] = tasks; asJSON {
		return printJSON(w, all)
	}
	text.WriteString("tasks\n")
	for _, t := range tasks {
		fmt.Fprintf(&text, "  %s: %s\n", names.Plain(t.Env), names.Plain(strings.Join(slices.Sorted(maps.Keys(t.Sequences)), ", ")))
	}
	text.WriteString("\n\"macpro list tasks --env ENV\" shows an environment's sequences and the constants of its tasks.\n")
	return fit(w, text.String())
}

func pluginItems[T registry.Plugin](c *registry.Catalogue[T]) []item {
	var out []item
	for _, p := range experiment.Infos(c) {
		out = append(out, item{Name: p.Name, Summary: p.Summary, Version: p.Version})
	}
	return out
}

func ablationItems() []item {
	out := pluginItems(registry.Ablations)
	for i := range out {
		if p, err := registry.Ablations.Get(out[i].Name); err == nil {
			out[i].Applies = p.Algs()
		}
	}
	return out
}

// fileItems lists built-in files; the comment at a file's head is its summary.
func fileItems(folder string) []item {
	var out []item
	for _, name := range configs.Names(folder) {
		out = append(out, item{Name: name, Summary: headComment(configs.Read(folder + "/" + name + ".yaml"))})
	}
	return out
}

// headComment is the first sentence of the comment at the head of a file.
func headComment(data []byte) string {
	var words []string
	for line := range strings.SplitSeq(string(data), "\n") {
		text, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		words = append(words, strings.TrimSpace(text))
	}
	text := strings.Join(words, " ")
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, ".")
}

func printItems(w io.Writer, items []item, asJSON bool) error {
	if asJSON {
		return printJSON(w, append([]item{}, items...))
	}
	var b strings.Builder
	writeItems(&b, "", items)
	return fit(w, b.String())
}

func writeItems(b *strings.Builder, indent string, items []item) {
	width := 0
	for _, i := range items {
		width = max(width, utf8.RuneCountInString(names.Plain(i.Name)))
	}
	for _, i := range items {
		fmt.Fprintf(b, "%s%-*s  %s", indent, width, names.Plain(i.Name), names.Plain(i.Summary))
		if i.Applies != nil {
			fmt.Fprintf(b, " (for %s)", names.Plain(strings.Join(i.Applies, ", ")))
		}
		b.WriteString("\n")
	}
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
