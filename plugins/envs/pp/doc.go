// Package pp is predator-prey in the plane: three predators learn to catch one
// prey that follows a fixed policy. Tasks differ in that policy, in bodies,
// speeds, landmarks and starting places, and in how many predators must touch
// the prey at once.
//
// # Rules
//
// Predators are agents 0 to 2, the prey is body 3. The actions are 0 nothing,
// 1 push to +x, 2 to -x, 3 to +y, 4 to -y; all five are always available. There
// is no wall. In one step of dt = 0.1, with unit masses,
//
//  1. An action pushes its body with the force accel along its axis.
//  2. Each pair of bodies, and each body and landmark, repel each other. The
//     centres are d apart along the unit vector u, and s is the sum of the sizes.
//     The force is 100 pen u with pen = m log(1 + exp(-(d-s)/m)), m = 0.001.
//     Landmarks do not move. Their size may be zero or negative, which only
//     shrinks s. If two centres coincide, u is not defined. It is taken as +x
//     from the later body to the earlier one, so nothing becomes NaN.
//  3. v := 0.75 v + 0.1 F, cut to the body's largest speed.
//  4. The position advances by 0.1 v.
//
// If then enough predators (one, or two for bull-bull) are closer to the prey
// than the sum of the sizes, the team is paid 1, once, and the episode ends,
// however many touch. The time limit (25 transitions) cuts an episode and does
// not end it: it is reported as truncated, never as terminated.
//
// # The prey
//
// It acts on what it sees before the step, rounded to float32 like every
// observation.
//
//   - flee pushes away from one predator, charge towards it, both along the axis
//     with the larger offset (x if they are equal). An offset of 0 counts as
//     positive.
//   - frozen does nothing but can be pushed.
//   - random draws one of the five actions from the episode's own stream.
//
// # What is seen
//
// Observation of a predator, 16 numbers: both landmarks relative to it, own
// position, own velocity, the other three bodies relative to it in order, the
// prey's velocity. State, 20 numbers: positions of both landmarks, then position
// and velocity of the four bodies.
//
// # Tasks and the two readings of them
//
// The sequence "train" has the paper's four tasks, "pp10" ten. Variants 1 to 5
// of each task shift its sizes, accelerations, speeds and landmarks by
// xi = 0.01, -0.01, 0.02, -0.02, 0.03; those twenty are the generalisation
// tasks. Where the original program departs from the paper a key decides:
//
//	env_args.prey_nearest      prey: the prey reacts to the predator nearest to itself.
//	                           official: to the predator nearest to landmark 1.
//	env_args.pp_flash_variant  paper: variants of flash-random are flash-random plus xi.
//	                           official: a larger and much faster game of its own plus xi.
//	env_args.landmark_shift    paper: positions in a variant shift by its own xi.
//	                           official: by 0.03 in every variant.
//
// With all three on official the environment reproduces the original's recorded
// trajectories. A program that calls Make may use names like
// mpe:SimpleTag-heuristic1-v0; a configuration names tasks as "macpro list tasks"
// does.
package pp
