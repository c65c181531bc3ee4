package macpro

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/episode"
	"macpro/core/rng"
	marinesenv "macpro/plugins/envs/marines"
)

// BenchmarkTeamContextStep is a context step on groups of 32 battles.
func BenchmarkTeamContextStep(b *testing.B) {
	for name, specs := range map[string][]core.EnvSpec{
		"4m": {marines("4m", 4, 4, 60)}, "13m": {marines("13m", 13, 13, 100)},
		"mixed": {marines("5m_vs_6m", 5, 6, 70), marines("13m", 13, 13, 100), marines("4m", 4, 4, 60), marines("8m_vs_9m", 8, 9, 120)},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads%d", name, threads), func(b *testing.B) {
				tr := teamTrainer(b, defaults(b), specs...)
				tr.threads = threads
				benchmarkSteps(b, tr, teamBatch(tr, 2, 32))
			})
		}
	}
}

// A step on teams of several sizes has the same bits on any number of threads.
func TestThreadsOfAContextStepOfTeams(t *testing.T) {
	var want []float32
	for _, threads := range []int{1, 2, 4} {
		tr := teamTrainer(t, tinyTeams(t), marines("5m_vs_6m", 5, 6, 60), marines("3m", 3, 3, 50))
		tr.threads = threads
		for range 2 {
			if _, _, err := tr.step(teamBatch(tr, 2, 6)); err != nil {
				t.Fatal(err)
			}
		}
		got := slices.Concat(tr.g.net.Params, tr.f.net.Params)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d threads give other bits than one", threads)
		}
	}
}

// BenchmarkBuffersOf13m fills D and D' with 5000 episodes each of the largest
// training task, played at random, and reports the memory that they take.
func BenchmarkBuffersOf13m(b *testing.B) {
	eps := battles(b, "13m", 500, rng.New(3).Stream())
	for b.Loop() {
		before := heap()
		ring, store := episode.NewRing(5000), episode.NewGroups(5000)
		for i := range 5000 {
			ring.Insert(eps[i%len(eps)])
			store.Insert(eps[i%len(eps)])
		}
		b.ReportMetric(float64(heap()-before)/1e6, "MB")
		runtime.KeepAlive(ring)
		runtime.KeepAlive(store)
	}
	b.ReportMetric(float64(transitions(eps))/float64(len(eps)), "transitions/episode")
}

// heap is the memory in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// battles plays n episodes of a task with actions drawn among the available.
func battles(b *testing.B, task string, n int, from *rng.Stream) []*episode.Episode {
	b.Helper()
	env, err := marinesenv.Plugin.Open(task, 1, conform.Defaults(b, marinesenv.Plugin.Info()))
	if err != nil {
		b.Fatal(err)
	}
	defer env.Close()
	s := env.Spec()
	f := core.NewFrame(s, 1)
	eps := make([]*episode.Episode, n)
	for k := range eps {
		e := &episode.Episode{N: s.Agents, A: s.Actions, ObsWidth: s.ObsWidth, StateWidth: s.StateWidth}
		see := func() {
			e.Obs, e.State, e.Avail = append(e.Obs, f.Obs...), append(e.State, f.State...), append(e.Avail, f.Avail...)
		}
		if err := env.Reset([]int{0}, []uint64{from.Uint64()}, f); err != nil {
			b.Fatal(err)
		}
		for see(); e.T == 0 || !f.Terminated[0] && !f.Truncated[0]; see() {
			joint := make([]int32, s.Agents)
			for i := range joint {
				for joint[i] = -1; joint[i] < 0 || f.Avail[i*s.Actions+int(joint[i])] == 0; {
					joint[i] = int32(from.Intn(s.Actions))
				}
			}
			if err := env.Step([]int{0}, joint, f); err != nil {
				b.Fatal(err)
			}
			e.Actions, e.Reward, e.T = append(e.Actions, joint...), append(e.Reward, f.Reward[0]), e.T+1
		}
		eps[k] = e
	}
	return eps
}
