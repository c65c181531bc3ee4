package core

// HeadMapper is the optional ability of a Method with several heads to tell
// which head a task was assigned to.
type HeadMapper interface {
	// TaskHeads holds a saved head's id for every task that has begun, by the
	// task's index.
	TaskHeads() []int
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
