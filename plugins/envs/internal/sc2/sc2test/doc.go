// Package sc2test is a stand-in for StarCraft II, for tests only. The program starts
// like the game, listens like it and speaks its protocol. Package skirmish does the
// fighting. An episode played through it must equal the embedded engine's.
//
// The program is the test binary itself. A test package calls [Main] first thing in
// its TestMain. A test calls [Install] for a folder that looks like an installed game.
// Its program starts the test binary anew. [Settings] say by which rules the stand-in
// fights and what goes wrong.
//
// The stand-in takes 32-bit seeds as the game does. The first episode of a match with
// seed s is World.Reset(s), and the one after k restarts by the map is
// World.Reset(s+k).
package sc2test
