// Package rollout plays episodes: for training, for tests, and for what a
// continual method wants to see beyond them (probing, identification). Several
// instances of a task, its lanes, are played side by side, so that the network
// sees one batch of rows per time step.
//
// An episode depends on its own seed, on its own exploration streams (one an
// agent) and on the network, and on nothing else: not on the number of lanes,
// not on what its neighbours do, not on what was played before. Lanes whose
// episode has ended leave the batch and the remaining rows move up, so that
// the network computes exactly as many rows as there are steps.
package rollout
