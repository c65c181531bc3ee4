package battle

import "macpro/plugins/envs/internal/skirmish"

// Style says whose conventions observations and rewards follow.
type Style uint8

// The two conventions. Lite differs from Official in these points:
//
//   - enemies have the same type code as agents;
//   - agents keep the order in which the map lists them. Official sorts them by type,
//     then x, then y;
//   - the state shows a cooldown as the share of the type's own period;
//   - a move is unavailable if it leads outside of the map by any amount. Official
//     truncates coordinates towards zero first;
//   - the reward adds up damage events, so that a recharging shield takes nothing
//     back, and counts a step in which both sides die as won;
//   - medivacs alone keep a side in the game.
const (
	Official Style = iota
	Lite
)

// Options are the settings of a battle.
type Options struct {
	Rules *skirmish.Rules
	Style Style
	Pay   Pay     // Official: for steps in which enemies recover
	Sight float64 // radius in which an agent sees, in cells
	Shoot float64 // radius in which it may order an attack
}

// NonAttack is the number of actions that concern no enemy.
const NonAttack = 6

// StepTicks is the length of an environment step in ticks, which are the game's loops.
const StepTicks = 8

// Constants of the reward. Raw points, winReward for the win among them, are multiplied
// by RewardScale / Map.MaxReward.
const (
	winReward   = 200.0
	killReward  = 10.0
	RewardScale = 20.0
)
