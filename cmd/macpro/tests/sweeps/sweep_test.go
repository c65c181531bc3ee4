package sweeps_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
	"macpro/core/store"
	"macpro/core/sweep"
)

// tinySweep is four cells that take about two seconds each.
const tinySweep = `
seeds: 1..2
fixed: {alg: finetuning, env: lbf, steps_per_task: 2000, batch_size: 8, test_interval: 1000, test_nepisode: 2, log_interval: 50, checkpoint_interval: 200}
grids:
  - lr: [0.001, 0.0005]
`

// sweepIn writes the experiment into a new folder and starts it there.
func sweepIn(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "tiny.yaml"), []byte(tinySweep), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("macpro", append([]string{"sweep", "tiny.yaml", "--profile", "smoke", "--name", "k", "--jobs", "2"}, args...)...)
	cmd.Dir = dir
	log, err := os.Create(filepath.Join(dir, "sweep.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// trained lists the runs that have saved something.
func trained(t *testing.T, dir string) (out []*store.Record) {
	t.Helper()
	runs, _, err := store.List(store.OS(), filepath.Join(dir, "results"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if c, _, err := r.LatestCheckpoint(); err == nil && c != nil {
			out = append(out, r)
		}
	}
	return out
}

// running lists the manifests of those whose process trains.
func running(t *testing.T, dir string) (out []store.Manifest) {
	t.Helper()
	for _, r := range trained(t, dir) {
		if r.Status == record.Running {
			out = append(out, r.Manifest)
		}
	}
	return out
}

// done counts those that are done.
func done(t *testing.T, dir string) (n int) {
	t.Helper()
	for _, r := range trained(t, dir) {
		if r.Status == record.Done {
			n++
		}
	}
	return n
}

// digests maps the configurations of the finished runs to their journals; two
// runs of one configuration are an error.
func digests(t *testing.T, dir string) map[string]string {
	t.Helper()
	runs, warnings, err := store.List(store.OS(), filepath.Join(dir, "results"))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	out := map[string]string{}
	for _, r := range runs {
		if _, twice := out[r.Manifest.ConfigHash]; twice {
			t.Errorf("two runs of the configuration of %s", r.Manifest.ID)
		}
		if r.Status != record.Done {
			t.Errorf("run %s is %s", r.Manifest.ID, r.Status)
		}
		if out[r.Manifest.ConfigHash], err = r.Digest(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// A sweep of which a worker, then the whole, was killed ends with exactly its
// cells, and each run is what it would have been.
func TestSweepSurvivesKills(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("trains for a minute")
	}
	program.Meanwhile(t, func(dir string) (late bool) {
		cmd := sweepIn(t, dir)
		program.Until(t, "a cell trains", func() bool { return len(trained(t, dir)) > 0 })
		victims := running(t, dir)
		if len(victims) == 0 || syscall.Kill(victims[0].PID, syscall.SIGKILL) != nil {
			return ended(cmd)
		}
		goesOn := func(r *store.Record) bool { return r.Manifest.ID == victims[0].ID && r.Manifest.PID != victims[0].PID }
		program.Until(t, "the killed run goes on in another process", func() bool {
			return slices.ContainsFunc(trained(t, dir), func(r *store.Record) bool { return goesOn(r) || r.Status == record.Done })
		})
		if !slices.ContainsFunc(trained(t, dir), goesOn) {
			return ended(cmd) // it was done before it was killed
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if cmd.Wait() == nil {
			return true
		}
		program.Until(t, "the workers are gone", func() bool { return len(running(t, dir)) == 0 })
		s, err := sweep.Open(store.OS(), filepath.Join(dir, "results"), "k")
		if err != nil {
			t.Fatal(err)
		}
		if n := s.Counts(); n[sweep.Done] == len(s.Cells) {
			return true
		} else if n[sweep.Running] > 0 || n[sweep.Interrupted] == 0 {
			t.Errorf("after the kill: %v", n)
		}
		if out := program.Call(t, dir, nil, "sweep", "resume", "k", "--quiet"); out.Code != 0 {
			t.Fatalf("resume: exit code %d\n%s", out.Code, out.Stderr)
		}
		for _, c := range s.Cells {
			if st := s.State(c); st.Status != sweep.Done {
				t.Errorf("cell %s is %s: %s", c.ID, st.Status, st.Error)
			}
		}
		got := digests(t, dir)
		if len(got) != 4 {
			t.Errorf("%d runs, want 4", len(got))
		}
		whole := t.TempDir()
		if err := sweepIn(t, whole).Wait(); err != nil {
			t.Fatal(err)
		}
		for config, d := range digests(t, whole) {
			if got[config] != d {
				t.Errorf("the run of configuration %.12s differs from one that was never killed", config)
			}
		}
		return false
	})
}

// ended lets a sweep come to its end, for which something was too late.
func ended(cmd *exec.Cmd) bool {
	_ = cmd.Wait() // nothing of it is looked at
	return true
}

// Cancelling and SIGTERM let cells save their state; the sweep goes on later.
func TestSweepStopsInOrder(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("trains for half a minute")
	}
	program.Meanwhile(t, func(dir string) (late bool) {
		cmd := sweepIn(t, dir)
		program.Until(t, "a cell trains", func() bool { return len(trained(t, dir)) > 0 })
		second := program.Call(t, dir, nil, strings.Fields("sweep resume k")...)
		if out := program.Call(t, dir, nil, strings.Fields("sweep cancel k")...); strings.Contains(out.Stderr, "nothing to cancel") {
			return ended(cmd)
		} else if out.Code != 0 {
			t.Fatal(out.Stderr)
		}
		if cmd.Wait() == nil {
			return true
		}
		if second.Code == 0 || !strings.Contains(second.Stderr, "being worked on by pid") {
			t.Errorf("a second worker of the sweep: %d %s", second.Code, second.Stderr)
		}
		var state struct {
			Cancelled bool
			Cells     []struct{ State sweep.State }
		}
		out := program.Call(t, dir, nil, strings.Fields("sweep status k --json")...)
		if err := json.Unmarshal([]byte(out.Stdout), &state); err != nil {
			t.Fatal(err)
		}
		stopped := slices.ContainsFunc(state.Cells, func(c struct{ State sweep.State }) bool { return c.State.Status == sweep.Interrupted })
		if !state.Cancelled || !stopped {
			t.Errorf("after cancel: %s", out.Stdout)
		}
		before := done(t, dir)
		resumed := exec.Command("macpro", strings.Fields("sweep resume k")...)
		resumed.Dir = dir
		if err := resumed.Start(); err != nil {
			t.Fatal(err)
		}
		program.Until(t, "a cell trains again", func() bool { return len(running(t, dir)) > 0 || done(t, dir) > before })
		if err := resumed.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = resumed.Wait() // the exit code is looked at next
		if code := resumed.ProcessState.ExitCode(); code == 0 {
			return true
		} else if code != 128+int(syscall.SIGTERM) {
			t.Errorf("exit code %d after SIGTERM", code)
		}
		if out := program.Call(t, dir, nil, strings.Fields("sweep resume k --quiet")...); out.Code != 0 {
			t.Errorf("resume: %d %s", out.Code, out.Stderr)
		}
		if n := len(digests(t, dir)); n != 4 {
			t.Errorf("%d runs, want 4", n)
		}
		return false
	})
}

func TestStatusOfFoldersWithoutSweeps(t *testing.T) {
	dir := t.TempDir()
	if got := program.Call(t, dir, nil, strings.Fields("sweep status --json")...); got.Code != program.OK || got.Stdout != "[]\n" || got.Stderr != "no sweeps in results/sweeps\n" {
		t.Errorf("%+v", got)
	}
	for _, verb := range []string{"status", "resume", "cancel", "best"} {
		if got := program.Call(t, dir, nil, "sweep", verb, "x"); got.Code != program.Usage || got.Stderr != "macpro: results/sweeps: unknown sweep \"x\"\n" {
			t.Errorf("%s: %+v", verb, got)
		}
	}
}
