package macpro

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/cputime"
	"macpro/core/episode"
	"macpro/core/rng"
)

// The shapes of the tasks of level-based foraging and of predator-prey.
var (
	lbfSpec = core.EnvSpec{Env: "lbf", Task: "right", Agents: 2, Actions: 5, ObsWidth: 10, StateWidth: 10, Limit: 25}
	ppSpec  = core.EnvSpec{Env: "pp", Task: "heuristic", Agents: 3, Actions: 5, ObsWidth: 16, StateWidth: 20, Limit: 25}
)

// noisy makes an episode of T transitions with random contents.
func noisy(s core.EnvSpec, T int, from *rng.Stream) *episode.Episode {
	floats := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(from.Norm())
		}
		return x
	}
	e := &episode.Episode{
		T: T, N: s.Agents, A: s.Actions, ObsWidth: s.ObsWidth, StateWidth: s.StateWidth,
		Obs: floats((T + 1) * s.Agents * s.ObsWidth), State: floats((T + 1) * s.StateWidth), Reward: floats(T),
		Avail: make([]uint8, (T+1)*s.Agents*s.Actions), Actions: make([]int32, T*s.Agents),
	}
	for i := range e.Avail {
		e.Avail[i] = 1
	}
	for i := range e.Actions {
		e.Actions[i] = int32(from.Intn(s.Actions))
	}
	return e
}

// noisyBatch makes a batch of equally many episodes of each group.
func noisyBatch(s core.EnvSpec, groups, bs, z int, length func(from *rng.Stream) int) *batch {
	from := rng.New(5).Stream()
	b := &batch{noise: make([]float32, groups*bs*z)}
	for range groups {
		var eps []*episode.Episode
		for range bs {
			eps = append(eps, noisy(s, length(from), from))
		}
		b.groups = append(b.groups, eps)
	}
	for i := range b.noise {
		b.noise[i] = float32(from.Norm())
	}
	b.picksG, b.picksL = make([]int, bs), make([]int, bs)
	from.Sample(b.picksG, make([]int, groups*bs), groups*bs)
	from.Sample(b.picksL, make([]int, groups*bs*s.Agents), groups*bs*s.Agents)
	return b
}

func full(s core.EnvSpec) func(*rng.Stream) int { return func(*rng.Stream) int { return s.Limit } }

// solved are lengths like those of a task that is being solved.
func solved(from *rng.Stream) int {
	if from.Intn(8) == 0 {
		return 25
	}
	return 4 + from.Intn(5)
}

// BenchmarkContextStep is one step of both encoders, the forward model, all
// losses and both optimisers on groups of 32 episodes.
func BenchmarkContextStep(b *testing.B) {
	for _, spec := range []core.EnvSpec{lbfSpec, ppSpec} {
		for name, length := range map[string]func(*rng.Stream) int{"full": full(spec), "solved": solved} {
			for _, groups := range []int{2, 5} {
				for _, threads := range []int{1, 2} {
					b.Run(fmt.Sprintf("%s/%s/groups=%d/threads%d", spec.Env, name, groups, threads), func(b *testing.B) {
						t, err := newTrainer(defaults(b), spec, rng.New(1))
						if err != nil {
							b.Fatal(err)
						}
						t.threads = threads
						benchmarkSteps(b, t, noisyBatch(spec, groups, 32, 32, length))
					})
				}
			}
		}
	}
}

func benchmarkSteps(b *testing.B, t *trainer, batch *batch) {
	if _, _, err := t.step(batch); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	start := cputime.Used()
	for b.Loop() {
		if _, _, err := t.step(batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cputime.Used()-start).Nanoseconds())/float64(b.N)/1e6, "cpu-ms/op")
}

// BenchmarkCenters encodes the 32 episodes of a group, as before every test.
func BenchmarkCenters(b *testing.B) {
	t, err := newTrainer(defaults(b), lbfSpec, rng.New(1))
	if err != nil {
		b.Fatal(err)
	}
	eps := noisyBatch(lbfSpec, 1, 32, 32, solved).groups[0]
	for b.Loop() {
		if _, err := t.readG.means(eps); err != nil {
			b.Fatal(err)
		}
	}
}

func TestContextStepDoesNotAllocate(t *testing.T) {
	allocs := func(groups, bs int) float64 {
		tr, err := newTrainer(tiny(t), lbfSpec, rng.New(1))
		if err != nil {
			t.Fatal(err)
		}
		b := noisyBatch(lbfSpec, groups, bs, 4, full(lbfSpec))
		if _, _, err := tr.step(b); err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(3, func() {
			if _, _, err := tr.step(b); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(2, 2), allocs(4, 16); few > 0 || many > 0 {
		t.Fatalf("%v allocations for 4 episodes, %v for 64, want none", few, many)
	}
}

// A step has the same bits on any number of threads: losses, contexts and both
// networks, with and without padding and positions, for flat tasks and for teams.
func TestThreadsOfAContextStepGiveTheSameBits(t *testing.T) {
	variants := map[string]func(c *settings){
		"plain":      func(*settings) {},
		"deep":       func(c *settings) { c.EncDepth = 5 },
		"padded":     func(c *settings) { c.POEMask = false },
		"positions":  func(c *settings) { c.EncPosEnc, c.EncDepth = keySin, 3 },
		"per agent":  func(c *settings) { c.LocalEncoder = keyPerAgent },
		"plain mean": func(c *settings) { c.Aggregation = keyMean },
		"paper":      literal,
	}
	for name, change := range variants {
		t.Run(name, func(t *testing.T) {
			var want []float32
			for _, threads := range []int{1, 2, 3, 8} {
				c := tiny(t)
				change(c)
				got := afterSteps(t, c, threads)
				if want == nil {
					want = got
				}
				if !slices.EqualFunc(got, want, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }) {
					t.Errorf("%d threads give other bits than one", threads)
				}
			}
		})
	}
}

// afterSteps is everything that three steps on batches of different sizes leave.
func afterSteps(t *testing.T, c *settings, threads int) []float32 {
	t.Helper()
	tr, err := newTrainer(c, lbfSpec, rng.New(1))
	if err != nil {
		t.Fatal(err)
	}
	tr.threads = threads
	var all []float32
	for _, groups := range []int{3, 1, 2} {
		l, means, err := tr.step(noisyBatch(lbfSpec, groups, 16, c.ZDim, solved))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, float32(l.Context), float32(l.Local), float32(l.G.Norm), float32(l.F.Norm))
		for _, m := range means {
			all = append(all, m...)
		}
	}
	return slices.Concat(all, tr.g.net.Params, tr.f.net.Params)
}
