// Package continual is the loop of the paper's Algorithm 1: it trains a learner
// on a sequence of tasks, one after the other, and is the only place that knows
// their order. What a continual method adds (replay, penalties, heads) happens
// behind core.Method; how values are learned happens behind core.Learner.
//
// One iteration plays a rollout of training episodes and, for each of them in
// turn, hands it to the method, makes the gradient steps the method has batches
// for, copies the online into the target networks if that is due, tests if that
// is due and writes a row of statistics if that is due. Between two iterations
// nothing but the state of Save exists: environments carry nothing from one
// episode to the next, because every episode is seeded by itself.
//
// Tests have environments and random streams of their own. Each test draws from
// a stream that its seed, task, mode and time alone determine, so that testing
// more, less or never leaves the training bit for bit as it was.
package continual
