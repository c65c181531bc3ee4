//go:build slow

package bits_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
	"macpro/core/rng"
)

// killed starts a command and kills it after a part of the time that it may
// need. It says whether the command had come to its end before.
func (x *torture) killed(s *rng.Stream, dir string, took time.Duration, args []string) (program.Outcome, bool) {
	cmd := called(context.Background(), dir, args...)
	if err := cmd.Start(); err != nil {
		return program.Outcome{Code: -1, Stderr: err.Error()}, true
	}
	timer := time.AfterFunc(time.Duration(s.Float64()*1.1*float64(took)), func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	got := wait(cmd)
	if timer.Stop() || got.Code >= 0 {
		return got, true
	}
	x.kills++
	return got, false
}

// kill kills a run at random moments, up to five times.
func (x *torture) kill(s *rng.Stream, dir string) error {
	w, err := x.undisturbed(s)
	if err != nil {
		return err
	}
	line := words(w.line)
	for range 1 + s.Intn(5) {
		got, ended := x.killed(s, dir, w.took, line)
		if ended && got.Code != 0 {
			return fmt.Errorf("%s: %v: %s", w.name, line, got)
		}
		rec, err := oneRun(dir)
		switch {
		case err != nil:
			return err
		case rec == nil: // killed before the folder became a run
			line = words(w.line)
			if err := os.RemoveAll(filepath.Join(dir, "results")); err != nil {
				return err
			}
		case rec.Status == record.Done:
			return w.compare(dir)
		case rec.Status != record.Interrupted:
			return fmt.Errorf("%s: killed, but %s", w.name, rec.Status)
		default:
			line = words("resume --quiet " + rec.Dir + " --threads " + strconv.Itoa(1+s.Intn(2)))
		}
	}
	return w.goesOn(dir)
}

// plugin kills or stops a process of a plugin. The run ends with an error that
// says so, and can be resumed.
func (x *torture) plugin(s *rng.Stream, dir string) error {
	w, err := x.undisturbed(s)
	if err != nil {
		return err
	}
	part := strings.Fields(w.name)
	ids := []string{"env/" + part[1], "method/" + part[0], "learner/qmix"}
	if len(part) > 2 {
		ids[2] = "learner/" + part[2]
	}
	sig := []syscall.Signal{syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGSTOP}[s.Intn(3)]
	line := words(w.line + " --set plugins.isolate=[" + ids[s.Intn(3)] + "] --set plugins.call_timeout=2")
	cmd := called(context.Background(), dir, line...)
	if err := cmd.Start(); err != nil {
		return err
	}
	pid, moment := cmd.Process.Pid, time.Duration((.1+s.Float64())*float64(w.took))
	timer := time.AfterFunc(moment, func() {
		if child := childOf(pid); child > 0 {
			_ = syscall.Kill(child, sig) // it may have ended
		}
	})
	defer timer.Stop()
	giveUp := time.AfterFunc(patience, func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
	got := wait(cmd)
	giveUp.Stop()
	switch {
	case got.Code == 0:
		return w.compare(dir)
	case got.Code < 1 || got.Code > 2 || !strings.Contains(got.Stderr, "plugin"): // 2 before the run began
		return fmt.Errorf("%s: %v to a plugin after %v: %s", w.name, sig, moment, got)
	}
	x.kills++
	return w.goesOn(dir)
}

// childOf finds a process of a plugin that a run has started.
func childOf(pid int) int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is right
	for _, name := range tasks {
		list, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, word := range strings.Fields(string(list)) {
			line, err := os.ReadFile("/proc/" + word + "/cmdline")
			if child, numErr := strconv.Atoi(word); errors.Join(err, numErr) == nil && strings.Contains(string(line), "plugin\x00serve") {
				return child
			}
		}
	}
	return 0
}

// sweep kills a sweep at random moments, and goes on until all is done.
func (x *torture) sweep(s *rng.Stream, dir string) error {
	const begin = "sweep --env lbf --alg finetuning,ewc --profile smoke --seeds 1..2 --set steps_per_task=300 --set test_nepisode=2" +
		" --set test_interval=200 --set batch_size=4 --set fisher_episodes=8 --set checkpoint_interval=60 --jobs 2 --quiet --name t"
	w := x.whole["sweep"]
	if w == nil {
		w = &whole{dir: filepath.Join(x.base, "sweep")}
		if err := os.Mkdir(w.dir, 0o755); err != nil {
			return err
		}
		from := time.Now()
		if got := call(w.dir, words(begin)...); got.Code != 0 {
			return fmt.Errorf("the whole sweep: %s", got)
		}
		w.took, x.whole["sweep"] = time.Since(from), w
	}
	line := words(begin)
	for range 1 + s.Intn(4) {
		got, ended := x.killed(s, dir, w.took, line)
		if ended && got.Code != 0 {
			return fmt.Errorf("%v: %s", line, got)
		}
		if _, err := os.Stat(filepath.Join(dir, "results/sweeps/t/sweep.json")); err == nil {
			line = words("sweep resume t --quiet")
		}
		if ended {
			break
		}
	}
	if got := call(dir, line...); got.Code != 0 {
		return fmt.Errorf("%v: %s", line, got)
	}
	want, err := digestsOf(w.dir)
	if err != nil {
		return err
	}
	got, err := digestsOf(dir)
	if err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
		err = fmt.Errorf("the sweep ends with %v, undisturbed with %v", got, want)
	}
	return err
}
