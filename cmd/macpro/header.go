package main

import (
	"fmt"
	"slices"
	"strings"

	"macpro/core/names"
	"macpro/core/nn"
)

// header says what a run is made of.
func (s *session) header() string {
	c := s.Runner.Config()
	overlays := "profile " + s.Choices["profile"].Value
	for _, o := range []struct{ key, none string }{{"compat", "default"}, {"ablation", "none"}} {
		if v := s.Choices[o.key].Value; v != o.none {
			overlays += ", " + o.key + " " + v
		}
	}
	return fmt.Sprintf("run      %s on %s with %s, %s\nseed     %d\ntasks    %s\nkernels  %s, %s\nconfig   %s\n",
		s.Method.Info().Name, s.Env.Info().Name, s.Learner.Info().Name, overlays, c.Seed,
		tasksWithSteps(s.Runner.Tasks(), s.Runner.Budget()), s.kernels(), names.Many(c.Threads, "thread"), s.Config.Hash())
}

// kernels names what computes the products. Those of float32 are the same on the
// paths avx512 and avx512bf16.
func (s *session) kernels() string {
	if !s.inBF16() {
		return strings.TrimSuffix(nn.KernelPath(), "bf16")
	}
	return nn.KernelPath() + ", large products in bf16 (" + nn.BF16Means() + ")"
}

func (s *session) inBF16() bool {
	p, _ := s.Config.Get("precision")
	return p == string(nn.BF16)
}

// tasksWithSteps lists tasks with their training transitions, once if all have the
// same number.
func tasksWithSteps(tasks []string, steps []int64) string {
	if len(steps) == 1 {
		return fmt.Sprintf("%s (%s)", tasks[0], names.Many(steps[0], "step"))
	}
	if len(slices.Compact(slices.Clone(steps))) == 1 {
		return fmt.Sprintf("%s (%s each)", strings.Join(tasks, ", "), names.Many(steps[0], "step"))
	}
	parts := make([]string, len(tasks))
	for i, t := range tasks {
		parts[i] = fmt.Sprintf("%s (%s)", t, names.Many(steps[i], "step"))
	}
	return strings.Join(parts, ", ")
}

// announce prints the header and where the record is, and notes them in the
// run's log.
func (s *session) announce(what string) {
	s.say("%sfolder   %s\n", s.header(), s.Run.Dir())
	s.display.file.Info("the run "+what, "seed", s.Runner.Config().Seed, "config", s.Config.Hash(), "env", s.Env.Info().Name,
		"tasks", strings.Join(s.Runner.Tasks(), ","), "kernels", s.kernels(), "threads", s.Runner.Config().Threads)
	if s.inBF16() && nn.BF16IsSlow() {
		s.Warn("precision bf16: without AVX2 a gradient step takes many times as long as with float32")
	}
}
