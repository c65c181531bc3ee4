package kills_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/nn"
	"macpro/core/record"
	"macpro/core/rng"
	"macpro/core/store"
)

// short is a run of about a second with everything in it.
const short = program.Short

// shortMACPro is the same with MACPro, whose context steps, saved heads and
// expansion test all take place.
var shortMACPro = strings.Replace(short, "--alg finetuning", "--alg macpro", 1) +
	" --set kappa1=200 --set kappa2=150 --set context_batch=8 --set probe_nepisode=2"

// shortHidden is the same where the method looks for borders, and finds many.
var shortHidden = shortMACPro + " --set boundaries=hidden --set border_window=8 --set border_interval=30 --set border_spacing=0 --set border_ratio=0.4"

var reference struct {
	once sync.Once
	program.Trace
	took time.Duration
}

// undisturbed is the trace of the short run that nobody disturbs.
func undisturbed(t *testing.T) program.Trace {
	t.Helper()
	reference.once.Do(func() {
		from := time.Now()
		reference.Trace = finished(t, nil, short)
		reference.took = time.Since(from)
	})
	if reference.Journal == "" {
		t.Fatal("the reference run failed")
	}
	return reference.Trace
}

// finished runs a command line to its end and reads what it left.
func finished(t *testing.T, environ []string, line string) program.Trace {
	t.Helper()
	dir := t.TempDir()
	if got := program.Call(t, dir, environ, strings.Fields(line)...); got.Code != program.OK || got.Stderr != "" {
		t.Fatalf("exit code %d\n%s", got.Code, got.Stderr)
	}
	return program.TraceOf(t, dir)
}

func TestSameBytesOnAnyNumberOfThreads(t *testing.T) {
	t.Parallel()
	want := undisturbed(t)
	for _, c := range []struct{ procs, threads string }{{"1", "1"}, {"1", "2"}, {"2", "1"}, {"4", "2"}} {
		if got := finished(t, []string{"GOMAXPROCS=" + c.procs}, short+" --threads "+c.threads); got != want {
			t.Errorf("GOMAXPROCS=%s --threads %s: %v, want %v", c.procs, c.threads, got, want)
		}
	}
	if other := finished(t, nil, strings.Replace(short, "--seed 5", "--seed 6", 1)); other.Journal == want.Journal || other.Learner == want.Learner {
		t.Error("another seed gave the same run")
	}
}

func TestTestsDoNotTouchTraining(t *testing.T) {
	t.Parallel()
	want := undisturbed(t)
	got := finished(t, nil, strings.Replace(short, "test_interval=400", "test_interval=90 --set boundary_full_test=false", 1))
	if got.Learner != want.Learner {
		t.Error("testing more often changed the networks")
	}
	if got.Journal == want.Journal {
		t.Error("the journal does not show the additional tests")
	}
}

