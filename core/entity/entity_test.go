package entity

import (
	"slices"
	"strings"
	"testing"

	"macpro/core"
)

// duel is a task of two agents against two enemies with the narrowest features.
func duel() core.EnvSpec {
	return core.EnvSpec{
		Env: "toy", Task: "duel", Agents: 2, Actions: 5, ObsWidth: 1 + 2*2 + 1 + 1, StateWidth: 2*(2+5) + 2,
		Entities: &core.Entities{NonAttack: 3, Move: 1, OwnObs: 1, Enemies: 2, EnemyObs: 2, AllyObs: 1, EnemyState: 1, AllyState: 2},
	}
}

func TestCutOfObservations(t *testing.T) {
	s := duel()
	obs := []float32{1, 2, 3, 4, 5, 6, 7}
	for _, c := range []struct {
		cut                  Cut
		action               int32
		own, allies, enemies []float32
	}{
		{Cut{Entities: *s.Entities, Agents: 2, Scale: 1}, -1, []float32{1, 7}, []float32{6}, []float32{2, 3, 4, 5}},
		{Cut{Entities: *s.Entities, Agents: 2, Scale: 2, Bits: 3}, -1, []float32{2, 14, 0, 1, 0}, []float32{12}, []float32{4, 6, 8, 10}},
		{Cut{Entities: *s.Entities, Agents: 2, Scale: 1, Action: true}, 4, []float32{1, 7, 0, 0, 0, 1}, []float32{6}, []float32{2, 3, 0, 4, 5, 1}},
		{Cut{Entities: *s.Entities, Agents: 2, Scale: 1, Action: true}, 1, []float32{1, 7, 0, 1, 0, 0}, []float32{6}, []float32{2, 3, 0, 4, 5, 0}},
		{Cut{Entities: *s.Entities, Agents: 2, Scale: 1, Action: true}, -1, []float32{1, 7, 0, 0, 0, 0}, []float32{6}, []float32{2, 3, 0, 4, 5, 0}},
	} {
		o, a, e := c.cut.Widths()
		own, allies, enemies := dirty(o), dirty(a), dirty(e)
		c.cut.Set(own, allies, enemies, obs, c.action, 1)
		if !slices.Equal(own, c.own) || !slices.Equal(allies, c.allies) || !slices.Equal(enemies, c.enemies) {
			t.Errorf("%+v, action %d: %v, %v, %v; want %v, %v, %v", c.cut, c.action, own, allies, enemies, c.own, c.allies, c.enemies)
		}
	}
}

// Every float is written: what was there before does not matter.
func dirty(n int) []float32 { return slices.Repeat([]float32{-9}, n) }

func TestCutOfStates(t *testing.T) {
	s := duel()
	state := []float32{1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0}
	cut := Cut{Entities: *s.Entities, Agents: 2, Scale: 2}
	ally, enemy := cut.StateWidths()
	allies, enemies := dirty(2*ally), dirty(2*enemy)
	cut.SetState(allies, enemies, state)
	if want := []float32{2, 4, 0, 0, 0, 1, 6, 8, 0, 1, 0, 0}; !slices.Equal(allies, want) {
		t.Errorf("allies %v, want %v", allies, want)
	}
	if want := []float32{10, 12}; !slices.Equal(enemies, want) {
		t.Errorf("enemies %v, want %v", enemies, want)
	}
}

func TestFamilies(t *testing.T) {
	larger, other, flat, broken, alone := duel(), duel(), duel(), duel(), duel()
	more := *larger.Entities
	more.Enemies++
	larger.Entities, larger.Actions, larger.ObsWidth, larger.StateWidth = &more, 6, 9, 2*(2+6)+3
	if err := Family("a learner", duel(), larger); err != nil {
		t.Error(err)
	}
	features := *other.Entities
	features.AllyObs++
	other.Entities, flat.Entities = &features, nil
	broken.StateWidth++
	alone.Agents, alone.ObsWidth, alone.StateWidth = 1, 6, 9
	for want, s := range map[string]core.EnvSpec{
		"allies of 2": other, "flat observations": flat, "17 floats in a state, its entities make up 16": broken, "at least 2 and 1": alone,
	} {
		if err := Family("a learner", duel(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q expected, got %v", want, err)
		}
	}
}
