// Package core holds the vocabulary and the contracts of macpro. It knows no
// plugin by name.
//
// The words, each used in one sense everywhere:
//
//   - Task: one setting of an environment (a map, a food position, a prey). A
//     Sequence is an ordered list of tasks that are trained one after the other.
//   - Env: a vector of independent instances ("lanes") of one task.
//   - Team: the n agents that act together in an Env and share one reward.
//   - Learner: a value-based team learner (agent network, mixer, optimiser).
//   - Head: the last layers of the agent network, psi^k in the paper; the
//     layers below it are the features phi. A group is a head together with
//     all tasks that are assigned to it; task ids and head ids are different
//     things and are never mixed.
//   - Method: a continual method. It decides what the learner trains on, what
//     is kept at a task's end and which head acts in a test.
//   - Ablation: a named overlay on the configuration.
//   - Episode: one stored trajectory, see package episode.
//   - Run: one training of one method on one sequence with one seed. A Cell is
//     a run inside a sweep.
//
// Env, Learner, Method and Ablation are the four plugin kinds. Their contracts
// are coarse and exchange data only, so that a plugin may live in this process
// or in another one. Optional abilities are small interfaces beside them.
package core