// A run that is killed again and again at random moments, and resumed each
// time, leaves the bytes of one that was never killed.
func TestKilledRunsAreResumedExactly(t *testing.T) {
	t.Parallel()
	draw := rng.New(uint64(time.Now().UnixNano())).Stream()
	for i, begin := range slices.Repeat([]string{short, shortMACPro, shortHidden}, rounds) {
		want, took := undisturbed(t), reference.took
		if begin != short {
			from := time.Now()
			want = finished(t, nil, begin+" --threads 1")
			took = time.Since(from)
		}
		dir := t.TempDir()
		line := strings.Fields(begin)
		var moments []time.Duration
		for kills := 0; ; kills++ {
			wait := time.Duration(draw.Float64() * float64(took))
			if kills >= 6 {
				wait = time.Hour // long enough to end
			}
			moments = append(moments, wait)
			if killAfter(t, dir, wait, line) {
				break
			}
			runs, _, err := store.List(store.OS(), filepath.Join(dir, "results"))
			if err != nil {
				t.Fatal(err)
			}
			if len(runs) == 1 && runs[0].Status == record.Done {
				break // killed on its way out
			}
			if len(runs) == 1 {
				line = strings.Fields("resume --quiet " + runs[0].Manifest.ID)
			} else { // killed before the folder became a run
				line = strings.Fields(begin)
				if err := os.RemoveAll(filepath.Join(dir, "results")); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := program.TraceOf(t, dir); got != want {
			t.Errorf("round %d, killed after %v: %v, want %v", i, moments, got, want)
		}
	}
}

// killAfter starts the program, kills it after a while and says whether it had
// come to its end before.
func killAfter(t *testing.T, dir string, wait time.Duration, args []string) bool {
	t.Helper()
	cmd, output := program.Start(t, dir, args)
	timer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer timer.Stop()
	err := cmd.Wait()
	if state, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && state.Signaled() && state.Signal() == syscall.SIGKILL {
		return false
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, output)
	}
	return true
}

// A signal lets the run write a checkpoint and say how to go on.
func TestSignalsStopARun(t *testing.T) {
	t.Parallel()
	want := undisturbed(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		program.Meanwhile(t, func(dir string) (late bool) {
			cmd, output := program.Start(t, dir, strings.Fields(strings.Replace(short, " --quiet", "", 1)))
			program.WaitFor(t, dir, filepath.Join("checkpoints", "[0-9]*", "index.json"), "")
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit code tells
			if code := cmd.ProcessState.ExitCode(); code != 128+int(sig) {
				if code != program.OK {
					t.Errorf("%v: exit code %d\n%s", sig, code, output)
				}
				return true
			}
			rec := program.OnlyRun(t, dir)
			if rec.Status != record.Interrupted || !strings.Contains(output.String(), "macpro resume "+filepath.Join("results", "runs", rec.Manifest.ID)) {
				t.Errorf("%v: the run is %s\n%s", sig, rec.Status, output)
			}
			if got := program.Call(t, dir, nil, "resume", "--quiet", rec.Manifest.ID, "--threads", "1"); got.Code != program.OK {
				t.Fatalf("%v: %s", sig, got.Stderr)
			}
			if got := program.TraceOf(t, dir); got != want {
				t.Errorf("%v: %v, want %v", sig, got, want)
			}
			return false
		})
	}
}

// The kernels are no part of a run's state: one that began on a machine without
// the fast ones goes on with those of this machine, and says so in its log.
func TestResumedOnOtherKernels(t *testing.T) {
	program.Meanwhile(t, func(dir string) (late bool) {
		t.Setenv("MACPROKERNEL", "purego")
		cmd, output := program.Start(t, dir, strings.Fields(short))
		program.WaitFor(t, dir, filepath.Join("checkpoints", "[0-9]*", "index.json"), "")
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the run's status tells
		rec := program.OnlyRun(t, dir)
		if rec.Status == record.Done {
			return true
		}
		if rec.Status != record.Interrupted {
			t.Fatalf("the run is %s\n%s", rec.Status, output)
		}
		t.Setenv("MACPROKERNEL", "")
		if got := program.Call(t, dir, nil, "resume", "--quiet", rec.Manifest.ID); got.Code != program.OK {
			t.Fatal(got.Stderr)
		}
		if got := program.TraceOf(t, dir); got.Learner == "" {
			t.Error("nothing was learned")
		}
		log, err := os.ReadFile(filepath.Join(rec.Dir, "log.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"purego", strings.TrimSuffix(nn.KernelPath(), "bf16")} {
			if !strings.Contains(string(log), " kernels="+path+" ") {
				t.Errorf("the log does not name the kernels %s:\n%s", path, log)
			}
		}
		return false
	})
}

// A second signal does not wait for anything, and a run in use cannot be
// resumed by another process.
func TestSecondSignalQuits(t *testing.T) {
	dir := t.TempDir()
	line := strings.Replace(short, "test_nepisode=2", "test_nepisode=4096 --set env_args.time_limit=500", 1)
	cmd, output := program.Start(t, dir, strings.Fields(line)) // the first test takes minutes
	program.WaitFor(t, dir, "log.txt", "the run starts")
	if got := program.Call(t, dir, nil, "resume", program.OnlyRun(t, dir).Manifest.ID); got.Code != program.Failure || !strings.Contains(got.Stderr, "in use by pid") {
		t.Errorf("resuming a run in use: exit code %d\n%s", got.Code, got.Stderr)
	}
	for range 2 { // a signal that comes before the one before was taken is lost
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		program.WaitFor(t, dir, "log.txt", "another signal quits at once")
	}
	_ = cmd.Wait() // the exit code tells
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(output.String(), "another signal quits at once") {
		t.Errorf("exit code %d\n%s", code, output)
	}
	if rec := program.OnlyRun(t, dir); rec.Status != record.Interrupted {
		t.Errorf("the run is %s", rec.Status)
	}
}

// Runs that start at the same moment have folders of their own.
func TestRunsAtTheSameMoment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	line := strings.NewReplacer("steps_per_task=1000", "steps_per_task=60", " --seed 5", "").Replace(short)
	const n = 8
	var cmds []*exec.Cmd
	for i := range n {
		cmd, _ := program.Start(t, dir, strings.Fields(line+" --seed "+strconv.Itoa(i%2)))
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	runs, warnings, err := store.List(store.OS(), filepath.Join(dir, "results"))
	if err != nil || warnings != nil || len(runs) != n {
		t.Fatalf("%d runs, warnings %v, error %v", len(runs), warnings, err)
	}
	digests := map[string]int{}
	for _, r := range runs {
		d, err := r.Digest()
		if err != nil || r.Status != record.Done {
			t.Errorf("%s: %s, %v", r.Dir, r.Status, err)
		}
		digests[d]++
	}
	if len(digests) != 2 {
		t.Errorf("want two kinds of equal journals, got %v", digests)
	}
}
