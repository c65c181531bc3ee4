package skirmish

import "fmt"

// TicksPerSecond is the length of the clock's second in ticks.
const TicksPerSecond = 16

const tick = 1.0 / TicksPerSecond

// Rules are everything in which the simulated games differ. A World keeps a pointer
// to its Rules, so many worlds may share one; they must not change afterwards.
type Rules struct {
	Name  string
	Stats [Kinds]Stats

	// JitterLow and JitterHigh bound the uniform random time in seconds that is
	// added to every attack period.
	JitterLow, JitterHigh float64
	// MinDamage is what a strike takes from health at the least, whatever the armor.
	MinDamage float64
	// Windup makes attacks wait for their damage point, during which a new order
	// cancels them, and spaces the strikes of one attack.
	Windup bool
	// Missiles makes shots of units with a MissileSpeed fly. A missile finds its
	// target wherever it goes and is lost if the target dies first.
	Missiles bool

	// EdgeScan measures the acquisition radius max(Scan, Range) between the edges of
	// two units. Otherwise it is Scan, from the centre to the candidate's edge.
	EdgeScan bool
	// Answer sends an attack-moving unit that notices nobody against an opponent that
	// has made it its target, wherever that one is.
	Answer bool
	// HelpRadius is the distance up to which comrades of a unit that is hit learn
	// who did it; 0 turns this off, also for the unit itself. HelpMemory is the time
	// in seconds for which they remember.
	HelpRadius, HelpMemory float64
	// HealersFirst makes attack-moving units prefer healers to nearer targets.
	HealersFirst bool
	// Revive lets a healer go on with a patient that has died: it lives again if that was
	// in the same tick, and otherwise the energy is wasted.
	Revive bool
	// Corpses keeps an attack order alive when its target has died: the unit walks
	// to the corpse and wastes its shots on it.
	Corpses bool

	// Sidestep lets units walk around others that stand in their way. Without it they
	// queue behind them.
	Sidestep bool
	// Overshoot keeps walking at full speed past the goal instead of stopping on it.
	Overshoot bool
	// OpenMap lets units cross the border of the map.
	OpenMap bool
	// FlatWalls offsets the velocity limit of a wall by (-dy, -dy) times the radius
	// instead of (-dy, dx). d is the direction of the limit. Walls along the x axis
	// are then as wide as they are drawn, not wider by the radius.
	FlatWalls bool
	// Float32 rounds positions to single precision after every tick.
	Float32 bool
	// SpawnNoise moves every unit at the start by up to this much on either axis.
	SpawnNoise float64
}

// Liberty returns the rules of the real game as far as its data files tell them:
// the default for experiments.
func Liberty() *Rules {
	return &Rules{
		Name:      "sc2",
		Stats:     complete(liberty()),
		JitterLow: -0.0625, JitterHigh: 0.125,
		MinDamage: 0.5,
		Windup:    true, Missiles: true,
		EdgeScan:   true,
		Answer:     true,
		HelpRadius: 4, HelpMemory: 2,
		Sidestep: true,
	}
}

// Lite returns the rules of SMAClite, oddities included, for comparison with its
// recordings.
func Lite() *Rules {
	return &Rules{
		Name:         "smaclite",
		Stats:        complete(lite()),
		Answer:       true,
		HealersFirst: true, Corpses: true, Revive: true,
		Overshoot: true, OpenMap: true, FlatWalls: true, Float32: true,
	}
}

// RulesByName returns a fresh copy of the rules "sc2" or "smaclite".
func RulesByName(name string) (*Rules, error) {
	switch name {
	case "sc2":
		return Liberty(), nil
	case "smaclite":
		return Lite(), nil
	}
	return nil, fmt.Errorf("skirmish: no profile %q; there are sc2 and smaclite", name)
}
