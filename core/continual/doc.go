// Package continual is the loop of the paper's Algorithm 1: it trains a learner
// on a sequence of tasks, one after the other, and is the only place that knows
// their order. What a continual method adds (replay, penalties, heads) happens
// behind core.Method; how values are learned happens behind core.Learner.
//
// One iteration plays a rollout of training episodes. For each episode in turn
// it does these things, the last three only when they are due:
//
//   - it hands the episode to the method,
//   - makes the gradient steps that the method has batches for,
//   - copies the online into the target networks,
//   - tests,
//   - writes a row of statistics.
//
// Between two iterations nothing but the state of Save exists. Every episode is
// seeded by itself, so environments carry nothing from one episode to the next.
//
// Tests have environments and random streams of their own. Each test draws from
// a stream that its seed, task, mode and time alone determine, so that testing
// more, less or never leaves the training bit for bit as it was.
package continual
