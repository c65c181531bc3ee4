package nn

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

// Graphs are built and run in several goroutines at once, two of them on forks
// of one network; each must give what it gives alone.
func TestGraphsRunConcurrently(t *testing.T) {
	alone := newAgent(t, 24, 5, 9, 6, 3, 2)
	alone.feed(t, 3, 3, 1)
	want := alone.outcome(t)
	var wg sync.WaitGroup
	got := make([][]float32, 4)
	for i := range got {
		wg.Go(func() {
			a := newAgent(t, 24, 5, 9, 6, 3, 2)
			for range 5 {
				a.feed(t, 4, 2)
				a.outcome(t)
				a.feed(t, 3, 3, 1)
				got[i] = a.outcome(t)
			}
		})
	}
	wg.Wait()
	for _, g := range got {
		sameBits(t, "concurrent run", g, want)
	}
}

// A run may allocate a few small objects per node, nothing that grows with the
// rows, and must leave nothing behind.
func TestRunsDoNotGrow(t *testing.T) {
	perRun := func(rows int) float64 {
		a := newAgent(t, rows, 5, 16, 16, 3, 1)
		a.feed(t, rows)
		run(t, a.g)
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection allocates by itself
		least := math.Inf(1)
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 50 {
				run(t, a.g)
			}
			runtime.ReadMemStats(&after)
			bytes := float64(after.TotalAlloc - before.TotalAlloc)
			if bytes > 4096 { // less than any buffer of 500 rows
				t.Errorf("50 runs of %d rows allocate %.0f bytes", rows, bytes)
			}
			least = min(least, bytes)
		}
		return least // what a run allocates is in every turn, what the runtime itself does is not
	}
	if small, large := perRun(1), perRun(500); small > 0 || large > 0 {
		t.Errorf("50 runs allocate %.0f bytes for 1 row and %.0f for 500, want none", small, large)
	}
	a := newAgent(t, 40, 5, 9, 6, 3, 2)
	heap := func() int64 {
		for i := range 500 {
			a.feed(t, 1+i%10, 1+i%7%(1+i%10))
			run(t, a.g)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	if first, second := heap(), heap(); second > first+64_000 {
		t.Errorf("the heap grew from %d to %d bytes over 500 runs", first, second)
	}
}

// flops of one forward pass of a stack and a GRU per row; a backward pass costs
// twice as much, less the gradient of the inputs.
func flops(in, mlp, hidden, actions int) (forward, both float64) {
	first := 2 * float64(in*mlp)
	rest := 2 * float64(3*mlp*mlp+mlp*hidden+2*3*hidden*hidden+hidden*actions)
	return first + rest, 2*first + 3*rest
}

// BenchmarkAgent is the agent network of LBF (n=2) and PP (n=3) on a batch of
// 32 episodes with 26 records: forward and backward in one goroutine, and with
// lengths like those of solved episodes.
func BenchmarkAgent(b *testing.B) {
	peak := Peak(200 * time.Millisecond)
	full := make([]int, 26)
	short := make([]int, 26)
	for t := range full {
		full[t], short[t] = 32, max(1, 32-4*t)
	}
	for _, c := range []struct {
		name   string
		agents int
		alive  []int
	}{{"n=2", 2, full}, {"n=3", 3, full}, {"n=2,short", 2, short}} {
		b.Run(c.name, func(b *testing.B) {
			rows := total(c.alive) * c.agents
			a := newAgent(b, rows, 17, 128, 64, 5, c.agents)
			a.feed(b, c.alive...)
			run(b, a.g)
			b.ReportAllocs()
			for b.Loop() {
				run(b, a.g)
			}
			_, both := flops(17, 128, 64, 5)
			rate := both * float64(rows) * float64(b.N) / float64(b.Elapsed().Nanoseconds())
			b.ReportMetric(rate, "GFLOP/s")
			b.ReportMetric(100*rate/peak, "%peak")
		})
	}
}

// BenchmarkSmallRun is the cost of a run without work: one row.
func BenchmarkSmallRun(b *testing.B) {
	a := newAgent(b, 1, 2, 2, 2, 2, 1)
	a.feed(b, 1)
	b.ReportAllocs()
	for b.Loop() {
		run(b, a.g)
	}
}

// BenchmarkCompile is the cost of building the graph of BenchmarkAgent, n=2.
func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newAgent(b, 32*26*2, 17, 128, 64, 5, 2)
	}
}

// BenchmarkOps times the operations by themselves.
func BenchmarkOps(b *testing.B) {
	peak := Peak(200 * time.Millisecond)
	var l Layout
	mlp := l.MLP("mlp", []int{17, 128, 128, 128, 128, 64}, ActReLU)
	gru := l.GRU("gru", 64, 64)
	net := network(b, &l)
	for _, agents := range []int{2, 3} {
		var steps Steps
		alive := make([]int, 26)
		for t := range alive {
			alive[t] = 32
		}
		if err := steps.Set(agents, alive); err != nil {
			b.Fatal(err)
		}
		n := steps.Rows()
		for _, c := range []struct {
			name     string
			op       Fused
			in, out  int
			seg      Segment
			forward  float64
			backward float64
		}{
			{"MLP", mlp.Op(), 17, 64, mlp.Segment, 2 * (17*128 + 3*128*128 + 128*64), 2 * (17*128 + 2*(3*128*128+128*64))},
			{"GRU", gru.Op(&steps), 64, 64, gru.Segment, 2 * 2 * 192 * 64, 2 * 4 * 192 * 64},
		} {
			in := []Mat{{n, c.in, normals(n*c.in, "x")}, {1, c.seg.Len, c.seg.Of(net.Params)}}
			out, dOut := Mat{n, c.out, make([]float32, n*c.out)}, Mat{n, c.out, normals(n*c.out, "d")}
			dIn := []Mat{{n, c.in, make([]float32, n*c.in)}, {1, c.seg.Len, c.seg.Of(net.Grads)}}
			if c.name == "MLP" {
				dIn[0].Data = nil
			}
			c.op.(Recorder).Record()
			measure := func(what string, flops float64, f func() error) {
				b.Run(fmt.Sprintf("%s/n=%d/%s", c.name, agents, what), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := f(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(100*flops*float64(n)*float64(b.N)/float64(b.Elapsed().Nanoseconds())/peak, "%peak")
				})
			}
			measure("forward", c.forward, func() error { return c.op.Forward(in, out) })
			measure("forward+backward", c.forward+c.backward, func() error {
				if err := c.op.Forward(in, out); err != nil {
					return err
				}
				return c.op.Backward(in, out, dOut, dIn)
			})
		}
	}
}
