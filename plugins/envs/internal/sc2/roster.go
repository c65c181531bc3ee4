package sc2

import (
	"cmp"
	"fmt"
	"slices"

	"macpro/plugins/envs/internal/sc2/api"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// Who a unit belongs to: the agents, or the computer.
const (
	us   int32 = 1
	them int32 = 2
)

// standard are the numbers of the unit types of the enemies. The agents have types of
// the map's own, which have the next free numbers.
var standard = map[uint32]skirmish.Kind{
	4: skirmish.Colossus, 9: skirmish.Baneling, 48: skirmish.Marine, 51: skirmish.Marauder, 54: skirmish.Medivac,
	73: skirmish.Zealot, 74: skirmish.Stalker, 98: skirmish.SpineCrawler, 105: skirmish.Zergling, 107: skirmish.Hydralisk,
}

// member is an agent's or an enemy's unit for one episode.
type member struct {
	tag       uint64
	kind      skirmish.Kind
	shieldMax float64
	healthMax float64
}

// roster tells which unit is which agent or enemy.
type roster struct {
	m               *battle.Map
	agents, enemies []member
	seat            map[uint64]*battle.Unit // of every unit of the episode, in table
	table           *battle.Table
}

func newRoster(m *battle.Map) *roster {
	return &roster{m: m, table: battle.NewTable(m), seat: map[uint64]*battle.Unit{}}
}

// forget drops the last episode, whose tags mean nothing in a new match.
func (r *roster) forget() {
	r.agents, r.enemies = nil, nil
	clear(r.seat)
}

// living lists the tags of all units on the map.
func living(units []api.Unit) []uint64 {
	var tags []uint64
	for i := range units {
		if u := &units[i]; u.Owner == us || u.Owner == them {
			tags = append(tags, u.Tag)
		}
	}
	return tags
}

// census counts the units of either side, and those of the last episode among them.
func (r *roster) census(units []api.Unit) (own, other, old int) {
	for i := range units {
		switch units[i].Owner {
		case us:
			own++
		case them:
			other++
		default:
			continue
		}
		if _, known := r.seat[units[i].Tag]; known {
			old++
		}
	}
	return own, other, old
}

// complete reports whether the units are those of a new episode, all of them.
func (r *roster) complete(units []api.Unit) bool {
	own, other, old := r.census(units)
	return own == r.m.Agents() && other == r.m.Enemies() && old == 0
}

// enlist gives the units of a complete list their places. Agents are sorted by type,
// then from left to right, then from below; enemies keep the game's order.
func (r *roster) enlist(units []api.Unit) error {
	r.forget()
	var own []*api.Unit
	for i := range units {
		switch u := &units[i]; u.Owner {
		case us:
			own = append(own, u)
		case them:
			kind, known := standard[u.Type]
			if !known {
				return fmt.Errorf("an enemy is of type %d, which occurs in no known map", u.Type)
			}
			r.enemies = append(r.enemies, recruit(u, kind))
		}
	}
	if err := r.enlistAgents(own); err != nil {
		return err
	}
	if got, want := kinds(r.enemies), sorted(r.m.Foes()); !slices.Equal(got, want) {
		return fmt.Errorf("the enemies are %v, want %v", got, want)
	}
	for i, a := range r.agents {
		r.seat[a.tag] = &r.table.Agents[i]
	}
	for j, e := range r.enemies {
		r.seat[e.tag] = &r.table.Enemies[j]
	}
	r.show(units)
	return nil
}

// enlistAgents finds out which types the agents have: the map makes their types in
// alphabetical order, so the lowest number is the first of the names that occur.
func (r *roster) enlistAgents(own []*api.Unit) error {
	slices.SortFunc(own, func(a, b *api.Unit) int {
		p, q := position(a), position(b)
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y))
	})
	want := sorted(r.m.Allies())
	for i, u := range own {
		if i > 0 && (want[i] != want[i-1]) != (u.Type != own[i-1].Type) {
			return fmt.Errorf("the agents' types are %v, which does not fit %v", types(own), want)
		}
		r.agents = append(r.agents, recruit(u, want[i]))
	}
	return nil
}

func recruit(u *api.Unit, k skirmish.Kind) member {
	return member{tag: u.Tag, kind: k, healthMax: float64(u.HealthMax), shieldMax: float64(u.ShieldMax)}
}

// show copies the units into the table. Who is not listed is dead.
func (r *roster) show(units []api.Unit) {
	for i := range r.table.Agents {
		r.table.Agents[i] = battle.Unit{Kind: r.agents[i].kind}
	}
	for j := range r.table.Enemies {
		r.table.Enemies[j] = battle.Unit{Kind: r.enemies[j].kind}
	}
	for i := range units {
		u := &units[i]
		if t := r.seat[u.Tag]; t != nil {
			p := position(u)
			*t = battle.Unit{
				Kind: t.Kind, X: float64(p.X), Y: float64(p.Y),
				Health: float64(u.Health), HealthMax: float64(u.HealthMax), Shield: float64(u.Shield),
				Energy: float64(u.Energy), Cooldown: float64(u.Cooldown),
			}
		}
	}
}

// rules returns the given rules with the health and shields that the enemies really
// have, which the scale of the reward is made of.
func (r *roster) rules(base *skirmish.Rules) *skirmish.Rules {
	real := *base
	for _, e := range r.enemies {
		real.Stats[e.kind].Health, real.Stats[e.kind].Shield = e.healthMax, e.shieldMax
	}
	return &real
}

func position(u *api.Unit) api.Point {
	if u.Pos == nil {
		return api.Point{}
	}
	return *u.Pos
}

func kinds(members []member) []skirmish.Kind {
	out := make([]skirmish.Kind, len(members))
	for i, m := range members {
		out[i] = m.kind
	}
	return sorted(out)
}

// sorted returns unit types in the order of their names.
func sorted(list []skirmish.Kind) []skirmish.Kind {
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b skirmish.Kind) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

func types(own []*api.Unit) []uint32 {
	out := make([]uint32, len(own))
	for i, u := range own {
		out[i] = u.Type
	}
	return out
}
