package battle

import (
	"slices"

	"macpro/plugins/envs/internal/skirmish"
)

// Map is one SMAC task: two squads, a terrain and an episode limit.
type Map struct {
	Name  string
	Limit int // environment steps
	Scene skirmish.Scenario
	// Places says where the squads of a drawn battle start, "" for a map of a benchmark.
	Places string

	allies, enemies []skirmish.Kind // in the order of the groups
	bits            int             // width of the unit type's one-hot code
	rank            *[skirmish.Kinds]int
	enemyRank       *[skirmish.Kinds]int
	shields         [2]bool // whether a team's features include shields
	medics          bool    // agents may be healers
}

// Agents is the number of agents, n.
func (m *Map) Agents() int { return len(m.allies) }

// Enemies is the number of enemies, m.
func (m *Map) Enemies() int { return len(m.enemies) }

// Allies lists the agents' unit types; agents of one type are neighbours in the list.
func (m *Map) Allies() []skirmish.Kind { return m.allies }

// Foes lists the enemies' unit types in the order of their index.
func (m *Map) Foes() []skirmish.Kind { return m.enemies }

// Actions is the number of actions of an agent: 6 and one for each enemy.
func (m *Map) Actions() int { return NonAttack + m.Enemies() }

// MaxReward is the sum of all rewards, before scaling, of a won episode in which no
// enemy recovers: 10 for each enemy, 200 for the win, and their health and shields.
func (m *Map) MaxReward(rules *skirmish.Rules) float64 {
	sum := winReward + killReward*float64(m.Enemies())
	for _, k := range m.enemies {
		sum += rules.Stats[k].Health + rules.Stats[k].Shield
	}
	return sum
}

// MaxReturn bounds the scaled return of an episode: 20 for a won one, and more if
// enemies recover what they lost. A point regained can be taken once more; Absolute
// pays it on its way back as well.
func (m *Map) MaxReturn(opt Options) float64 {
	seconds := float64(m.Limit*StepTicks) / skirmish.TicksPerSecond
	regained := 0.0
	for _, k := range m.enemies {
		regained += opt.Rules.Stats[k].Recovers(seconds)
	}
	if opt.Style == Official && opt.Pay == Absolute {
		regained *= 2
	}
	return RewardScale * (1 + regained/m.MaxReward(opt.Rules))
}

// One-hot codes of the unit type on maps with several types. Agents have the code of
// their place in the game's catalogue. Enemies have the standard units' one, in which
// zealots come before stalkers: the two sides of a stalkers-and-zealots map differ.
var (
	protoss      = [skirmish.Kinds]int{skirmish.Stalker: 0, skirmish.Zealot: 1}
	protossEnemy = [skirmish.Kinds]int{skirmish.Zealot: 0, skirmish.Stalker: 1}
	colossi      = [skirmish.Kinds]int{skirmish.Colossus: 0, skirmish.Stalker: 1, skirmish.Zealot: 2}
	medical      = [skirmish.Kinds]int{skirmish.Marauder: 0, skirmish.Marine: 1, skirmish.Medivac: 2}
	banes        = [skirmish.Kinds]int{skirmish.Baneling: 0, skirmish.Zergling: 1}
	alone        = [skirmish.Kinds]int{}
)

// classify sets what depends on the unit types alone: type codes, shields, healers.
func (m *Map) classify() {
	var has [skirmish.Kinds]bool
	for _, k := range slices.Concat(m.allies, m.enemies) {
		has[k] = true
	}
	for _, k := range m.allies {
		m.shields[skirmish.Allies] = m.shields[skirmish.Allies] || shieldMax[k] > 0
	}
	for _, k := range m.enemies {
		m.shields[skirmish.Enemies] = m.shields[skirmish.Enemies] || shieldMax[k] > 0
	}
	m.medics = has[skirmish.Medivac]
	switch {
	case m.medics:
		m.bits, m.rank, m.enemyRank = 3, &medical, &medical
	case has[skirmish.Colossus] && has[skirmish.Stalker]:
		m.bits, m.rank, m.enemyRank = 3, &colossi, &colossi
	case has[skirmish.Baneling] && m.mixed():
		m.bits, m.rank, m.enemyRank = 2, &banes, &banes
	case has[skirmish.Stalker] && has[skirmish.Zealot] && m.mixed():
		m.bits, m.rank, m.enemyRank = 2, &protoss, &protossEnemy
	default:
		m.rank, m.enemyRank = &alone, &alone
	}
}

// mixed reports whether the agents are of several types. Maps with one type of agent
// carry no type code, whoever the enemies are.
func (m *Map) mixed() bool {
	return slices.ContainsFunc(m.allies, func(k skirmish.Kind) bool { return k != m.allies[0] })
}
