package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/core/report/format"
	"macpro/registry"
	"macpro/registry/experiment"
)

type envTasks struct {
	Env            string              `json:"env"`
	Sequences      map[string][]string `json:"sequences"`
	Generalization []string            `json:"generalization"`
	Params         map[string]params   `json:"params,omitempty"`
}

type params map[string]string

// listTasks prints the sequences of one or all environments; for a single one
// also the constants of each task.
func listTasks(w io.Writer, env string, sets []string, asJSON bool) error {
	chosen := registry.Envs.Names()
	if env != "" {
		chosen = []string{env}
	} else if sets != nil {
		return usage(fmt.Errorf("--set needs --env: keys belong to one environment"))
	}
	var out []envTasks
	var text strings.Builder
	for _, name := range chosen {
		list, err := tasksOf(name, sets)
		if err != nil {
			return err
		}
		out = append(out, describeTasks(name, list, env != ""))
		printTasks(&text, name, list, env != "", columnsOf(w))
	}
	if asJSON {
		return printJSON(w, out)
	}
	return fit(w, text.String())
}

func allTasks() ([]envTasks, error) {
	var out []envTasks
	for _, name := range registry.Envs.Names() {
		list, err := tasksOf(name, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, describeTasks(name, list, false))
	}
	return out, nil
}

// tasksOf lists an environment's tasks under its defaults and the given keys.
func tasksOf(name string, sets []string) (core.TaskList, error) {
	p, err := registry.Envs.Get(name)
	if err != nil {
		return core.TaskList{}, usage(err)
	}
	info := p.Info()
	c, err := config.Load(config.Request{
		Env: info, Shared: experiment.SharedFields(), Default: configs.Read(configs.Default),
		Known: experiment.KnownKeys(info), User: config.User{Sets: sets},
	})
	if err != nil {
		return core.TaskList{}, err
	}
	return p.Tasks(c.Settings())
}

func describeTasks(name string, list core.TaskList, full bool) envTasks {
	out := envTasks{Env: name, Sequences: list.Sequences, Generalization: list.Generalization}
	if full {
		out.Params = map[string]params{}
		for task, ps := range list.Params {
			out.Params[task] = params{}
			for _, p := range ps {
				out.Params[task][p.Name] = p.Value
			}
		}
	}
	return out
}

// printTasks writes an environment's sequences and, if full, the constants of its tasks,
// a line a task. On a terminal, which is narrow, those that all tasks have stand once.
func printTasks(w *strings.Builder, name string, list core.TaskList, full bool, columns int) {
	fmt.Fprintln(w, names.Plain(name))
	for _, s := range slices.Sorted(maps.Keys(list.Sequences)) {
		fmt.Fprintf(w, "  sequence %s: %s\n", names.Plain(s), names.Plain(strings.Join(list.Sequences[s], ", ")))
	}
	for _, s := range slices.Sorted(maps.Keys(list.Absent)) {
		fmt.Fprintf(w, "  sequence %s: %s\n", names.Plain(s), names.Plain(list.Absent[s]))
	}
	fmt.Fprintf(w, "  generalization: %s\n", cmp.Or(names.Plain(strings.Join(list.Generalization, ", ")), "no tasks"))
	if !full {
		return
	}
	tasks := experiment.TaskOrder(list)
	if columns == 0 {
		for _, task := range tasks {
			fmt.Fprintf(w, "  %s: %s\n", names.Plain(task), strings.Join(paramTexts(list.Params[task], nil), " "))
		}
		return
	}
	shared := sharedParams(list, tasks)
	wide := len("all tasks")
	for _, task := range tasks {
		wide = max(wide, twwidth.Width(names.Plain(task)))
	}
	line := func(task string, params []string) {
		for i := range len(params) - 1 {
			params[i] += ","
		}
		lead := "  " + task + strings.Repeat(" ", wide+2-twwidth.Width(task))
		fmt.Fprintln(w, strings.Join(format.Fold(lead, strings.Repeat(" ", wide+4), params, columns), "\n"))
	}
	if len(shared) > 0 {
		line("all tasks", paramTexts(list.Params[tasks[0]], func(p core.Param) bool { return shared[p] }))
	}
	for _, task := range tasks {
		line(names.Plain(task), paramTexts(list.Params[task], func(p core.Param) bool { return !shared[p] }))
	}
}

// sharedParams are the constants that all of several tasks have.
func sharedParams(list core.TaskList, tasks []string) map[core.Param]bool {
	count, shared := map[core.Param]int{}, map[core.Param]bool{}
	for _, task := range tasks {
		for _, p := range list.Params[task] {
			if count[p]++; len(tasks) > 1 && count[p] == len(tasks) {
				shared[p] = true
			}
		}
	}
	return shared
}

// paramTexts words the constants of a task that are kept, nil for all.
func paramTexts(params []core.Param, keep func(core.Param) bool) (out []string) {
	for _, p := range params {
		if keep == nil || keep(p) {
			out = append(out, names.Plain(p.Name+"="+p.Value))
		}
	}
	return out
}
