package battle

import (
	"cmp"
	"slices"
	"strings"

	"macpro/plugins/envs/internal/skirmish"
)

// row is a map in short form. Squads are written as in the map names: 2s3z is two
// stalkers and three zealots. Without squads the name tells them: A_vs_B, or A for
// both sides. Without groups the squads start at (9,16) and (23,16) of the common
// field and the enemies march to (9,16).
type row struct {
	name            string
	limit           int
	allies, enemies string
	terrain         *skirmish.Terrain
	goal            skirmish.Vec
	groups          []spot
}

// spot is where one group of a map with its own layout starts.
type spot struct {
	team  skirmish.Team
	x, y  float64
	squad string
}

// Marines lists the tasks of the benchmark of that name with MACPro's limits, the four
// that are trained first.
var Marines = build([]row{
	{name: "5m_vs_6m", limit: 70}, {name: "13m", limit: 150}, {name: "4m", limit: 70}, {name: "8m_vs_9m", limit: 70},
	{name: "3m", limit: 60}, {name: "5m", limit: 80}, {name: "6m", limit: 90}, {name: "7m", limit: 100},
	{name: "8m", limit: 120}, {name: "9m", limit: 110}, {name: "10m", limit: 120}, {name: "11m", limit: 150},
	{name: "12m", limit: 150}, {name: "4m_vs_5m", limit: 70}, {name: "6m_vs_7m", limit: 70}, {name: "7m_vs_8m", limit: 70},
	{name: "9m_vs_10m", limit: 70}, {name: "10m_vs_11m", limit: 70}, {name: "11m_vs_12m", limit: 70}, {name: "12m_vs_13m", limit: 150},
})

// StalkersZealots lists the tasks of the benchmark SZ in the same way.
var StalkersZealots = build([]row{
	{name: "2s1z_vs_3z", limit: 100}, {name: "2s3z", limit: 120}, {name: "3s5z", limit: 100}, {name: "2s2z_vs_4s", limit: 100},
	{name: "1s1z", limit: 100}, {name: "1s2z", limit: 100}, {name: "1s3z", limit: 100}, {name: "2s1z", limit: 120},
	{name: "2s2z", limit: 100}, {name: "2s4z", limit: 120}, {name: "3s1z", limit: 120}, {name: "3s2z", limit: 120},
	{name: "3s3z", limit: 120}, {name: "3s4z", limit: 100}, {name: "4s2z", limit: 120}, {name: "4s3z", limit: 120},
	{name: "4s4z", limit: 120}, {name: "2s2z_vs_4z", limit: 120}, {name: "3s3z_vs_6s", limit: 120}, {name: "4s4z_vs_8z", limit: 120},
})

// Standard lists the 23 maps of SMAC with SMAC's limits. Maps of which neither terrain
// nor layout is known here are played on the common field: 2m_vs_1z, 6h_vs_8z and
// so_many_baneling.
var Standard = build([]row{
	{name: "3m", limit: 60}, {name: "8m", limit: 120}, {name: "25m", limit: 150},
	{name: "5m_vs_6m", limit: 70}, {name: "8m_vs_9m", limit: 120}, {name: "10m_vs_11m", limit: 150}, {name: "27m_vs_30m", limit: 180},
	{name: "MMM", limit: 150, allies: "1v7m2a", enemies: "1v7m2a"},
	{name: "MMM2", limit: 180, allies: "1v7m2a", enemies: "1v8m3a"},
	{name: "2s3z", limit: 120}, {name: "3s5z", limit: 150}, {name: "3s5z_vs_3s6z", limit: 170}, {name: "1c3s5z", limit: 180},
	{name: "3s_vs_3z", limit: 150, terrain: skirmish.Arena}, {name: "3s_vs_4z", limit: 200, terrain: skirmish.Arena},
	{name: "3s_vs_5z", limit: 250, terrain: skirmish.Arena},
	{name: "2m_vs_1z", limit: 150}, {name: "6h_vs_8z", limit: 150},
	{name: "so_many_baneling", limit: 100, allies: "7z", enemies: "32b"},
	{name: "2s_vs_1sc", limit: 300, terrain: skirmish.Pentagon, goal: skirmish.Vec{X: 13.92, Y: 20.04}, groups: []spot{
		{skirmish.Enemies, 13.92, 20.04, "1sc"}, {skirmish.Allies, 11.12, 10.34, "1s"}, {skirmish.Allies, 16.98, 10.37, "1s"}}},
	{name: "corridor", limit: 400, terrain: skirmish.Corridor, goal: skirmish.Vec{X: 4.47, Y: 4.33}, groups: []spot{
		{skirmish.Enemies, 27.91, 28.24, "24zg"}, {skirmish.Allies, 19.04, 19.12, "6z"}}},
	{name: "bane_vs_bane", limit: 200, terrain: skirmish.Octagon, goal: skirmish.Vec{X: 16, Y: 8}, groups: []spot{
		{skirmish.Enemies, 16, 24, "4b"}, {skirmish.Enemies, 16, 21, "20zg"},
		{skirmish.Allies, 16, 11, "20zg"}, {skirmish.Allies, 16, 8, "4b"}}},
	{name: "2c_vs_64zg", limit: 400, terrain: skirmish.Ravine, goal: skirmish.Vec{X: 16, Y: 16}, groups: []spot{
		{skirmish.Allies, 16, 16, "2c"}, {skirmish.Enemies, 16, 9, "64zg"}}},
})

