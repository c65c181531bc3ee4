package continual

import (
	"fmt"

	"macpro/core"
)

// Options are the parts of a run and where its record goes.
type Options struct {
	Env     core.EnvPlugin
	Learner core.LearnerPlugin
	Method  core.MethodPlugin
	// Settings hold the keys of Config and those of the three plugins.
	Settings core.Settings
	// Init, if not nil, changes the learner's networks before anything else knows
	// them. A run that is resumed needs it no more.
	Init func(core.Learner) error
	// Tasks are the run's tasks in their order, as a checkpoint names them; nil
	// leaves them to the settings.
	Tasks []string
	// Journal takes the rows of the record; nil drops them.
	Journal core.Journal
	// Checkpoint is called when a checkpoint is due; it calls Runner.Save and
	// must be done with it when it returns. Nil means that there are none.
	Checkpoint func(CheckpointMeta) error
	// Progress hears where the run stands whenever a row of statistics or a test is
	// written. Nil is allowed.
	Progress func(Status)
}

// CheckpointMeta describes a checkpoint.
type CheckpointMeta struct {
	TEnv    int64  `json:"t_env"`
	Episode int64  `json:"episode"`
	Task    int    `json:"task"` // index of the task that is trained or about to be
	Reason  string `json:"reason"`
}

// Reasons of checkpoints. One for ReasonStop has no row in the journal: a run
// that was stopped and resumed has the journal of one that never was.
const (
	ReasonInterval = "interval"
	ReasonTaskEnd  = "task_end"
	ReasonFinal    = "final"
	ReasonStop     = "stop"
)

// Status says where a run stands.
type Status struct {
	Task        string
	Index       int // of the task in the sequence
	Tasks       []string
	TEnv, Total int64 // training transitions so far and at the run's end
	Episode     int64
	Epsilon     float64
	// Scores holds the last score of every seen task in the method's first
	// mode, NaN before the first test.
	Scores []float64
	// Measure says what the score of the task in training is.
	Measure core.Score
	// StepsPerS is the number of training transitions per second since Run
	// was called, everything else included.
	StepsPerS float64
}

// DivergedError ends a run when numbers of its networks are no longer finite. The
// last checkpoint is from before it, and leads to it again.
type DivergedError struct {
	Quantity string // that is not finite
	Value    string
	Cause    error // nil for what the runner found itself
	Learner  string
	Env      string
	Reward   float64 // that of the largest absolute value in the last batch
	Task     string
	TEnv     int64
	Episode  int64
}

func (e *DivergedError) Error() string {
	what := fmt.Sprintf("learner %s (task %s, t_env %d, episode %d): the %s is %v", e.Learner, e.Task, e.TEnv, e.Episode, e.Quantity, e.Value)
	if e.Cause != nil {
		what = e.Cause.Error()
	}
	return fmt.Sprintf("the run has diverged: %s; the largest reward of env %s in the last batch is %v", what, e.Env, float32(e.Reward))
}

// Unwrap returns the cause.
func (e *DivergedError) Unwrap() error { return e.Cause }
