package continual

import (
	"fmt"

	"macpro/core/episode"
)

// take handles one finished training episode: method, gradient steps, target,
// test, statistics, in this order. Episodes of a rollout that come after the
// task's budget was spent are dropped and never counted.
func (r *Runner) take(_ int, e *episode.Episode, _ []int32) error {
	if r.spent() {
		return nil
	}
	s := &r.state
	e.Index = s.Episode
	s.Episode++
	s.TEnv += int64(e.T)
	s.TaskSteps += int64(e.T)
	r.window.episode(e)
	if err := r.method.Collected(e, r.progress()); err != nil {
		return r.ofMethod(err)
	}
	if err := r.learn(); err != nil {
		return err
	}
	if err := r.method.Trained(r.progress()); err != nil {
		return r.ofMethod(err)
	}
	if r.hidden() {
		r.found()
	}
	if s.GradSteps > 0 && s.Episode-s.LastTarget >= r.cfg.TargetUpdateInterval {
		r.learner.SyncTarget()
		s.LastTarget = s.Episode
	}
	if r.spent() {
		return nil // the task's end tests and logs
	}
	if s.TEnv-s.LastTest >= r.cfg.TestInterval {
		if err := r.test(noRow); err != nil {
			return err
		}
	}
	if s.TEnv-s.LastLog >= r.cfg.LogInterval {
		return r.logTrain()
	}
	return nil
}

// learn makes the gradient steps of one episode.
func (r *Runner) learn() error {
	for range r.cfg.TrainStepsPerEpisode {
		batch, err := r.method.NextBatch()
		if err != nil {
			return r.ofMethod(err)
		}
		if len(batch) == 0 {
			return nil
		}
		if err := r.step(batch); err != nil {
			return err
		}
	}
	return nil
}

// step makes one gradient step. A method that rehearses may hand over episodes
// of other tasks.
func (r *Runner) step(batch []*episode.Episode) error {
	for _, e := range batch {
		if e.Task < 0 || e.Task >= len(r.told) {
			return r.ofMethod(fmt.Errorf("a batch with an episode of task %d, the run has tasks 0 to %d", e.Task, len(r.told)-1))
		}
	}
	stats, err := r.learner.Train(batch)
	r.batch = batch
	if err != nil {
		return r.ofLearner(err)
	}
	if err := r.finite("loss", stats.Loss); err != nil {
		return err
	}
	if err := r.finite("gradient norm", stats.GradNorm); err != nil {
		return err
	}
	r.state.GradSteps++
	r.window.step(stats)
	return nil
}
