package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/registry"
	"macpro/registry/experiment"
)

// envTasks is what "list tasks" tells about one environment.
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
		printTasks(&text, name, list, env != "")
	}
	if asJSON {
		return printJSON(w, out)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// allTasks lists the sequences of all environments.
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

func printTasks(w *strings.Builder, name string, list core.TaskList, full bool) {
	fmt.Fprintln(w, names.Plain(name))
	for _, s := range slices.Sorted(maps.Keys(list.Sequences)) {
		fmt.Fprintf(w, "  sequence %s: %s\n", names.Plain(s), names.Plain(strings.Join(list.Sequences[s], ", ")))
	}
	fmt.Fprintf(w, "  generalization: %s\n", names.Plain(strings.Join(list.Generalization, ", ")))
	if !full {
		return
	}
	for _, task := range experiment.TaskOrder(list) {
		fmt.Fprintf(w, "  %s: %s\n", names.Plain(task), names.Plain(paramText(list.Params[task])))
	}
}
