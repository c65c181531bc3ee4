// Package lbf is level-based foraging. Two players on a small board must both
// stand next to the only food item. Then it is eaten and pays the team 1.
// Only the food's cell differs between tasks, so what one task teaches (walk
// east) is wrong in the next (walk south).
//
// # Rules
//
// Row 0 is the top row. The actions are 0 stay, 1 north (row-1), 2 south
// (row+1), 3 west (column-1) and 4 east (column+1); all five are always
// available. In one step
//
//  1. A move off the board or onto the food becomes 0.
//  2. If both players are bound for one cell, neither moves. A player that stays
//     is bound for its own. Otherwise both move. They may swap cells.
//  3. If both players are then next to the food (left, right, above or below)
//     it is eaten and the episode ends. There is no action for eating.
//
// The food's level is the sum of the players' levels, which is why one player
// alone can never eat it. Player i's share of the reward is
// level_i / (level_0 + level_1); the team's reward is the sum of the shares,
// 1 whatever the levels. The time limit (25 transitions) cuts an episode and
// does not end it: it is reported as truncated, never as terminated.
//
// # What is seen
//
// Observation of player i, 10 numbers: food row, column, level; own row,
// column, level; the other's row, column, level; own share so far. The whole
// board is in sight and cells are absolute. State, 10 numbers: the food's
// triple, both players' triples, the sum of the shares. After the food is eaten
// its triple is -1, -1, 0 in observations and 0, 0, 0 in the state.
//
// # Tasks
//
// The sequence "train" has the five tasks of the paper on the 5x5 board. Twenty
// more are only tested: nine on 5x5 and eleven on 6x6, whose names begin with
// 6x6-. A program that calls Make may use the names that the original environment
// registers, such as lbforaging:Foraging-6x6-2p-1f-coop-right-v1; a configuration
// names tasks as "macpro list tasks" does.
//
// # Episodes
//
// Players start on distinct uniform cells of the top-left corner, with uniform
// levels. In the original environment a cell that a player held at the end of
// the previous episode is closed to the player that is placed first, so its
// starts depend a little on history; here an episode depends on its seed alone.
package lbf
