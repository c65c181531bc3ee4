package core

import (
	"io"

	"macpro/core/episode"
	"macpro/core/rng"
)

// MethodPlugin is the contract of a family of continual methods.
type MethodPlugin interface {
	Info() Info
	New(s Settings, sv Services) (Method, error)
}

// Services is what a run lends to its method.
type Services struct {
	Learner  Learner
	Rollouts Rollouts
	Source   rng.Source // parent of the method's own streams, e.g. "replay"
	Journal  Journal
	Threads  int
	// Tasks are those of the run in their order, so that a method that was resumed
	// knows the shapes of earlier ones. Those that have not begun are none of its
	// business. With hidden boundaries there is one, HiddenTask.
	Tasks []EnvSpec
}

// Task is one entry of a run's sequence (Index >= 0) or a task that is only
// tested (Index < 0).
type Task struct {
	Index int
	Spec  EnvSpec
}

// Progress says where a run stands.
type Progress struct {
	TEnv      int64 // training transitions so far, the time axis of every result
	TaskSteps int64 // the same within the current task; with hidden boundaries it is TEnv
	Episode   int64 // training episodes so far
}

// Method is a continual method (Algorithm 1 of the paper is the loop around
// it). It is used by one goroutine at a time. The order of calls is
//
//	BeginTask { Collected { NextBatch, Learner.Train }* Trained }* EndTask
//
// with ChooseHeads at any point between two iterations. ChooseHeads must not
// change anything that training can see. With hidden boundaries the whole run is
// one such task, see TaskFree.
type Method interface {
	// BeginTask prepares the live head and the buffers for a task. The learner
	// already has the task's shapes; its target is synced afterwards.
	BeginTask(t Task, p Progress) error
	// Head is the id of the head that is being trained, 0 for one-head methods.
	Head() int
	// Collected hands over a finished training episode. The method copies what
	// it keeps: ep is valid only during the call.
	Collected(ep *episode.Episode, p Progress) error
	// NextBatch returns the episodes of the next gradient step, or nil when
	// there are not enough yet. They stay valid until the next call of NextBatch or
	// Collected.
	NextBatch() ([]*episode.Episode, error)
	// Trained is called once after the gradient steps that follow a Collected.
	Trained(p Progress) error
	// EndTask is called after the test that closes a task.
	EndTask(p Progress) error

	// Modes lists the test modes of the method in reporting order; the first
	// is the method's own. Single-head methods have just "single".
	Modes() []string
	// ChooseHeads plans the heads of a test's episodes.
	ChooseHeads(t Task, mode string, ev Evaluation) (HeadPlan, error)

	// Report is what the method shows between two calls; nothing by default.
	Report() MethodReport

	Save(w io.Writer) error
	Load(r io.Reader) error
}

// MethodReport is what a method shows of itself, all of it empty for a method
// that has no such thing.
type MethodReport struct {
	// TaskHeads holds a saved head's id for every task that has begun, by the
	// task's index, if the method has several heads.
	TaskHeads []int
	// EvalModes are further test modes for evaluations of recorded networks, when
	// they are asked for by name. Tests during training leave them out.
	EvalModes []string
	// ContextSteps counts the updates of a method that trains encoders.
	ContextSteps int64
	// Borders counts the changes of the task that a method has found by itself,
	// where boundaries are hidden. At each of them the run does what it does at a
	// border that it tells: with sync_target_on_switch it syncs the target, with
	// reset_epsilon it starts the decay of epsilon anew.
	Borders int64
}

// Evaluation is the context of one test. All randomness of the test comes from
// Source, which is derived from the seed, the task, the mode and t_env.
type Evaluation struct {
	TEnv     int64
	Episodes int
	Source   rng.Source
	// TaskHead, with hidden boundaries, is the head that was in training when the
	// training of the tested task ended, or is in training if it still goes on. nil
	// stands for a task that has not begun, and for boundaries that are told.
	TaskHead *int
}

// HeadPlan says which heads act in the episodes of a test.
type HeadPlan struct {
	// Skip says that the mode is not defined for this task.
	Skip bool
	// Heads is [episodes, n]; nil means the live head everywhere.
	Heads []int32
	// Stepper, if not nil, chooses anew at every time step.
	Stepper HeadStepper
	// Agent, if not nil, holds the parameters of ScopeAgent that act in the test in
	// place of the online ones, which come back after it. The learner must be a
	// WeightEditor.
	Agent []float32
	// Together is the largest number of episodes that are played side by side;
	// 0 leaves it to the runner. A Stepper that learns from one episode for the
	// next wants 1.
	Together int
	// Probes is the number of probing episodes and transitions that were spent.
	ProbeEpisodes, ProbeSteps int64
}

// HeadStepper chooses heads at every time step of a test. One that only chooses
// embeds Unwatched.
type HeadStepper interface {
	// StepHeads fills heads [lanes, n] before the team acts.
	StepHeads(v *StepView, heads []int32) error
	// EpisodeEnded tells about the end of every episode, in their order. The
	// episode is valid only during the call and holds no observations, states,
	// masks or actions in a test.
	EpisodeEnded(number int, e *episode.Episode) error
	// TestFields tells after a test how it has chosen: the fields, values as in
	// Event, join the row of the test.
	TestFields() (map[string]any, error)
}

// Unwatched is the part of a HeadStepper that only chooses, to be embedded.
type Unwatched struct{}

// EpisodeEnded does nothing.
func (Unwatched) EpisodeEnded(int, *episode.Episode) error { return nil }

// TestFields adds nothing.
func (Unwatched) TestFields() (map[string]any, error) { return nil, nil }

// StepView is what a HeadStepper may look at: the running episodes at one step.
type StepView struct {
	Episodes []int      // index of the episode in each lane
	T        int        // time step, 0 at the start
	Obs      []float32  // [lanes, n, o]
	State    []float32  // [lanes, S]
	Avail    []uint8    // [lanes, n, A]
	Hidden   []float32  // [lanes*n, HiddenWidth] before this step
	Last     []int32    // [lanes, n], last actions, -1 at the start
	Reward   []float32  // [lanes], reward of the last step
	Source   rng.Source // for draws of this test
	Spec     EnvSpec
}

// Rollouts plays episodes for a method outside of training: probing,
// identification, latents. They never count as training transitions, but they
// are counted.
type Rollouts interface {
	Run(r RolloutRequest) ([]*episode.Episode, error)
}

// RolloutRequest asks for episodes of one task.
type RolloutRequest struct {
	Task     string
	Purpose  string // "probe", "identify", ...: the counter that it adds to
	Episodes int
	Heads    []int32 // [episodes, n]; nil means the live head
	// Stepper, if not nil, chooses heads at every step instead.
	Stepper HeadStepper
	Epsilon float64
	Source  rng.Source // all randomness of these episodes
}

// Journal takes the rows of a run's record.
type Journal interface {
	Emit(e Event) error
}

// Event is one row of the journal. Fields hold JSON-encodable values; NaN and
// infinities are written as null.
type Event struct {
	Kind    string
	TEnv    int64
	Episode int64
	Task    string
	Fields  map[string]any
}
