// Package smac is the environment family "smac": the 23 maps of the StarCraft
// Multi-Agent Challenge with its own names and episode limits, for single-task studies
// and for sequences of your own.
//
// The sequence "train" is the one map of the key env_args.map; the sequence "all" has
// every map. Maps whose agents have equal features (the marine maps, say) make a
// sequence for learners with attention networks.
//
// The battles are simulated; StarCraft II is not needed. Units walk straight towards
// their goal and around each other, but they do not search for ways around walls: on
// the maps with walls inside (corridor, 2c_vs_64zg) battles differ most from the game.
package smac
