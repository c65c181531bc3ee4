// Package familytest checks what all families of battles promise, for their tests only.
package familytest

import (
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
)

// Others are settings of the embedded engine that differ from the defaults in every key
// that all families have.
func Others() core.Settings {
	return core.Settings{
		"env_args.profile": "smaclite", "env_args.conventions": "smaclite", "env_args.sight": 7.0, "env_args.shoot": 4.5,
		"env_args.damage_point": false, "env_args.missiles": false, "env_args.call_for_help": false,
		"env_args.answer_attackers": false, "env_args.sidestep": false,
		"env_args.zealot_separation": 0.5, "env_args.spawn_noise": 0.1,
	}
}

// Tasks compares the names of the trained and of all other tasks with two lists.
func Tasks(t *testing.T, p core.EnvPlugin, train, others string) {
	t.Helper()
	l, err := p.Tasks(conform.Defaults(t, p.Info()))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Sequences["train"], " "); got != train {
		t.Errorf("train: %s", got)
	}
	if got := strings.Join(l.Generalization, " "); got != others {
		t.Errorf("generalisation: %s", got)
	}
}

// Sizes are the numbers of agents, enemies and actions, the widths of observation and
// state, and the limit of a task.
type Sizes [6]int

// Specs compares tasks with their sizes and, if one is given, with the layout that
// attention networks are cut from, but for its number of enemies.
func Specs(t *testing.T, p core.EnvPlugin, layout *core.Entities, tasks map[string]Sizes) {
	t.Helper()
	for task, want := range tasks {
		e, err := p.Open(task, 1, conform.Defaults(t, p.Info()))
		if err != nil {
			t.Fatal(err)
		}
		s := e.Spec()
		if got := (Sizes{s.Agents, s.Entities.Enemies, s.Actions, s.ObsWidth, s.StateWidth, s.Limit}); got != want {
			t.Errorf("%s: %v, want %v", task, got, want)
		}
		if layout == nil {
			continue
		}
		layout.Enemies = want[1]
		if *s.Entities != *layout {
			t.Errorf("%s: %+v, want %+v", task, *s.Entities, *layout)
		}
	}
}

// Benchmark measures steps of 8 lanes of every task.
func Benchmark(b *testing.B, p core.EnvPlugin, tasks ...string) {
	for _, task := range tasks {
		b.Run(task, func(b *testing.B) {
			e, err := p.Open(task, 8, conform.Defaults(b, p.Info()))
			if err != nil {
				b.Fatal(err)
			}
			conform.BenchmarkEnv(b, e, 8)
		})
	}
}
