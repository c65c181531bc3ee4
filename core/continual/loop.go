package continual

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/record"
)

// Run plays the run to its end and returns its result. When ctx is cancelled
// it finishes the iteration, writes a checkpoint and returns the result so far
// with an error that wraps ctx's.
func (r *Runner) Run(ctx context.Context) (record.Result, error) {
	r.started, r.fromTEnv = time.Now(), r.state.TEnv
	if err := r.enter(); err != nil {
		return r.Result(), err
	}
	for !r.state.Finished {
		if err := ctx.Err(); err != nil {
			if r.dirty {
				err = errors.Join(err, r.save(ReasonStop))
			}
			return r.Result(), r.at("the run was stopped", err)
		}
		r.dirty = true
		if err := r.iterate(); err != nil {
			return r.Result(), r.judge(err)
		}
	}
	return r.Result(), nil
}

// enter saves what a run cannot make again: the networks of another one.
func (r *Runner) enter() error {
	reason := r.entry
	r.entry = ""
	switch reason {
	case "":
		return nil
	case ReasonTaskEnd:
		return r.checkpoint(reason)
	}
	return r.save(reason)
}

// iterate is one turn of the loop: the start of a task, its end, or a rollout.
func (r *Runner) iterate() error {
	switch {
	case r.state.Task == len(r.names):
		return r.finish()
	case !r.state.Begun:
		return r.beginTask()
	case r.spent():
		return r.endTask()
	}
	if err := r.collect(); err != nil {
		return err
	}
	if n := r.cfg.CheckpointInterval; n > 0 && r.state.TEnv-r.state.LastCheckpoint >= n {
		return r.checkpoint(ReasonInterval)
	}
	return nil
}

// spent tells whether the training of the task is over.
func (r *Runner) spent() bool { return r.state.TaskSteps >= r.budget[r.state.Task] || r.reached() }

func (r *Runner) beginTask() error {
	t := r.state.Task
	r.state.TaskSteps = 0
	if t == 0 || !r.hidden() {
		if err := r.switchTo(t); err != nil {
			return err
		}
	}
	r.state.Begun = true
	r.state.Starts = append(r.state.Starts, r.state.TEnv)
	if err := r.emit(record.TaskStart{
		At: r.now(r.task()), Index: t, Head: r.method.Head(), Heads: r.learner.Heads(), Epsilon: r.epsilon(),
	}); err != nil {
		return err
	}
	if t == 0 && r.cfg.BoundaryFullTest {
		return r.test(0)
	}
	return nil
}

// switchTo tells learner and method that a task begins.
func (r *Runner) switchTo(t int) error {
	if err := r.setTask(t); err != nil {
		return r.ofLearner(err)
	}
	r.seedTask(t)
	if err := r.method.BeginTask(core.Task{Index: t, Spec: r.told[t]}, r.progress()); err != nil {
		return r.ofMethod(err)
	}
	if r.cfg.SyncTargetOnSwitch {
		r.learner.SyncTarget()
	}
	return nil
}

// seedTask starts the stream of a task's training environments. With hidden
// boundaries one stream runs through all tasks.
func (r *Runner) seedTask(t int) {
	if r.hidden() {
		r.plan.Env = r.root.Child("env_train", core.HiddenTask).Stream()
		return
	}
	r.plan.Env = r.root.Child("env_train", r.names[t]).ChildInt(int64(t)).Stream()
}

