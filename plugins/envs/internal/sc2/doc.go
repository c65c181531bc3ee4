// Package sc2 plays the battles of package battle on the real StarCraft II instead
// of the simulated world of package skirmish.
//
// Every running episode has a game process of its own, which this package starts,
// talks to over a websocket on the local machine (package api), and ends.
// From top to bottom:
//
//   - env is the core.Env. It lets the lanes work side by side.
//   - lane plays the episodes of one lane and gets another game when one is lost.
//   - fleet hands out the games to the lanes of all environments.
//   - roster knows which unit of the game is which agent or enemy. It fills the
//     battle.Table for battle.View and battle.Scorer, as in the simulated world.
//   - game is a match under way, client its connection, process the program.
//   - install is what was found on disk.
//
// # Episodes
//
// As in SMAC, one match holds many episodes. The map itself starts the next one: when
// no unit is left, it makes both squads anew and sends the enemies off. So an episode
// begins with killing who still lives. The seed of an episode therefore reaches the
// game only with a new match. A match can last half a million game loops. So only the
// first episode of a process and one after each such span are seeded, or all with
// env_args.sc2_fresh. Only then do equal seeds and actions give equal episodes.
//
// # Failures
//
// The step during which a game is lost (a crash, a cut connection, no answer in
// time) ends its episode with reward 0, as in SMAC. The next episode is played on
// another game. A game that is lost again and again is an error. A fault that another
// try cannot mend, such as a missing map, is an error at once.
//
// A game never outlives this program: a small shell leads the game's process group
// and waits for the end of a pipe that only this program holds. When the pipe
// closes, be it by Close, exit or kill -9, it removes the game's temporary files and
// kills the group.
package sc2
