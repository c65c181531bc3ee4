package conform

import (
	"fmt"
	"math"
	"slices"

	"macpro/core"
	"macpro/core/rng"
)

// snapshot is what one lane shows after a call, with the actions that led
// there; transcript is an episode of them, the reset first.
type (
	snapshot struct {
		actions                    []int32
		obs, state                 []float32
		avail                      []uint8
		reward                     float32
		terminated, truncated, won bool
	}
	transcript []snapshot
)

// view copies a lane's rows of a frame. A reset writes no reward and no flags.
func view(s core.EnvSpec, f *core.Frame, lane int, actions []int32, reset bool) snapshot {
	v := snapshot{
		actions: slices.Clone(actions),
		obs:     slices.Clone(row(f.Obs, lane, s.Agents*s.ObsWidth)),
		state:   slices.Clone(row(f.State, lane, s.StateWidth)),
		avail:   slices.Clone(row(f.Avail, lane, s.Agents*s.Actions)),
	}
	if !reset {
		v.reward, v.terminated, v.truncated, v.won = f.Reward[lane], f.Terminated[lane], f.Truncated[lane], f.Won[lane]
	}
	return v
}

func row[T any](x []T, i, width int) []T { return x[i*width : (i+1)*width] }

func (v snapshot) ended() bool { return v.terminated || v.truncated }

// diff says where two episodes part, bit by bit.
func (a transcript) diff(b transcript) error {
	for t := range min(len(a), len(b)) {
		v, w := a[t], b[t]
		switch {
		case !sameBits(v.obs, w.obs):
			return fmt.Errorf("after %d steps: observations %v and %v", t, v.obs, w.obs)
		case !sameBits(v.state, w.state):
			return fmt.Errorf("after %d steps: states %v and %v", t, v.state, w.state)
		case !slices.Equal(v.avail, w.avail):
			return fmt.Errorf("after %d steps: masks %v and %v", t, v.avail, w.avail)
		case v.reward != w.reward || v.ended() != w.ended() || v.terminated != w.terminated || v.won != w.won:
			return fmt.Errorf("after %d steps: reward, terminated, truncated, won %v %v %v %v and %v %v %v %v", t,
				v.reward, v.terminated, v.truncated, v.won, w.reward, w.terminated, w.truncated, w.won)
		case !slices.Equal(v.actions, w.actions):
			return fmt.Errorf("after %d steps: the tester chose actions %v and %v", t, v.actions, w.actions)
		}
	}
	if len(a) != len(b) {
		return fmt.Errorf("lengths %d and %d", len(a)-1, len(b)-1)
	}
	return nil
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// choose fills a lane's joint action, uniformly among the available ones.
func choose(s *core.EnvSpec, f *core.Frame, lane int, r *rng.Stream, actions []int32) error {
	for i := range s.Agents {
		mask := row(row(f.Avail, lane, s.Agents*s.Actions), i, s.Actions)
		free := 0
		for _, m := range mask {
			free += int(m)
		}
		if free == 0 {
			return fmt.Errorf("lane %d, agent %d has no available action", lane, i)
		}
		k := r.Intn(free)
		for a, m := range mask {
			if k -= int(m); k < 0 {
				actions[lane*s.Agents+i] = int32(a)
				break
			}
		}
	}
	return nil
}

// play starts an episode in each listed lane and runs it for at most steps
// transitions. The actions of an episode follow from its seed, wherever it is
// played.
func play(e core.Env, f *core.Frame, lanes []int, seeds []uint64, steps int) ([]transcript, error) {
	if err := e.Reset(lanes, seeds, f); err != nil {
		return nil, err
	}
	return proceed(e, f, lanes, seeds, steps)
}

// proceed is play in lanes that were just reset.
func proceed(e core.Env, f *core.Frame, lanes []int, seeds []uint64, steps int) ([]transcript, error) {
	s := e.Spec()
	out := make([]transcript, len(lanes))
	draws := make([]rng.Stream, len(lanes))
	for i, l := range lanes {
		draws[i] = rng.FromSeed(^seeds[i])
		out[i] = transcript{view(s, f, l, nil, true)}
	}
	joint := make([]int32, len(f.Reward)*s.Agents)
	for t := range steps {
		var running []int
		for i, l := range lanes {
			if len(out[i]) != t+1 || out[i][t].ended() {
				continue
			}
			running = append(running, l)
			if err := choose(&s, f, l, &draws[i], joint); err != nil {
				return nil, fmt.Errorf("after %d steps: %w", t, err)
			}
		}
		if running == nil {
			break
		}
		if err := e.Step(running, joint, f); err != nil {
			return nil, err
		}
		for i, l := range lanes {
			if slices.Contains(running, l) {
				out[i] = append(out[i], view(s, f, l, row(joint, l, s.Agents), false))
			}
		}
	}
	return out, nil
}

// playAlone opens one lane and plays one whole episode in it.
func playAlone(p core.EnvPlugin, s core.Settings, task string, seed uint64) (transcript, error) {
	e, err := p.Open(task, 1, s)
	if err != nil {
		return nil, err
	}
	ts, err := play(e, core.NewFrame(e.Spec(), 1), []int{0}, []uint64{seed}, e.Spec().Limit)
	if err != nil {
		return nil, fmt.Errorf("task %q: %w", task, err)
	}
	return ts[0], e.Close()
}
