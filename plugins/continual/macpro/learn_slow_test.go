//go:build slow

package macpro

import (
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/plugins/envs/lbf"
)

// wander plays n episodes of an LBF task at random.
func wander(t *testing.T, task string, n int, from *rng.Stream) []*episode.Episode {
	t.Helper()
	env, err := lbf.Plugin{}.Open(task, 1, conform.Defaults(t, lbf.Plugin{}.Info()))
	if err != nil {
		t.Fatal(err)
	}
	s := env.Spec()
	f := core.NewFrame(s, 1)
	var eps []*episode.Episode
	for range n {
		e := &episode.Episode{N: s.Agents, A: s.Actions, ObsWidth: s.ObsWidth, StateWidth: s.StateWidth}
		if err := env.Reset([]int{0}, []uint64{from.Uint64()}, f); err != nil {
			t.Fatal(err)
		}
		see := func() {
			e.Obs, e.State, e.Avail = append(e.Obs, f.Obs...), append(e.State, f.State...), append(e.Avail, f.Avail...)
		}
		for see(); e.T == 0 || !f.Terminated[0] && !f.Truncated[0]; see() {
			a := []int32{int32(from.Intn(s.Actions)), int32(from.Intn(s.Actions))}
			if err := env.Step([]int{0}, a, f); err != nil {
				t.Fatal(err)
			}
			e.Actions, e.Reward, e.T = append(e.Actions, a...), append(e.Reward, f.Reward[0]), e.T+1
		}
		eps = append(eps, e)
	}
	return eps
}

// After 400 steps g tells two tasks apart and knows each of them again, and f
// agrees with it.
func TestEncodersSeparateTwoTasks(t *testing.T) {
	c := defaults(t)
	c.FeatureScale = 0.2
	tr, err := newTrainer(c, lbfSpec, rng.New(1))
	if err != nil {
		t.Fatal(err)
	}
	from := rng.New(2).Stream()
	tasks := []string{"right", "bottom"}
	var stored, fresh [][]*episode.Episode
	for _, task := range tasks {
		stored, fresh = append(stored, wander(t, task, 200, from)), append(fresh, wander(t, task, 32, from))
	}
	b := noisyBatch(lbfSpec, 2, 32, c.ZDim, solved)
	picks, scratch := make([]int, 32), make([]int, 200)
	for range 400 {
		for k := range tasks {
			from.Sample(picks, scratch, 200)
			for i, p := range picks {
				b.groups[k][i] = stored[k][p]
			}
		}
		for i := range b.noise {
			b.noise[i] = float32(from.Norm())
		}
		from.Sample(b.picksG, scratch, 64)
		from.Sample(b.picksL, scratch, 128)
		if _, _, err := tr.step(b); err != nil {
			t.Fatal(err)
		}
	}
	var cs []center
	for k := range tasks {
		means, err := tr.readG.means(stored[k][168:])
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, centerOf(k, means))
	}
	for k := range tasks {
		means, err := tr.readG.means(fresh[k])
		if err != nil {
			t.Fatal(err)
		}
		local, err := tr.readF.means(fresh[k])
		if err != nil {
			t.Fatal(err)
		}
		var groups []candidate
		for i, center := range cs {
			groups = append(groups, candidate{center: center, floor: c.RadiusFloor * nearestOther(cs, i), distance: center.distance(means)})
		}
		best, merge := closest(groups, c)
		t.Logf("%s: %.2f of the radius that counts from its own center, %.1f from the other", tasks[k], groups[k].ratio(), groups[1-k].ratio())
		if best != k || !merge || groups[1-k].ratio() < 2*c.LambdaNew {
			t.Errorf("%s: nearest is %s, merge %v", tasks[k], tasks[best], merge)
		}
		if got := nearest(cs, local, false); got != k {
			t.Errorf("the agents take %s for %s", tasks[k], tasks[got])
		}
	}
}
