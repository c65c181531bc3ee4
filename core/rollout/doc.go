// Package rollout plays episodes: for training, for tests, and for what a
// continual method wants to see beyond them (probing, identification). Several
// instances of a task, its lanes, are played side by side, so that the network
// sees one batch of rows per time step.
//
// An episode depends on its own seed, on its own exploration streams (one an
// agent) and on the network. It does not depend on the number of lanes, on its
// neighbours or on what was played before. When its episode ends, a lane leaves
// the batch and the remaining rows move up. So the network computes exactly as
// many rows as there are steps.
package rollout
