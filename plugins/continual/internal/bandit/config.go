// Package bandit finds out during a test which of several heads suits the task,
// as OWL does (Kessler et al., 2022): the heads are the arms of a bandit, one
// for the whole team at a time.
//
// With feedback td_joint or td_vdn a bandit of its own runs in every episode.
// At each step all agents act greedily with one head k, drawn from softmax(l);
// then every head j is scored by how well it explains what happened:
//
//	y       = r + gamma Q'_k(s', greedy')           k's own target
//	err_j   = |Q_j(s, a) - y|
//	score_j = min(1/max(err_j, 1e-8), 50)
//	l_j     = decay l_j
//	l_j     = l_j + lr score_j / max(exp(l_j), 1e-4)
//
// td_joint values joint actions with the mixer of the head's own time. It needs
// the central state and the reward during a test, which acting otherwise does
// not; td_vdn takes the sum of the agents' values instead and needs the reward
// only. For the head in training Q' is the target network's; an old head keeps
// no target and is its own.
//
// The target is that of the head that acts, and its own values agree with it. So
// this head mostly has the least error, whatever the task, and the bandit stays with
// the head that it happened to draw first. In tasks with sparse rewards it chooses
// as chance does (results/lbf.md).
//
// With feedback return one bandit runs over a test's episodes, which are played
// one after the other with one head each (EXP3, Auer et al., 2002).
package bandit

import (
	"fmt"

	"macpro/core"
)

// Config are the bandit's keys; defaults are those of the authors' published
// command.
type Config struct {
	LR       float64 `cfg:"bandit_lr" min:"0" max:"1e6" help:"step size of the bandit"`
	Decay    float64 `cfg:"bandit_decay" min:"0" max:"1" help:"factor on the heads' scores at every step"`
	Eps      float64 `cfg:"bandit_eps" min:"0" max:"1" help:"probability of a uniformly drawn head"`
	Step     int     `cfg:"bandit_step" min:"1" help:"steps between two choices of a head"`
	Greedy   bool    `cfg:"bandit_greedy" help:"do not divide a head's gain by exp of its score"`
	Feedback string  `cfg:"owl_feedback" enum:"td_joint,td_vdn,return" help:"what the bandit learns from: TD errors of Q_tot or of the sum of values at every step, or returns of whole episodes"`
}

// Published are the settings of the authors' published command, with the
// feedback that a learner can give: td_joint, or else td_vdn.
func Published(l core.Learner) Config {
	c := Config{LR: 0.88, Decay: 0.9, Step: 1, Feedback: TDJoint}
	if c.Check(l) != nil {
		c.Feedback = TDVDN
	}
	return c
}

// The kinds of feedback.
const (
	TDJoint = "td_joint"
	TDVDN   = "td_vdn"
	Return  = "return"
)

// Arm is a head that may act and the mixer that values its actions: ids of
// saved heads, or core.LiveHead.
type Arm struct {
	Head  int32
	Mixer int
}

// Check says in one sentence why a learner cannot give the feedback, if so.
func (c Config) Check(l core.Learner) error {
	if c.Feedback == TDJoint && core.AbilitiesOf(l).Valuer == nil {
		return fmt.Errorf("owl_feedback %s needs a learner that values joint actions with earlier mixers, and this one cannot: use %s or %s",
			TDJoint, TDVDN, Return)
	}
	return nil
}

// Plan plans the heads of a test on a task: at least two arms, and gamma, the
// discount of the learner's returns.
func (c Config) Plan(l core.Learner, arms []Arm, spec core.EnvSpec, gamma float64) (core.HeadPlan, error) {
	if c.Feedback != Return {
		return core.HeadPlan{Stepper: newByErrors(c, l, arms, gamma)}, nil
	}
	if spec.MaxReturn <= 0 {
		return core.HeadPlan{}, fmt.Errorf("owl_feedback %s needs tasks that state their largest return, %s does not", Return, spec.Task)
	}
	return core.HeadPlan{Stepper: newByReturns(arms, spec.MaxReturn), Together: 1}, nil
}

// tally counts the steps in which each arm acted.
type tally []int64

// TestFields gives each arm's share of all steps.
func (t tally) TestFields() (map[string]any, error) {
	var sum int64
	for _, n := range t {
		sum += n
	}
	share := make([]float64, len(t))
	for k, n := range t {
		share[k] = float64(n) / float64(max(sum, 1))
	}
	return map[string]any{"arms": share}, nil
}
