// Package macpro is MACPro, multi-agent continual coordination via progressive
// task contextualization.
//
// The learner has features phi that all tasks share and a head psi^k for every
// group of similar tasks. Three things are added to its training:
//
//   - A pull of phi to where it was at the last task's end (L_reg) keeps the
//     features of old heads alive.
//   - Contexts. A global encoder g reads the states of a whole trajectory and
//     gives a Gaussian. Two losses teach g what tells tasks apart (L_context): the
//     forward model h predicts the next step from a sample of the Gaussian, and a
//     contrast compares trajectories of different groups. A local encoder f learns
//     to say the same from one agent's observations (L_approx).
//   - The expansion test. Before a new task is trained each saved head plays it.
//     The contexts of these episodes may be about as close to a group's center as
//     those of the group itself. Then the task joins the group and goes on with its
//     head. Otherwise it gets a new head.
//
// In a test nobody says which task it is. The team plays a few probing episodes
// with random heads, and then every agent by itself chooses the head whose
// group's center is nearest to what its own f made of them.
//
// # Where things are
//
// The encoders (nn.Encoder) read tracks: states or one agent's observations, over
// real time steps only. encoder puts them in a graph, experts joins the time steps.
// globalLoss with forwardModel and localLoss are the two losses. trainer is one
// step on both. method keeps the store D', the heads and the schedule. expand is
// the expansion test, choose the choice of heads.
//
// # Teams of changing size
//
// Tasks may be made of entities. Then a token of g or f is the result of an
// attention over the entities of a state or observation (teams), so the same
// parameters serve every team. In a graph each task is a lane with inputs as wide
// as its team. gather puts the rows of all lanes in the order of the sequences.
// The forward model (teamModel) predicts a code. MLPs of each task read the task's
// states and observations from it. They join the network when the task begins.
// Their first steps use the step count of the network's Adam. It corrects the bias
// of their young moments less than a count of their own would.
//
// # Ids
//
// Tasks and heads are counted apart. A group has the id of its head; several
// tasks may share it. Contrastive labels are groups.
//
// # Randomness
//
// The n-th context step draws from the streams context.n and znoise.n, the
// expansion test of task m from identify.m, and a test from the source that it
// is given. So no draw depends on which other draws there were: a loss that is
// switched off, a test or a dump changes nothing else.
package macpro
