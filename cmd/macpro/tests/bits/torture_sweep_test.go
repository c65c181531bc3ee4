//go:build slow

package bits_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
	"macpro/core/rng"
	"macpro/core/store"
	"macpro/core/sweep"
)

// searches are the sweeps of search: grids with evaluations, random search, and
// searches that decide while cells run.
var searches = []string{
	"--grid lr=0.001,0.0005 --seeds 1..2 --jobs 2",
	"--strategy random --trials 3 --grid batch_size=int(3,6) --seeds 1 --jobs 2",
	"--strategy asha --eta 2 --first-rung 150 --grid lr=1e-4,2e-4,3e-4,4e-4 --seeds 1 --jobs 1",
	"--strategy asha --eta 2 --first-rung 150 --grid lr=1e-4,3e-4,1e6 --set grad_norm_clip=1e30 --seeds 1..2 --jobs 2",
}

const searchFile = `fixed: {env: lbf, alg: finetuning, steps_per_task: 300, test_nepisode: 2, test_interval: 100, batch_size: 4, checkpoint_interval: 60, log_interval: 50}
evaluate:
  - {name: generalization, tasks: generalization}
`

// search lets something happen to a sweep a few times: the sweep alone, one of its
// cells or all die, it is told to stop, or a run's folder is deleted. It must end
// with every cell ended, and each configuration has one finished run.
func (x *torture) search(s *rng.Stream, dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "t.yaml"), []byte(searchFile), 0o644); err != nil {
		return err
	}
	begin := "sweep t.yaml --profile smoke --name t --quiet " + searches[s.Intn(len(searches))]
	line := words(begin)
	var story []string
	for range 1 + s.Intn(4) {
		what, got, ended := x.disturbed(s, dir, line)
		story = append(story, what)
		if ended {
			break
		}
		if got.Code == program.Usage {
			return fmt.Errorf("%s, %v: %s", begin, story, got)
		}
		if _, err := os.Stat(filepath.Join(dir, "results/sweeps/t/sweep.json")); err == nil {
			line = words("sweep resume t --quiet")
		}
	}
	got := call(dir, line...)
	for range 60 { // what a process that was dying kept is free by then
		if got.Code == 0 {
			break
		}
		time.Sleep(time.Second)
		got = call(dir, words("sweep resume t --quiet")...)
	}
	if err := endOfSearch(dir, got); err != nil {
		return fmt.Errorf("%s, %v: %w", begin, story, err)
	}
	return nil
}

// disturbed starts a sweep and lets something happen to it while it runs.
func (x *torture) disturbed(s *rng.Stream, dir string, args []string) (what string, got program.Outcome, ended bool) {
	cmd := called(context.Background(), dir, args...)
	if err := cmd.Start(); err != nil {
		return "start", program.Outcome{Code: -1, Stderr: err.Error()}, false
	}
	what = []string{"kill all", "kill the sweep", "kill a cell", "stop", "delete a run"}[s.Intn(5)]
	timer := time.AfterFunc(time.Duration(s.Float64()*5*float64(time.Second)), func() {
		var err error
		switch what {
		case "kill all":
			err = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		case "kill the sweep":
			err = cmd.Process.Kill()
		case "stop":
			err = cmd.Process.Signal(syscall.SIGTERM)
		default:
			runs, _, listErr := store.List(store.OS(), filepath.Join(dir, "results"))
			for _, rec := range runs {
				if rec.Status != record.Running {
					continue
				}
				if what == "kill a cell" {
					err = syscall.Kill(rec.Manifest.PID, syscall.SIGKILL)
				} else {
					err = os.RemoveAll(rec.Dir)
				}
				break
			}
			err = errors.Join(err, listErr)
		}
		if err == nil {
			x.kills++
		}
	})
	got = wait(cmd)
	return what, got, timer.Stop()
}

// endOfSearch says what a sweep lacks at its end.
func endOfSearch(dir string, got program.Outcome) error {
	root := filepath.Join(dir, "results")
	s, err := sweep.Open(store.OS(), root, "t")
	if err != nil {
		return fmt.Errorf("%w: %s", err, got)
	}
	n := s.Counts()
	if lost := n[sweep.Diverged]; got.Code != 0 || n[sweep.Done] == 0 || n[sweep.Done]+n[sweep.Pruned]+lost != len(s.Cells) {
		return fmt.Errorf("it ends with %v: %s", n, got)
	}
	runs, warnings, err := store.List(store.OS(), root)
	if err != nil {
		return err
	}
	if len(warnings) > 0 {
		return fmt.Errorf("results: %s", strings.Join(warnings, "; "))
	}
	done := map[string]*store.Record{}
	for _, rec := range runs {
		if rec.Status == record.Done {
			if other := done[rec.Manifest.ConfigHash]; other != nil {
				return fmt.Errorf("%s and %s are finished runs of one configuration", other.Manifest.ID, rec.Manifest.ID)
			}
			done[rec.Manifest.ConfigHash] = rec
		}
	}
	for _, c := range s.Cells {
		st := s.State(c)
		if st.Status != sweep.Done {
			continue
		}
		rec := done[c.ConfigHash]
		if rec == nil || rec.Manifest.ID != st.Run {
			return fmt.Errorf("cell %s is done by run %q, finished is %v", c.ID, st.Run, rec)
		}
		evaluations, warnings, err := rec.Evaluations()
		if err != nil || len(warnings) > 0 || len(evaluations) != 1 || len(evaluations[0].Tests) == 0 {
			return fmt.Errorf("the evaluations of %s: %+v, %v, %w", st.Run, evaluations, warnings, err)
		}
	}
	return nil
}
