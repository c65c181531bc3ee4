package macpro

import (
	"fmt"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/rng"
)

// lbfSpec are the shapes of the level-based foraging tasks.
var lbfSpec = core.EnvSpec{Env: "lbf", Task: "right", Agents: 2, Actions: 5, ObsWidth: 10, StateWidth: 10, Limit: 25}

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
// losses and both optimisers on two groups of 32 episodes.
func BenchmarkContextStep(b *testing.B) {
	for name, length := range map[string]func(*rng.Stream) int{"full": full(lbfSpec), "solved": solved} {
		for _, groups := range []int{2, 5} {
			b.Run(fmt.Sprintf("%s/groups=%d", name, groups), func(b *testing.B) {
				t, err := newTrainer(defaults(), lbfSpec, rng.New(1))
				if err != nil {
					b.Fatal(err)
				}
				batch := noisyBatch(lbfSpec, groups, 32, 32, length)
				if _, _, err := t.step(batch); err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := t.step(batch); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCenters encodes the 32 episodes of a group, as before every test.
func BenchmarkCenters(b *testing.B) {
	t, err := newTrainer(defaults(), lbfSpec, rng.New(1))
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
		tr, err := newTrainer(tiny(), lbfSpec, rng.New(1))
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
