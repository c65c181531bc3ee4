// Package qlearn is the value-based learner that VDN, QMIX and QPLEX share: a
// recurrent network for all agents or one for each, heads on its features,
// targets, the TD loss and its gradient step. What differs is the Mixer, the function of the agents'
// values and the central state that gives Q_tot. A new learner is a Mixer, one
// file of about a hundred lines.
//
// # Two kinds of tasks
//
// Where observations are flat, the agent network (rnn) reads them as they are,
// and a learner serves tasks of one shape. Where a task's EnvSpec has Entities,
// the network (attentive) attends to allies and enemies. It values an attack from
// the attacked enemy. So the same parameters serve any number of allies and
// enemies. Tasks of one family may follow each other in one run, and a state saved
// in one loads in another. With sharing none each agent has a flat network of its own
// (separate). All three are an agent. Nothing else in the package knows which of
// them it has. A mixer sees Entities when it is planned, and then finds the two
// sides of the central state in Mixing.Team.
//
// # The cost of networks apart
//
// n agents have n times the parameters of phi and the heads, and as much more of
// targets and optimiser. A step makes the same products on fewer rows at a time.
// Measured on one core (BenchmarkSharing, VDN, 32 full episodes):
//
//	                      LBF, 2 agents    PP, 3 agents
//	parameters            2.0 times        3.0 times
//	gradient step         1.04 times       1.02 times
//	acting in one lane    2.1 times        3.7 times
//
// # One gradient step
//
// For every transition t of a batch of episodes,
//
//	q_i(t)   = Q_i(t, a_i(t))                        online network
//	a*_i     = argmax over available a of Q_i(t+1,a)  online network (double Q)
//	Q_tot    = mixer(q(t), s_t)
//	Q'_tot   = mixer'(Q'(t+1, a*), s_{t+1})          target network
//	y        = r + gamma*((1-lambda) Q'_tot + lambda y_{t+1})
//	L        = mean over transitions of (Q_tot - y)^2 + penalties
//
// followed by a clip of the whole gradient by its norm and a step of RMSProp on
// features phi, live head and mixer. At an episode's end y = r, unless the
// episode was only cut by the time limit and bootstrap_on_timeout is set: then
// y = r + gamma Q'_tot of the last record.
//
// # Work follows real time steps
//
// Batches are not padded (package episode), so nobody can forget a mask: a row
// that does not exist cannot reach a loss. In battles a step values an attack only
// where it is available.
//
// A batch is cut into two shards. Each has a compiled graph that serves every batch
// up to its capacity. Both shards divide by the number of transitions of the whole
// batch. Their gradients are added in order, so one and two threads give the same
// bits.
package qlearn