// endTask closes the task: the last test, then the method.
func (r *Runner) endTask() error {
	if err := r.logTrain(); err != nil {
		return err
	}
	t := r.state.Task
	r.state.Ends = append(r.state.Ends, r.state.TEnv)
	if err := r.test(t + 1); err != nil {
		return err
	}
	if err := r.plasticity(t); err != nil {
		return err
	}
	if r.hidden() {
		r.state.Heads = append(r.state.Heads, r.method.Head())
	}
	if t == len(r.names)-1 || !r.hidden() {
		if err := r.method.EndTask(r.progress()); err != nil {
			return r.ofMethod(err)
		}
	}
	end := record.TaskEnd{
		At: r.now(r.task()), Index: t, Head: r.method.Head(), Heads: r.learner.Heads(),
		TaskSteps: r.state.TaskSteps, FinalAverage: r.averages(t + 1),
	}
	if r.state.TaskSteps < r.budget[t] {
		end.Stopped = r.cfg.StopWhen
	}
	if err := r.emit(end); err != nil {
		return err
	}
	r.state.Task, r.state.Begun, r.state.TaskSteps = t+1, false, 0
	if r.state.Task == len(r.names) {
		return nil // the checkpoint of the finished run follows at once
	}
	return r.checkpoint(ReasonTaskEnd)
}

// finish closes the run. Its last row is the result; the row of the last
// checkpoint comes before it.
func (r *Runner) finish() error {
	if err := r.emitCheckpoint(ReasonFinal); err != nil {
		return err
	}
	if err := r.emit(record.Final{At: r.now(""), Outcome: r.outcome()}); err != nil {
		return err
	}
	r.state.Finished = true
	return r.save(ReasonFinal)
}

// collect plays one rollout of training episodes; take sees each of them.
func (r *Runner) collect() error {
	r.plan.Epsilon = r.epsilon()
	r.plan.Task, r.plan.Head = r.toldIndex(r.state.Task), r.method.Head()
	if r.hidden() {
		r.plan.Told = &r.told[0]
	}
	return r.at("training", r.train[r.state.Task].Play(&r.plan, r.played))
}

// checkpoint writes a scheduled checkpoint. Its row comes first, so a run that
// resumes from it also has the row.
func (r *Runner) checkpoint(reason string) error {
	if err := r.emitCheckpoint(reason); err != nil {
		return err
	}
	return r.save(reason)
}

func (r *Runner) emitCheckpoint(reason string) error {
	r.state.LastCheckpoint = r.state.TEnv
	if r.o.Checkpoint == nil {
		return nil
	}
	return r.emit(record.Checkpoint{At: r.now(r.task()), Reason: reason})
}

func (r *Runner) save(reason string) error {
	if r.o.Checkpoint == nil {
		return nil
	}
	err := r.o.Checkpoint(CheckpointMeta{TEnv: r.state.TEnv, Episode: r.state.Episode, Task: r.state.Task, Reason: reason})
	if err != nil {
		return r.at("writing a checkpoint", err)
	}
	r.dirty = false
	return nil
}

// finite is nil for a finite value, else the error that ends the run.
func (r *Runner) finite(quantity string, x float64) error {
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		return nil
	}
	return r.diverged(&DivergedError{Quantity: quantity, Value: fmt.Sprint(x)})
}

// judge makes an error that says that numbers are no longer finite the end of a
// run that has diverged.
func (r *Runner) judge(err error) error {
	var d *DivergedError
	var n *core.NotFiniteError
	if errors.As(err, &d) || !errors.As(err, &n) {
		return err
	}
	return r.diverged(&DivergedError{Quantity: "numbers", Value: n.What, Cause: err})
}

// diverged completes the error and writes a row about it.
func (r *Runner) diverged(d *DivergedError) error {
	d.Learner, d.Env, d.Reward = r.o.Learner.Info().Name, r.o.Env.Info().Name, largestReward(r.batch)
	d.Task, d.TEnv, d.Episode = r.task(), r.state.TEnv, r.state.Episode
	err := r.emit(record.Alarm{At: r.now(r.task()), Reason: record.AlarmDiverged,
		Extra: map[string]any{"quantity": d.Quantity, "value": d.Value}})
	return errors.Join(d, err)
}

// largestReward is the reward of the largest absolute value in a batch.
func largestReward(batch []*episode.Episode) float64 {
	var most float64
	for _, e := range batch {
		for _, r := range e.Reward[:e.T] {
			if math.Abs(float64(r)) > math.Abs(most) {
				most = float64(r)
			}
		}
	}
	return most
}