// Every lists the maps of all three, with the limits of the earlier one where names recur.
var Every = slices.Concat(Marines, StalkersZealots, Standard)

// Find returns the first map of that name, or nil.
func Find(maps []*Map, name string) *Map {
	for _, m := range maps {
		if m.Name == name {
			return m
		}
	}
	return nil
}

func build(rows []row) []*Map {
	maps := make([]*Map, len(rows))
	for i, r := range rows {
		maps[i] = r.build()
	}
	return maps
}

func (r row) build() *Map {
	m := &Map{Name: r.name, Limit: r.limit}
	m.Scene.Terrain, m.Scene.Goal = skirmish.Field, skirmish.Vec{X: 9, Y: 16}
	if r.terrain != nil {
		m.Scene.Terrain = r.terrain
	}
	spots := r.groups
	if spots != nil {
		m.Scene.Goal = r.goal
	} else {
		if r.allies == "" {
			r.allies, r.enemies, _ = strings.Cut(r.name, "_vs_")
		}
		spots = []spot{{skirmish.Allies, 9, 16, r.allies}, {skirmish.Enemies, 23, 16, cmp.Or(r.enemies, r.allies)}}
	}
	for _, s := range spots {
		g := skirmish.Group{Team: s.team, At: skirmish.Vec{X: s.x, Y: s.y}, Kinds: squad(s.squad)}
		m.Scene.Groups = append(m.Scene.Groups, g)
		if s.team == skirmish.Allies {
			m.allies = append(m.allies, g.Kinds...)
		} else {
			m.enemies = append(m.enemies, g.Kinds...)
		}
	}
	m.classify()
	return m
}

var letters = map[string]skirmish.Kind{
	"m": skirmish.Marine, "a": skirmish.Marauder, "v": skirmish.Medivac, "s": skirmish.Stalker,
	"z": skirmish.Zealot, "c": skirmish.Colossus, "h": skirmish.Hydralisk, "zg": skirmish.Zergling,
	"b": skirmish.Baneling, "sc": skirmish.SpineCrawler,
}

// squad reads a squad's short form. The forms are constants of this file, so a
// mistake in one is a fault of the program.
func squad(s string) []skirmish.Kind {
	var kinds []skirmish.Kind
	for s != "" {
		count, i := 0, 0
		for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			count = 10*count + int(s[i]-'0')
		}
		j := i
		for j < len(s) && (s[j] < '0' || s[j] > '9') {
			j++
		}
		k, ok := letters[s[i:j]]
		if !ok || count == 0 {
			panic("battle: bad squad " + s)
		}
		for range count {
			kinds = append(kinds, k)
		}
		s = s[j:]
	}
	return kinds
}
