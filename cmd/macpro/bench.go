package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/cputime"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/rng"
	"macpro/core/rollout"
	"macpro/registry"
	"macpro/registry/experiment"
)

func newBench() *cobra.Command {
	envs := []string{"lbf", "pp"}
	var seconds float64
	var whole bool
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure gradient steps, acting and a whole run on this machine",
		Long: `Measures what a run consists of, on one thread and by processor time, which other
programs on the machine disturb less than the clock. The tables are those of
results/benchmarks.md.`,
		Example: `  macpro bench
  macpro bench --env lbf --seconds 3 --whole=false`,
		Args: exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if seconds <= 0 {
				return usage(fmt.Errorf("--seconds %v: want a time above 0", seconds))
			}
			for _, env := range envs {
				if _, err := registry.Envs.Get(env); err != nil {
					return usage(fmt.Errorf("--env %s: %w", env, err))
				}
			}
			b := bench{w: cmd.OutOrStdout(), time: time.Duration(seconds * float64(time.Second))}
			return b.all(envs, whole)
		},
	}
	cmd.Flags().StringSliceVar(&envs, "env", envs, "environments")
	cmd.Flags().Float64Var(&seconds, "seconds", 1, "processor time of each measurement")
	cmd.Flags().BoolVar(&whole, "whole", true, "measure whole runs, too")
	return cmd
}

type bench struct {
	w    io.Writer
	time time.Duration
}

func (b *bench) all(envs []string, whole bool) error {
	peak := 0.0
	for range 20 {
		peak = max(peak, nn.Peak(5*time.Millisecond))
	}
	b.row("kernels %s, peak %.1f GFLOP/s a core, one thread, processor time\n\n", nn.KernelPath(), peak)
	b.row("| gradient step on 32 episodes of random actions | learner | ms | ms, target values remembered |\n|---|---|---|---|\n")
	for _, env := range envs {
		for _, learner := range registry.Learners.Names() {
			if err := b.steps(env, learner); err != nil {
				return fmt.Errorf("%s with %s: %w", env, learner, err)
			}
		}
	}
	b.row("\n| playing 32 episodes of random actions side by side, networks included | transitions/s |\n|---|---|\n")
	for _, env := range envs {
		if err := b.playing(env); err != nil {
			return fmt.Errorf("%s: %w", env, err)
		}
	}
	if !whole {
		return nil
	}
	b.row("\n| whole run, two tasks of 4000 transitions, paper profile, 32 test episodes every 2000 | method | s |\n|---|---|---|\n")
	for _, env := range envs {
		for _, alg := range []string{"finetuning", experiment.DefaultAlg()} {
			if err := b.whole(env, alg); err != nil {
				return fmt.Errorf("%s on %s: %w", alg, env, err)
			}
		}
	}
	return nil
}

func (b *bench) row(format string, args ...any) { fmt.Fprintf(b.w, format, args...) }

// of measures the processor time of work, repeated for b.time at least and three
// times at least: the median, which a pause of the machine does not move.
func (b *bench) of(work func() error) (time.Duration, error) {
	var took []time.Duration
	for sum := time.Duration(0); sum < b.time || len(took) < 3; {
		before := cputime.Used()
		if err := work(); err != nil {
			return 0, err
		}
		d := cputime.Used() - before
		took, sum = append(took, d), sum+d
	}
	return cputime.Median(took), nil
}

// benchRun is a run's learner and its first task, ready to play.
type benchRun struct {
	task    string
	spec    core.EnvSpec
	learner core.Learner
	pool    *rollout.Pool
	play    *rollout.Service
}

func openBench(env, learner string) (*benchRun, error) {
	x, err := experiment.Resolve(config.User{Flags: map[string]string{"env": env, "learner": learner, "alg": "finetuning", "profile": "paper"}})
	if err != nil {
		return nil, err
	}
	tasks, err := x.Env.Tasks(x.Settings)
	if err != nil {
		return nil, err
	}
	r := &benchRun{task: tasks.Sequences["train"][0]}
	e, err := x.Env.Open(r.task, 1, x.Settings)
	if err != nil {
		return nil, err
	}
	r.spec = e.Spec()
	if err := e.Close(); err != nil {
		return nil, err
	}
	r.learner, err = x.Learner.New(x.Settings, r.spec, core.LearnerOptions{Source: rng.New(1), Threads: 1})
	r.pool = &rollout.Pool{Plugin: x.Env, Settings: x.Settings, Learner: r.learner}
	r.play = rollout.NewService(r.pool, []string{r.task})
	return r, err
}

// episodes plays n of them with random actions.
func (r *benchRun) episodes(n int, number int64) ([]*episode.Episode, error) {
	return r.play.Run(core.RolloutRequest{Task: r.task, Purpose: "bench", Episodes: n, Epsilon: 1, Source: rng.New(2).ChildInt(number)})
}

func (b *bench) steps(env, learner string) (err error) {
	r, err := openBench(env, learner)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.pool.Close()) }()
	eps, err := r.episodes(32, 0)
	if err != nil {
		return err
	}
	train := func() error {
		_, err := r.learner.Train(eps)
		return err
	}
	fresh, err := b.of(func() error {
		r.learner.SyncTarget() // after which nothing is remembered
		return train()
	})
	if err != nil {
		return err
	}
	known, err := b.of(train)
	if err == nil {
		b.row("| %s, %s | %s | %.2f | %.2f |\n", strings.ToUpper(env), r.task, learner, milliseconds(fresh), milliseconds(known))
	}
	return err
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// playing measures transitions of one lane.
func (b *bench) playing(env string) (err error) {
	r, err := openBench(env, "qmix")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.pool.Close()) }()
	number, transitions, rounds := int64(0), 0, 0
	d, err := b.of(func() error {
		number++
		eps, err := r.episodes(32, number)
		for _, e := range eps {
			transitions += e.T
		}
		rounds++
		return err
	})
	if err == nil {
		b.row("| %s, %s | %.0f |\n", strings.ToUpper(env), r.task, float64(transitions)/float64(rounds)/d.Seconds())
	}
	return err
}

// whole measures a run in a folder of its own.
func (b *bench) whole(env, alg string) (err error) {
	dir, err := os.MkdirTemp("", "macpro-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	u := config.User{Flags: map[string]string{"env": env, "alg": alg, "profile": "paper", "threads": "1"}}
	x, err := experiment.Resolve(u)
	if err != nil {
		return err
	}
	tasks, err := x.Env.Tasks(x.Settings)
	if err != nil {
		return err
	}
	two := tasks.Sequences["train"]
	two = two[:min(2, len(two))]
	u.Sets = []string{"tasks=[" + strings.Join(two, ",") + "]", "steps_per_task=4000", "test_interval=2000", "test_nepisode=32"}
	s, err := open(u, nil, output{dir: dir, quiet: true, stdout: io.Discard, stderr: io.Discard})
	if err != nil {
		return err
	}
	before := cputime.Used()
	if err := s.start("starts"); err != nil {
		return err
	}
	b.row("| %s, %s | %s | %.2f |\n", strings.ToUpper(env), strings.Join(two, " and "), alg, (cputime.Used() - before).Seconds())
	return nil
}
