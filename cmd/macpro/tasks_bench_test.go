//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/cputime"
	"macpro/core/record"
	"macpro/core/store"
	"macpro/registry/experiment"
)

// drawnTasks are runs of generated tasks of 500 transitions.
const drawnTasks = "tasks=[] sequence=generated sequence_shuffle=true steps_per_task=500 batch_size=8 test_nepisode=4" +
	" test_interval=500 test_tasks=sample(5) checkpoint_interval=0 threads=1"

// drawnTasksOf adds what a method needs.
var drawnTasksOf = []struct{ alg, keys string }{
	{"finetuning", ""}, {"er", ""}, {"packnet", "packnet_keep=0.05"},
	{"macpro", "context_batch=8 kappa1=50 kappa2=250 context_groups_per_step=2 context_buffer_size=1000"},
}

// costs hears at which processor time the tasks of a run start.
type costs struct {
	b      *testing.B
	starts []moment
	end    moment
	dir    string
	live   uint64 // bytes on the heap at the end
}

// moment is a step of a run and the processor time of the program by then.
type moment struct {
	step int64
	used time.Duration
}

func (c *costs) Attached(run *store.Run)     { c.dir = run.Dir() }
func (c *costs) Progress(_ continual.Status) {}
func (c *costs) Warn(msg string)             { c.b.Error(msg) }

func (c *costs) Event(e core.Event) {
	now := moment{e.TEnv, cputime.Used()}
	switch e.Kind {
	case record.KindTaskStart:
		c.starts = append(c.starts, now)
	case "final":
		c.end = now
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.live = m.HeapAlloc
	}
}

// between is the processor time of a real step from one moment to another.
func between(from, to moment) float64 {
	return float64(to.used-from.used) / float64(to.step-from.step)
}

// BenchmarkTasks trains sequences of 10, 50 and 100 tasks. ns/step is the processor time
// of a training step with all tests, checkpoints and, at the end, the test of all tasks;
// early is that of tasks 11 to 20, late that of the last tenth without the last test.
// Sizes are those of the newest checkpoint: learner has networks and heads, method what
// the method stores, run the scores and the replay buffer.
func BenchmarkTasks(b *testing.B) {
	for _, m := range drawnTasksOf {
		for _, n := range []int{10, 50, 100} {
			b.Run(fmt.Sprintf("%s/%d", m.alg, n), func(b *testing.B) {
				for b.Loop() {
					benchTasks(b, m.alg, strings.Fields(fmt.Sprintf("%s env_args.generate=%d %s", drawnTasks, n, m.keys)))
				}
			})
		}
	}
}

func benchTasks(b *testing.B, alg string, sets []string) {
	x, err := experiment.Resolve(config.User{Flags: map[string]string{"env": "lbf", "alg": alg, "profile": "smoke"}, Sets: sets})
	if err != nil {
		b.Fatal(err)
	}
	c := &costs{b: b}
	s, err := x.Open(c)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Create(b.TempDir()); err != nil {
		b.Fatal(err)
	}
	result, err := s.Play(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	n := len(c.starts)
	b.ReportMetric(between(c.starts[0], c.end), "ns/step")
	if n > 20 {
		b.ReportMetric(between(c.starts[10], c.starts[20]), "early-ns/step")
	}
	b.ReportMetric(between(c.starts[n-1-n/10], c.starts[n-1]), "late-ns/step")
	b.ReportMetric(float64(c.live)/(1<<20), "live-MiB")
	b.ReportMetric(float64(result.Heads), "heads")
	for _, part := range []string{"learner", "method", "run"} {
		b.ReportMetric(newestSize(b, c.dir, part)/(1<<10), part+"-KiB")
	}
}

// newestSize is the size of a part of the newest checkpoint of a run in bytes.
func newestSize(b *testing.B, dir, part string) float64 {
	found, err := filepath.Glob(filepath.Join(dir, "checkpoints", "*", part))
	if err != nil || len(found) == 0 {
		b.Fatalf("no checkpoint in %s: %v", dir, err)
	}
	newest, size := time.Time{}, int64(0)
	for _, f := range found {
		info, err := os.Stat(f)
		if err != nil {
			b.Fatal(err)
		}
		if info.ModTime().After(newest) {
			newest, size = info.ModTime(), info.Size()
		}
	}
	return float64(size)
}
