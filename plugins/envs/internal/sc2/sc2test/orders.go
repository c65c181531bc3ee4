package sc2test

import (
	"math"

	"macpro/plugins/envs/internal/sc2/api"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// impossible is the result of an order that makes no sense.
const impossible int32 = 3

func (g *match) act(list *api.Actions) *api.ActionResult {
	r := &api.ActionResult{}
	for _, a := range list.Actions {
		result := impossible
		if a.Raw != nil && a.Raw.Command != nil {
			result = g.command(a.Raw.Command)
		}
		r.Results = append(r.Results, result)
	}
	return r
}

func (g *match) command(c *api.UnitCommand) int32 {
	for _, tag := range c.Units {
		i := g.index(tag)
		if i < 0 || c.Queue || g.world.Unit(i).Team != skirmish.Allies {
			return impossible
		}
		o, ok := g.order(i, c)
		if !ok {
			return impossible
		}
		g.world.Command(i, o)
	}
	return api.Accepted
}

func (g *match) order(i int, c *api.UnitCommand) (skirmish.Order, bool) {
	switch c.Ability {
	case api.Stop:
		return skirmish.Order{}, true
	case api.Move:
		if c.TargetPos == nil {
			return skirmish.Order{}, false
		}
		return skirmish.Order{Verb: skirmish.Walk, To: exact(g.world.Unit(i).Pos, c.TargetPos)}, true
	case api.Attack, api.Heal:
		t := g.index(c.TargetUnit)
		if t < 0 || (g.world.Unit(i).Kind == skirmish.Medivac) != (c.Ability == api.Heal) {
			return skirmish.Order{}, false
		}
		return skirmish.Order{Verb: skirmish.Attack, Target: t}, true
	}
	return skirmish.Order{}, false
}

// exact undoes the rounding of a place on the wire. The client knows positions in
// single precision and rounds once more what it adds to them, so a point that is two
// cells off the unit but for that is meant to be so exactly.
func exact(from skirmish.Vec, p *api.Point2D) skirmish.Vec {
	to := skirmish.Vec{X: float64(p.X), Y: float64(p.Y)}
	for _, c := range battle.Compass {
		move := skirmish.Vec{X: from.X + 2*c.X, Y: from.Y + 2*c.Y}
		if math.Hypot(move.X-to.X, move.Y-to.Y) < 1e-5 {
			return move
		}
	}
	return to
}
