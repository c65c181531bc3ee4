package core

import (
	"fmt"
	"io"

	"macpro/core/episode"
	"macpro/core/rng"
)

// LearnerPlugin is the contract of a family of team learners.
type LearnerPlugin interface {
	Info() Info
	// New makes a learner for a run whose first task is spec.
	New(s Settings, spec EnvSpec, o LearnerOptions) (Learner, error)
}

// LearnerOptions are the run's resources.
type LearnerOptions struct {
	Source  rng.Source // parent of the learner's own streams, e.g. "init"
	Threads int        // at least 1; the bits of the results do not depend on it
	// Tasks are those of the run in their order: an episode's Task is the place of
	// its own. nil means that all episodes are of the task of SetTask.
	Tasks []EnvSpec
}

// LiveHead is the head id of the head that is being trained.
const LiveHead = -1

// Learner is a value-based team learner: features phi shared by all agents and
// tasks, one live head psi, a table of saved heads, a mixer and their targets.
// It is used by one goroutine at a time.
type Learner interface {
	// SetTask announces the task that training has come to. Only the run calls it:
	// episodes and steps say themselves which task they are of. A task whose shapes
	// the networks cannot serve is an error that names both.
	SetTask(spec EnvSpec) error

	// HiddenWidth is the number of floats of recurrent state per agent.
	HiddenWidth() int
	// Act computes action values for one time step of several lanes.
	Act(s *ActStep) error
	// Train makes one gradient step on phi, the live head and the mixer. The batch
	// may mix tasks, whatever their shapes: the loss is the mean over all of its
	// transitions. The episodes are only read, and only during the call.
	Train(batch []*episode.Episode) (TrainStats, error)
	// SyncTarget copies the online networks into the target networks.
	SyncTarget()

	// Heads is the number K of saved heads, with ids 0..K-1.
	Heads() int
	// NewHead appends a saved head and makes it live: a copy of the live head
	// or a freshly initialised one. It returns the new id.
	NewHead(init HeadInit) (int, error)
	// SaveHead copies the live head into saved head k; LoadHead the reverse.
	SaveHead(k int) error
	LoadHead(k int) error

	// SetPenalties replaces the terms that are added to the TD loss.
	SetPenalties(p []Penalty) error
	// Parameters appends a copy of the online parameters of a scope to dst.
	Parameters(scope Scope, dst []float32) []float32
	// Importance returns, for ScopeAgent in the order of Parameters, the mean
	// over episodes of the squared gradient of each single episode's objective;
	// from ImportanceValues that of the absolute gradient.
	Importance(batch []*episode.Episode, src ImportanceSource) ([]float32, error)

	// Save writes the complete state (weights, targets, heads, optimiser);
	// Load restores it so that everything that follows is bit-identical.
	Save(w io.Writer) error
	Load(r io.Reader) error
}

// ActStep is one time step of acting. Rows are (lane, agent), agent fastest;
// the caller owns all slices.
type ActStep struct {
	Spec        *EnvSpec // of the lanes; nil means the task of SetTask
	Lanes       int
	Obs         []float32 // [lanes*n, o]
	LastActions []int32   // [lanes*n], -1 at an episode's start
	Heads       []int32   // [lanes*n] head ids; nil means the live head everywhere
	Hidden      []float32 // [lanes*n, HiddenWidth], zero at an episode's start; updated
	Q           []float32 // [lanes*n, A], written
}

// HeadInit says how a new head starts.
type HeadInit string

// A new head starts as a copy of the live one or with fresh random weights.
const (
	HeadCopy  HeadInit = "copy"
	HeadReset HeadInit = "reset"
)

// Scope names a part of the networks.
type Scope string

// Features is phi; Head is the live psi; Agent is both, phi first; All is the
// agent and then the mixer.
const (
	ScopeFeatures Scope = "features"
	ScopeHead     Scope = "head"
	ScopeAgent    Scope = "agent"
	ScopeAll      Scope = "all"
)

// Check says whether there is such a scope.
func (s Scope) Check() error {
	switch s {
	case ScopeFeatures, ScopeHead, ScopeAgent, ScopeAll:
		return nil
	}
	return fmt.Errorf("unknown scope %q, want %q, %q, %q or %q", s, ScopeFeatures, ScopeHead, ScopeAgent, ScopeAll)
}

// Penalty is a quadratic (or, with L2, a norm) pull towards an anchor:
// Coef * sum_j I_j (theta_j-anchor_j)^2, or Coef * ||theta-anchor||_2.
type Penalty struct {
	Scope      Scope
	Anchor     []float32
	Importance []float32 // nil means 1 everywhere; not allowed with L2
	Coef       float64
	L2         bool
}

// ImportanceSource is what Importance differentiates.
type ImportanceSource string

// TDLoss is the TD loss with constant targets; QGrad is Q_tot of the taken
// joint actions; Values is the mean over transitions and agents of the squared
// norm of an agent's action values (MAS, Aljundi et al., 2018).
const (
	ImportanceTDLoss ImportanceSource = "td_loss"
	ImportanceQGrad  ImportanceSource = "q_grad"
	ImportanceValues ImportanceSource = "value_norm"
)

// TrainStats are the numbers of one gradient step.
type TrainStats struct {
	Loss      float64 // TD loss plus penalties plus value term
	TDLoss    float64 // mean squared TD error over real transitions
	Penalty   float64
	ValueLoss float64 // of the value term, Coef included
	TDAbs     float64 // mean |TD error|
	QTaken    float64 // mean Q_tot of the taken joint actions
	Target    float64 // mean target
	GradNorm  float64 // before clipping
	Clip      float64 // factor applied by the clip, 1 when inactive
}
