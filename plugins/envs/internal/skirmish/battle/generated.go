package battle

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"macpro/core/rng"
	"macpro/plugins/envs/internal/procgen"
	"macpro/plugins/envs/internal/skirmish"
)

// Mix says which battles a family draws, in the manner of SMACv2 (Ellis et al., 2023):
// squads of random units, and random places where they start.
type Mix struct {
	// Units are letters of the units; every squad of agents has one of each, so that
	// all battles have features of one form. Weights are those of the other units.
	Units   []string
	Weights []float64
	// Least is the smallest squad, Most the largest at difficulty 1.
	Least, Most int
}

// The places where squads start on the common field, in cells.
const (
	leftmost, rightmost = 6, 12
	lowest, highest     = 11, 21
	center              = 16 // of the field, on both axes
	side                = 32 // of the map
	mostSurplus         = 2  // enemies more than agents, at difficulty 1
)

// groupsAround are the places of two or three groups of enemies that surround the agents.
var groupsAround = map[int][]skirmish.Vec{
	2: {{X: 7, Y: 16}, {X: 25, Y: 16}},
	3: {{X: 7, Y: 16}, {X: 24, Y: 11}, {X: 24, Y: 21}},
}

// Draw is the name of a battle of the distribution at difficulty d. A squad of agents has
// Least to Least+round(d(Most-Least)) units. Up to round(2d) enemies more stand against
// it. With probability d/2 they surround it in two or three groups; else the sides face
// each other across the middle.
func (x *Mix) Draw(s *rng.Stream, d float64) string {
	n := procgen.Whole(s, x.Least, x.Least+int(math.Round(d*float64(x.Most-x.Least))))
	m := n + procgen.Whole(s, 0, int(math.Round(d*mostSurplus)))
	name := x.squad(s, n) + "_vs_" + x.squad(s, m)
	surrounded, groups := s.Float64() < d/2, procgen.Whole(s, 2, 3)
	at := skirmish.Vec{X: float64(procgen.Whole(s, leftmost, rightmost)), Y: float64(procgen.Whole(s, lowest, highest))}
	if surrounded {
		return fmt.Sprintf("%s-s%d", name, groups)
	}
	return fmt.Sprintf("%s-r%02.0f%02.0f", name, at.X, at.Y)
}

// squad draws n units, at least one of each kind.
func (x *Mix) squad(s *rng.Stream, n int) string {
	count, sum := make([]int, len(x.Units)), 0.0
	for i := range count {
		count[i], sum = 1, sum+x.Weights[i]
	}
	for range n - len(count) {
		u, i := s.Float64()*sum, 0
		for ; i < len(count)-1 && u >= x.Weights[i]; i++ {
			u -= x.Weights[i]
		}
		count[i]++
	}
	text := ""
	for i, u := range x.Units {
		text += fmt.Sprint(count[i], u)
	}
	return text
}

var drawnName = regexp.MustCompile(`^((?:[0-9]+[a-z])+)_vs_((?:[0-9]+[a-z])+)-(?:s([23])|r([0-9]{2})([0-9]{2}))$`)

// Parse reads the name of a drawn battle: 2s3z_vs_3s3z-r0914 has the agents at (9,14) and
// the enemies across the middle, 5m_vs_6m-s3 has three groups of enemies around them.
func (x *Mix) Parse(name string) (*Map, bool) {
	p := drawnName.FindStringSubmatch(name)
	if p == nil || x == nil || !x.has(p[1]) || !x.has(p[2]) {
		return nil, false
	}
	agents, enemies := squad(p[1]), squad(p[2])
	if max(len(agents), len(enemies)) > x.Most+mostSurplus {
		return nil, false
	}
	r := row{name: name, limit: 60 + 8*max(len(agents), len(enemies)), goal: skirmish.Vec{X: center, Y: center}}
	if p[3] != "" {
		r.groups = []spot{{skirmish.Allies, center, center, p[1]}}
		places := groupsAround[int(p[3][0]-'0')]
		for i, part := range deal(p[2], len(places)) {
			r.groups = append(r.groups, spot{skirmish.Enemies, places[i].X, places[i].Y, part})
		}
		return r.drawn(), true
	}
	at := skirmish.Vec{X: number(p[4]), Y: number(p[5])}
	if at.X < leftmost || at.X > rightmost || at.Y < lowest || at.Y > highest {
		return nil, false
	}
	r.goal = at
	r.groups = []spot{{skirmish.Allies, at.X, at.Y, p[1]}, {skirmish.Enemies, side - at.X, at.Y, p[2]}}
	return r.drawn(), true
}

// drawn builds the map and notes where its squads start.
func (r row) drawn() *Map {
	m := r.build()
	for i, s := range r.groups {
		if i > 0 {
			m.Places += ", "
		}
		m.Places += fmt.Sprintf("%s (%g,%g)", s.squad, s.x, s.y)
	}
	return m
}

var member = regexp.MustCompile(`([0-9]+)([a-z])`)

// has says whether a squad has one or more units of each kind and no others.
func (x *Mix) has(text string) bool {
	parts := member.FindAllStringSubmatch(text, -1)
	for i, p := range parts {
		if i >= len(x.Units) || p[2] != x.Units[i] || number(p[1]) < 1 || p[1][0] == '0' || number(p[1]) > float64(x.Most+mostSurplus) {
			return false
		}
	}
	return len(parts) == len(x.Units)
}

// deal splits a squad into groups, the units one after the other.
func deal(text string, groups int) []string {
	parts, next := make([]strings.Builder, groups), 0
	for _, p := range member.FindAllStringSubmatch(text, -1) {
		count := make([]int, groups)
		for range int(number(p[1])) {
			count[next%groups]++
			next++
		}
		for g, n := range count {
			if n > 0 {
				fmt.Fprint(&parts[g], n, p[2])
			}
		}
	}
	var out []string
	for i := range parts {
		if parts[i].Len() > 0 {
			out = append(out, parts[i].String())
		}
	}
	return out
}

func number(text string) float64 {
	x, err := strconv.Atoi(text)
	if err != nil {
		return math.Inf(1)
	}
	return float64(x)
}
