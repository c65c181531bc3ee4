package sc2

import (
	"macpro/plugins/envs/internal/sc2/api"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// orders turns a joint action into orders to the units, none for the dead.
func (l *lane) orders(actions []int32) []api.Action {
	orders := make([]api.Action, 0, len(actions))
	for i, a := range actions {
		if a == 0 {
			continue
		}
		c := l.command(i, int(a))
		c.Units = []uint64{l.roster.agents[i].tag}
		orders = append(orders, api.Action{Raw: &api.ActionRaw{Command: c}})
	}
	return orders
}

func (l *lane) command(agent, action int) *api.UnitCommand {
	u := &l.roster.table.Agents[agent]
	switch {
	case action == 1:
		return &api.UnitCommand{Ability: api.Stop}
	case action < battle.NonAttack:
		c := battle.Compass[action-2]
		return &api.UnitCommand{Ability: api.Move, TargetPos: &api.Point2D{X: float32(u.X + 2*c.X), Y: float32(u.Y + 2*c.Y)}}
	case u.Kind == skirmish.Medivac:
		return &api.UnitCommand{Ability: api.Heal, TargetUnit: l.roster.agents[action-battle.NonAttack].tag}
	}
	return &api.UnitCommand{Ability: api.Attack, TargetUnit: l.roster.enemies[action-battle.NonAttack].tag}
}

// race is the race of a squad; none of the maps mixes them.
func race(squad []skirmish.Kind) int32 {
	switch squad[0] {
	case skirmish.Marine, skirmish.Marauder, skirmish.Medivac:
		return api.Terran
	case skirmish.Stalker, skirmish.Zealot, skirmish.Colossus:
		return api.Protoss
	}
	return api.Zerg
}
