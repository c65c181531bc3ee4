// Package battle is the game that agents play on top of package skirmish: the tasks,
// actions, observations, states, rewards and episode ends of the StarCraft
// Multi-Agent Challenge (SMAC), in the version of MACPro.
//
// A [Map] says who fights whom, where, and for how long. A [Table] shows the units as
// an observer sees them; a [View] turns a table into what the agents see, and a
// [Scorer] turns the sequence of tables into rewards. Neither knows where a table
// comes from, so a table filled by the real game gives the same numbers. [Battle]
// joins the three with a simulated world: one environment instance.
//
// One environment step lasts 8 ticks, half a second. Actions of one agent:
//
//	0      nothing; only for the dead, who have no other
//	1      stop
//	2..5   move two cells north (+y), south, east (+x), west
//	6+j    attack enemy j, if it is within shooting range (6 cells between centres,
//	       whatever the unit type); a medivac heals agent j instead
//
// Where SMAC and its re-implementation SMAClite disagree, [Style] selects one.
package battle
