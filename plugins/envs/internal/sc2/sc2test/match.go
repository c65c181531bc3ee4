package sc2test

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"macpro/plugins/envs/internal/sc2/api"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// match is the game proper: the states of the program, and a world with the triggers
// of a map.
type match struct {
	settings Settings
	status   api.Status

	m        *battle.Map
	world    *skirmish.World
	seed     uint64
	restarts uint64 // by the map
	loop     uint32
	empty    int  // loops since the last unit died
	hidden   int  // loops until the last unit appears
	moved    bool // loops have passed in this episode
}

func (g *match) answer(q *api.Request, a *api.Response) {
	playing, over := g.status == api.InGame, g.status == api.Ended && g.world != nil
	if !playing && (q.GameInfo != nil || q.Observation != nil && !over || q.Action != nil || q.Step != nil || q.Debug != nil) {
		a.Errors = []string{"there is no match"}
		return
	}
	switch {
	case q.Ping != nil:
		a.Ping = &api.Pong{GameVersion: "4.6.2", DataVersion: "none", BaseBuild: uint32(g.settings.Build)}
	case q.CreateGame != nil:
		a.CreateGame = g.create(q.CreateGame)
	case q.JoinGame != nil:
		g.join(q.JoinGame, a)
	case q.GameInfo != nil:
		a.GameInfo = g.info()
	case q.Observation != nil:
		a.Observation = g.observe()
	case q.Action != nil:
		a.Action = g.act(q.Action)
	case q.Step != nil:
		g.step(q.Step.Count)
		a.Step = &api.Stepped{Loop: g.loop}
	case q.Debug != nil:
		g.debug(q.Debug)
		a.Debug = &api.Empty{}
	case q.SaveReplay != nil:
		a.SaveReplay = &api.Replay{Data: fmt.Appendf(nil, "MPQ replay of %s after %d loops", g.m.Name, g.loop)}
	case q.Quit != nil:
		a.Quit = &api.Empty{}
		g.status = api.Exiting
	}
}

func (g *match) create(c *api.CreateGame) *api.Created {
	if c.Map == nil || !bytes.HasPrefix(c.Map.Data, []byte("MPQ")) {
		return &api.Created{Error: 3, Details: "no archive"}
	}
	if len(c.Players) != 2 || c.Players[0].Type != api.Participant || c.Players[1].Type != api.Computer ||
		c.Players[1].Race == 0 || c.Players[1].Difficulty != api.VeryHard || c.Realtime {
		return &api.Created{Error: 7, Details: fmt.Sprintf("players %v", c.Players)}
	}
	name := strings.TrimSuffix(path.Base(c.Map.Path), ".SC2Map")
	m := battle.Find(battle.Every, name)
	if m == nil {
		return &api.Created{Error: 2, Details: name}
	}
	g.m, g.world = m, skirmish.NewWorld(&m.Scene, g.settings.rules())
	g.seed, g.restarts, g.loop = uint64(c.RandomSeed), 0, 0
	g.status = api.InitGame
	return &api.Created{}
}

func (g *match) join(j *api.JoinGame, a *api.Response) {
	switch {
	case g.status != api.InitGame:
		a.Errors = []string{"no match was created"}
	case j.Race == 0:
		a.JoinGame = &api.Joined{Error: 1, Details: "no race"}
	case j.Options == nil || !j.Options.Raw:
		a.JoinGame = &api.Joined{Error: 3, Details: "not raw"}
	default:
		g.status = api.InGame
		g.spawn()
		a.JoinGame = &api.Joined{Player: 1}
	}
}

// spawn makes the units of the next episode.
func (g *match) spawn() {
	g.world.Reset(g.seed + g.restarts)
	g.empty, g.hidden, g.moved = 0, g.settings.Late, false
}

// step lets time pass. As in the maps, the fight begins anew two loops after the last
// unit has died.
func (g *match) step(loops uint32) {
	for range loops {
		g.loop++
		switch {
		case g.hidden > 0:
			g.hidden--
		case len(g.world.Living(skirmish.Allies))+len(g.world.Living(skirmish.Enemies)) > 0:
			g.world.Tick()
			g.moved = true
		default:
			if g.empty++; g.empty == 2 {
				g.restarts++
				g.spawn()
			}
		}
	}
}

func (g *match) debug(d *api.DebugOrders) {
	for _, o := range d.Orders {
		for _, tag := range o.Kill.Tags {
			if i := g.index(tag); i >= 0 {
				g.world.Unit(i).Health = 0
			}
		}
	}
	g.world.Recount()
}

// tag names a unit. Names are never used twice in a match, and exceed 32 bits.
func (g *match) tag(i int) uint64 { return (g.restarts+1)<<40 | uint64(i+1) }

// index is the unit with a tag if it lives, or -1.
func (g *match) index(tag uint64) int {
	i := int(tag&(1<<40-1)) - 1
	if tag>>40 != g.restarts+1 || i < 0 || i >= g.world.Len() || !g.world.Unit(i).Alive {
		return -1
	}
	return i
}

func (g *match) observe() *api.Observed {
	var units []api.Unit
	for i := range g.world.Len() {
		if u := g.world.Unit(i); u.Alive {
			units = append(units, g.unit(i, u))
		}
	}
	if (g.hidden > 0 || g.settings.Short) && len(units) > 0 {
		units = units[:len(units)-1]
	}
	if g.settings.Reversed && g.moved {
		slices.Reverse(units)
	}
	units = append(units, api.Unit{Tag: 7, Type: 500, Owner: 16, Pos: &api.Point{}}) // scenery
	return &api.Observed{Observation: &api.Observation{Loop: g.loop, Raw: &api.ObservationRaw{Units: units}}}
}

func (g *match) unit(i int, u *skirmish.Unit) api.Unit {
	out := api.Unit{
		Tag: g.tag(i), Owner: 1 + int32(u.Team), Type: standard[u.Kind],
		Pos:    &api.Point{X: float32(u.Pos.X), Y: float32(u.Pos.Y), Z: 8},
		Health: float32(u.Health), HealthMax: float32(u.Stats.Health),
		Shield: float32(u.Shield), ShieldMax: float32(u.Stats.Shield), Energy: float32(u.Energy),
	}
	if u.Team == skirmish.Allies {
		out.Type = g.settings.OwnType
		if out.Type == 0 {
			out.Type = g.ownType(u.Kind)
		}
		out.Cooldown = float32(u.Cooldown * skirmish.TicksPerSecond)
	}
	return out
}

// standard are the numbers of the ordinary unit types.
var standard = map[skirmish.Kind]uint32{
	skirmish.Colossus: 4, skirmish.Baneling: 9, skirmish.Marine: 48, skirmish.Marauder: 51, skirmish.Medivac: 54,
	skirmish.Zealot: 73, skirmish.Stalker: 74, skirmish.SpineCrawler: 98, skirmish.Zergling: 105, skirmish.Hydralisk: 107,
}

// ownType is the number of an agent's type: those of a map follow each other in
// alphabetical order.
func (g *match) ownType(k skirmish.Kind) uint32 {
	n := uint32(1970)
	for other := range skirmish.Kind(skirmish.Kinds) {
		if other.String() < k.String() && slices.Contains(g.m.Allies(), other) {
			n++
		}
	}
	return n
}
