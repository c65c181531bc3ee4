package core

import "macpro/core/episode"

// HeadMapper is the optional ability of a Method with several heads to tell
// which head a task was assigned to.
type HeadMapper interface {
	// TaskHeads holds a saved head's id for every task that has begun, by the
	// task's index.
	TaskHeads() []int
}

// EvalModer is the optional ability of a Method to be tested in further modes
// by evaluations of recorded networks, when they are asked for by name. Tests
// during training leave them out.
type EvalModer interface {
	EvalModes() []string
}

// ContextCounter is the optional ability of a Method that trains encoders to
// count their updates.
type ContextCounter interface {
	ContextSteps() int64
}

// Matcher is the optional ability of a LearnerPlugin or MethodPlugin to refuse
// a combination it cannot serve, in one sentence, before anything has started.
type Matcher interface {
	Match(p Pairing) error
}

// Pairing is what a run combines.
type Pairing struct {
	Env, Learner, Method string
	Tasks                []EnvSpec // of the run's sequence, in order
	Settings             Settings
}

// LaneLimiter is the optional ability of an EnvPlugin whose instances are heavy to bound
// how many of them may play at a time. More episodes are played one wave after the other,
// which changes none of them.
type LaneLimiter interface {
	// MaxLanes is the largest number of lanes that Open takes under the given settings;
	// 0 is any number.
	MaxLanes(s Settings) int
}

// Exporter is the optional ability to show a learner's weights by name.
type Exporter interface {
	// Weights returns copies of the online weights: of phi, of every head, live
	// and saved, and of the mixer.
	Weights() []Weight
}

// Weight is one named tensor, row-major.
type Weight struct {
	Name  string
	Shape []int
	Data  []float32
}

// JointValuer is the optional ability to value joint actions with earlier
// mixers, which feedback in the manner of OWL needs.
type JointValuer interface {
	// SaveMixer copies the online mixer to the saved head k, beside the copy of
	// the head itself.
	SaveMixer(k int) error
	// JointValues computes Q_tot of one joint action in each of several lanes.
	JointValues(s *JointStep) error
}

// JointStep is one time step of valuing joint actions. The caller owns all
// slices.
type JointStep struct {
	Lanes int
	// Mixer is the saved head whose mixer copy counts; LiveHead is the online
	// mixer, TargetHead that of the target network.
	Mixer   int
	State   []float32 // [lanes, S]
	Avail   []uint8   // [lanes, n, A]
	Q       []float32 // [lanes, n, A] action values, as Act gives them
	Actions []int32   // [lanes, n]
	QTot    []float32 // [lanes], written
}

// TargetHead is the head id of the target network's copy of the live head. Only
// HeadValuer and JointValuer know it.
const TargetHead = -2

// HeadValuer is the optional ability to value the actions of one time step with
// several heads for one pass of the features. Without it the same takes a call
// of Act for each head.
type HeadValuer interface {
	HeadValues(s *HeadStep) error
}

// HeadStep is one time step of several lanes, valued by several heads. Rows are
// (lane, agent), agent fastest. The caller owns all slices.
type HeadStep struct {
	Lanes       int
	Obs         []float32 // [lanes*n, o]
	LastActions []int32   // [lanes*n], -1 at an episode's start
	Hidden      []float32 // [lanes*n, HiddenWidth], zero at an episode's start; updated once
	// Heads are ids of heads. TargetHead has features of its own and therefore
	// stands alone, with a recurrent state of its own in Hidden.
	Heads []int32
	Q     []float32 // [heads, lanes*n, A], written
}

// EpisodeWatcher is the optional ability of a HeadStepper to be told about the
// end of every episode, in their order. The episode is valid only during the
// call and holds no observations, states, masks or actions.
type EpisodeWatcher interface {
	EpisodeEnded(number int, e *episode.Episode)
}

// TestReporter is the optional ability of a HeadStepper to tell how it has
// chosen: the fields, values as in Event, join the row of its test.
type TestReporter interface {
	TestFields() map[string]any
}

// Failer is the optional ability of a HeadStepper to tell that a call without an
// error has failed all the same, as one to another process may.
type Failer interface {
	// Err is the first failure, nil if there was none.
	Err() error
}
