//go:build slow

package bits_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
	"macpro/core/rng"
	"macpro/core/store"
)

// ordeals are the kinds of rounds. Each plays one of them, with all that is
// random drawn from s, in a folder of its own, and returns what did not hold.
var ordeals = []struct {
	name string
	play func(x *torture, s *rng.Stream, dir string) error
}{
	{"kill", (*torture).kill},
	{"damage", (*torture).damage},
	{"plugin", (*torture).plugin},
	{"fault", (*torture).fault},
	{"resume", (*torture).damagedResume},
	{"full", (*torture).full},
	{"tamper", (*torture).tamper},
	{"sweep", (*torture).sweep},
	{"search", (*torture).search},
}

// TestTorture goes on for TORTURE_TIME with the seed TORTURE_SEED: runs of all
// methods and environments are killed, damaged and starved, and must end as if
// nothing had happened, or say what is the matter. TORTURE_ONLY names one kind.
func TestTorture(t *testing.T) {
	span, err := time.ParseDuration(cmp.Or(os.Getenv("TORTURE_TIME"), "30s"))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("TORTURE_SEED"), fmt.Sprint(time.Now().Unix())), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("torture: TIME=%v SEED=%d\n", span, seed)
	x := &torture{t: t, base: t.TempDir(), whole: map[string]*whole{}, played: map[string]int{}, skipped: map[string]string{}}
	from := time.Now()
	for round := int64(0); time.Since(from) < span; round++ {
		o := ordeals[round%int64(len(ordeals))]
		if only := os.Getenv("TORTURE_ONLY"); only != "" && only != o.name || x.skipped[o.name] != "" {
			continue
		}
		dir, err := os.MkdirTemp("", "macpro-torture-")
		if err != nil {
			t.Fatal(err)
		}
		if err := o.play(x, rng.New(seed).ChildInt(round).Stream(), dir); err != nil {
			t.Errorf("round %d, %s, SEED=%d (files are in %s):\n%v", round, o.name, seed, dir, err)
			continue
		}
		x.played[o.name]++
		_ = os.RemoveAll(dir) // it is below the temporary folder
	}
	for _, name := range slices.Sorted(maps.Keys(x.played)) {
		fmt.Printf("torture: %-7s %d rounds held\n", name, x.played[name])
	}
	for name, why := range x.skipped {
		fmt.Printf("torture: %-7s SKIPPED: %s\n", name, why)
	}
	fmt.Printf("torture: %d processes were killed; of %d readings of damaged runs %d were refused or remarked, the others told the same as before\n", x.kills, x.readings, x.remarks)
}

// torture is the state of a campaign.
type torture struct {
	t       *testing.T
	base    string
	whole   map[string]*whole // by command line
	played  map[string]int
	skipped map[string]string
	kills   int
	// readings are those of damaged runs, remarks how many said something about it.
	readings, remarks int
}

// whole is a run that nothing happened to.
type whole struct {
	name string
	line string // the arguments of run
	dir  string
	took time.Duration
	end  program.Trace
}

// undisturbed makes or finds the whole run of one of the configurations.
func (x *torture) undisturbed(s *rng.Stream) (*whole, error) {
	all := digestRuns()
	names := slices.Sorted(maps.Keys(all))
	name := names[s.Intn(len(names))]
	if w := x.whole[name]; w != nil {
		return w, nil
	}
	w := &whole{name: name, line: "run " + all[name] + " --set checkpoint_interval=80 --set log_interval=50",
		dir: filepath.Join(x.base, strings.ReplaceAll(name, " ", "-"))}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		return nil, err
	}
	from := time.Now()
	if got := call(w.dir, words(w.line)...); got.Code != 0 {
		return nil, fmt.Errorf("the whole run %s: %s", name, got)
	}
	w.took = time.Since(from)
	var err error
	w.end, err = endOf(w.dir)
	x.whole[name] = w
	return w, err
}

// endOf reads what the only run in a folder has come to.
func endOf(dir string) (program.Trace, error) {
	rec, err := oneRun(dir)
	if err != nil {
		return program.Trace{}, err
	}
	if rec == nil || rec.Status != record.Done {
		return program.Trace{}, fmt.Errorf("no run is done: %+v", rec)
	}
	journal, err := rec.Digest()
	if err != nil {
		return program.Trace{}, err
	}
	c, warnings, err := rec.LatestCheckpoint()
	if err != nil || warnings != nil || c == nil {
		return program.Trace{}, fmt.Errorf("its checkpoint: %v, %w", warnings, err)
	}
	return program.Trace{Journal: journal, State: c.Digest()}, nil
}

// oneRun is the run in a folder, or nil.
func oneRun(dir string) (*store.Record, error) {
	runs, _, err := store.List(store.OS(), filepath.Join(dir, "results"))
	if err != nil || len(runs) > 1 {
		return nil, fmt.Errorf("%d runs, %w", len(runs), err)
	}
	if len(runs) == 0 {
		return nil, nil
	}
	return runs[0], nil
}

// goesOn resumes the run in a folder, or begins it if there is none, and
// compares its end with that of the whole run.
func (w *whole) goesOn(dir string) error {
	rec, err := oneRun(dir)
	if err != nil {
		return err
	}
	if rec == nil || rec.Status != record.Done {
		line := words(w.line)
		if rec != nil {
			line = words("resume --quiet " + rec.Dir)
		} else if err := os.RemoveAll(filepath.Join(dir, "results")); err != nil {
			return err
		}
		if got := call(dir, line...); got.Code != 0 {
			return fmt.Errorf("%s: going on: %s", w.name, got)
		}
	}
	return w.compare(dir)
}

func (w *whole) compare(dir string) error {
	end, err := endOf(dir)
	if err == nil && end != w.end {
		err = fmt.Errorf("ends as %v, undisturbed it is %v", end, w.end)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	return nil
}

// patience is how long any call of the program may take.
const patience = 3 * time.Minute

// call starts the program, or another if the first word is a path, and waits.
func call(dir string, args ...string) program.Outcome {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return wait(called(ctx, dir, args...))
}

func called(ctx context.Context, dir string, args ...string) *exec.Cmd {
	name := "macpro"
	if strings.HasPrefix(args[0], "/") {
		name, args = args[0], args[1:]
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return cmd
}

func wait(cmd *exec.Cmd) program.Outcome {
	if cmd.Process == nil {
		if err := cmd.Start(); err != nil {
			return program.Outcome{Code: -1, Stderr: err.Error()}
		}
	}
	_ = cmd.Wait() // the exit code tells
	return program.Outcome{Code: cmd.ProcessState.ExitCode(), Stdout: fmt.Sprint(cmd.Stdout), Stderr: fmt.Sprint(cmd.Stderr)}
}
