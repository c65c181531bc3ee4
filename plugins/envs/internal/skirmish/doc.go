// Package skirmish simulates small battles between two squads on a 32 x 32 map:
// the micromanagement game of the StarCraft Multi-Agent Challenge (SMAC) without
// the StarCraft II binary.
//
// A [World] holds the units of one battle. It advances in ticks of 1/16 s. In
// every tick each unit
//
//  1. drops a target that is no longer valid,
//  2. follows its [Order]: stand, walk, attack one unit, or attack-move, which
//     walks towards a point and fights whatever it meets on the way,
//  3. bends the velocity it wants so that it does not run into its neighbours or
//     into walls (reciprocal velocity obstacles, see orca.go),
//  4. moves, recharges and strikes, in an order drawn afresh in every tick.
//
// The real game and its published re-implementation differ in data, not in code: a
// [Rules] value. Experiments use [Liberty]. It holds the game's own unit data
// (StarCraft II 4.6.2, the Liberty module that the SMAC maps load), its clock and
// its rule for picking targets. [Lite] holds the numbers and habits of SMAClite. It
// serves to compare whole battles with recordings.
//
// The package knows nothing of observations, rewards or episode limits: that is
// package battle. All randomness comes from one stream per battle, the state is a
// flat slice of units, and a tick allocates nothing.
package skirmish
