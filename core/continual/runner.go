package continual

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/metrics"
	"macpro/core/rng"
	"macpro/core/rollout"
)

// Runner is one run: a method that trains a learner on a sequence of tasks.
// New makes it, Load optionally puts it where another one has stopped, Run
// plays it to its end, Close frees its environments.
type Runner struct {
	o      Options
	cfg    Config
	names  []string
	budget []int64 // transitions of each task
	specs  []core.EnvSpec
	told   []core.EnvSpec // the tasks as learner and method know them
	modes  []string
	root   rng.Source

	learner core.Learner
	method  core.Method
	service *rollout.Service
	envs    []core.Env        // of training, one a task
	train   []*rollout.Player // on them
	tests   rollout.Pool
	extra   rollout.Pool // environments of the service

	plan   rollout.Plan   // of the training episodes
	played rollout.Played // r.take, bound once
	state  state
	window window
	// curves holds the scores by mode and task, r the matrix by mode.
	curves map[string][]metrics.Curve
	r      map[string]metrics.Matrix
	phi    []float32 // at the last end of a task, see plasticity

	started  time.Time          // of Run
	fromTEnv int64              // t_env at that time
	dirty    bool               // something happened since the last checkpoint
	grown    bool               // Extend is at work
	entry    string             // reason of a checkpoint that comes before anything else, "" for none
	batch    []*episode.Episode // of the last gradient step
}

// state holds the run's counters and marks; all of it is saved.
type state struct {
	Task      int  // index of the task that is trained or about to be
	Begun     bool // the task has begun
	Finished  bool
	TEnv      int64
	TaskSteps int64
	Episode   int64
	GradSteps int64

	LastTarget, LastTest, LastLog, LastCheckpoint int64

	TestEpisodes, TestSteps int64
	// Starts and Ends hold t_env at the start and end of each task.
	Starts, Ends []int64

	// With hidden boundaries: the heads in training at the ends of tasks, the number
	// of borders that the method has found, and t_env at the last of them.
	Heads    []int `json:",omitempty"`
	Borders  int64 `json:",omitempty"`
	BorderAt int64 `json:",omitempty"`

	InAlarm   bool
	Alarms    int
	PeakRatio float64 // largest window mean of Q_tot over the largest return
}

// New makes a run at its beginning. A combination of plugins and settings that
// cannot be served is refused here, before the first step.
func New(o Options) (*Runner, error) {
	cfg, err := Parse(o.Settings)
	if err != nil {
		return nil, err
	}
	r := &Runner{o: o, cfg: cfg, root: rng.New(uint64(cfg.Seed))}
	r.played = r.take
	if err := r.build(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close closes all environments.
func (r *Runner) Close() error {
	var err error
	for _, e := range r.envs {
		err = errors.Join(err, e.Close())
	}
	r.envs = nil
	return errors.Join(err, r.tests.Close(), r.extra.Close())
}

// Config is the run's part of the settings.
func (r *Runner) Config() Config { return r.cfg }

// Tasks names the run's tasks in their order.
func (r *Runner) Tasks() []string { return r.names }

// Budget lists the training transitions of the tasks.
func (r *Runner) Budget() []int64 { return slices.Clone(r.budget) }

// Total is the number of training transitions of the run, as far as it is known: a
// task that has ended early counts as it was.
func (r *Runner) Total() (sum int64) {
	for i, n := range r.budget {
		if i < len(r.state.Ends) {
			n = min(n, r.state.Ends[i]-r.state.Starts[i])
		}
		sum += n
	}
	return sum
}

// Begun is the number of tasks whose training has begun.
func (r *Runner) Begun() int { return len(r.state.Starts) }

// Modes lists the test modes; the first is the method's own.
func (r *Runner) Modes() []string { return r.modes }

// EvalModes lists the modes that only Evaluate knows.
func (r *Runner) EvalModes() []string { return r.method.Report().EvalModes }

// Learner is the run's learner. Between two iterations it may be read.
func (r *Runner) Learner() core.Learner { return r.learner }

// Specs describes the run's tasks in their order.
func (r *Runner) Specs() []core.EnvSpec { return r.specs }

// progress is what the method hears.
func (r *Runner) progress() core.Progress {
	p := core.Progress{TEnv: r.state.TEnv, TaskSteps: r.state.TaskSteps, Episode: r.state.Episode}
	if r.hidden() {
		p.TaskSteps = p.TEnv
	}
	return p
}

func (r *Runner) task() string { return r.names[min(r.state.Task, len(r.names)-1)] }

// placed is an error with the part at fault and the place in the run.
type placed struct {
	part, place string
	err         error
}

func (e *placed) Error() string { return fmt.Sprintf("%s (%s): %v", e.part, e.place, e.err) }
func (e *placed) Unwrap() error { return e.err }

// at adds the part at fault and the place in the run to an error, once.
func (r *Runner) at(part string, err error) error {
	if err == nil {
		return nil
	}
	var p *placed
	var d *DivergedError
	if errors.As(err, &p) || errors.As(err, &d) {
		return err
	}
	place := fmt.Sprintf("task %s, t_env %d, episode %d", r.task(), r.state.TEnv, r.state.Episode)
	return &placed{part, place, err}
}

func (r *Runner) ofMethod(err error) error {
	return r.at("method "+r.o.Method.Info().Name, err)
}

func (r *Runner) ofLearner(err error) error {
	return r.at("learner "+r.o.Learner.Info().Name, err)
}

func (r *Runner) epsilon() float64 {
	switch {
	case !r.cfg.ResetEpsilon:
		return r.cfg.Epsilon(r.state.TEnv)
	case r.hidden():
		return r.cfg.Epsilon(r.state.TEnv - r.state.BorderAt)
	}
	return r.cfg.Epsilon(r.state.TaskSteps)
}
