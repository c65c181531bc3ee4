package remote

import (
	"context"
	"errors"

	"macpro/core"
	"macpro/registry/remote/wire"
)

type envServer struct {
	plugin core.EnvPlugin
	envs   *table[*servedEnv]
}

// servedEnv is one open environment with the frame that it writes to.
type servedEnv struct {
	env    core.Env
	spec   core.EnvSpec
	frame  *core.Frame
	joint  []int32 // [lanes, n]
	listed []int
}

func (s *envServer) Tasks(_ context.Context, q *wire.Settings) (*wire.TaskList, error) {
	settings, err := wire.ToSettings(q)
	if err != nil {
		return nil, err
	}
	l, err := s.plugin.Tasks(settings)
	return wire.FromTasks(l), err
}

func (s *envServer) MaxLanes(_ context.Context, q *wire.Settings) (*wire.LaneLimit, error) {
	l, ok := s.plugin.(core.LaneLimiter)
	if !ok {
		return &wire.LaneLimit{}, nil
	}
	settings, err := wire.ToSettings(q)
	if err != nil {
		return nil, err
	}
	return &wire.LaneLimit{Lanes: int64(l.MaxLanes(settings))}, nil
}

func (s *envServer) Open(_ context.Context, q *wire.OpenRequest) (*wire.Opened, error) {
	settings, err := wire.ToSettings(q.Settings)
	if err != nil {
		return nil, err
	}
	e, err := s.plugin.Open(q.Task, int(q.Lanes), settings)
	if err != nil {
		return nil, err
	}
	spec := e.Spec()
	if err := spec.Check(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	x := &servedEnv{env: e, spec: spec, frame: core.NewFrame(spec, int(q.Lanes)), joint: make([]int32, int(q.Lanes)*spec.Agents)}
	return &wire.Opened{Env: s.envs.add(x), Spec: wire.FromSpec(spec)}, nil
}

func (s *envServer) Reset(_ context.Context, q *wire.ResetRequest) (*wire.Frames, error) {
	e, err := s.envs.get(q.Env)
	if err != nil {
		return nil, err
	}
	if err := e.env.Reset(e.lanes(q.Lanes), q.Seeds, e.frame); err != nil {
		return nil, err
	}
	return e.show(false)
}

func (s *envServer) Step(_ context.Context, q *wire.StepRequest) (*wire.Frames, error) {
	e, err := s.envs.get(q.Env)
	if err != nil {
		return nil, err
	}
	n := e.spec.Agents
	rows := make([]int32, len(q.Lanes)*n)
	if err := wire.Fill("actions", rows, q.Actions); err != nil {
		return nil, err
	}
	for i, l := range e.lanes(q.Lanes) {
		copy(e.joint[l*n:(l+1)*n], rows[i*n:])
	}
	if err := e.env.Step(e.listed, e.joint, e.frame); err != nil {
		return nil, err
	}
	return e.show(true)
}

func (s *envServer) Close(_ context.Context, q *wire.EnvRef) (*wire.Empty, error) {
	e, err := s.envs.drop(q.Env)
	if err != nil {
		return nil, err
	}
	return &wire.Empty{}, e.env.Close()
}

// lanes takes over the listed lanes of a call.
func (e *servedEnv) lanes(list []uint32) []int {
	e.listed = e.listed[:0]
	for _, l := range list {
		e.listed = append(e.listed, int(l))
	}
	return e.listed
}

// show gathers the rows of the listed lanes.
func (e *servedEnv) show(step bool) (*wire.Frames, error) {
	s, k, f := e.spec, len(e.listed), e.frame
	if err := f.Check(s, len(e.joint)/s.Agents); err != nil {
		return nil, err
	}
	obs, state, reward := make([]float32, 0, k*s.Agents*s.ObsWidth), make([]float32, 0, k*s.StateWidth), make([]float32, 0, k)
	out := &wire.Frames{Avail: make([]byte, 0, k*s.Agents*s.Actions)}
	row := func(l, width int) (int, int) { return l * width, (l + 1) * width }
	for _, l := range e.listed {
		i, j := row(l, s.Agents*s.ObsWidth)
		obs = append(obs, f.Obs[i:j]...)
		i, j = row(l, s.StateWidth)
		state = append(state, f.State[i:j]...)
		i, j = row(l, s.Agents*s.Actions)
		out.Avail = append(out.Avail, f.Avail[i:j]...)
		if step {
			reward = append(reward, f.Reward[l])
			out.Flags = append(out.Flags, flagsOf(f, l))
		}
	}
	out.Obs, out.State, out.Reward = wire.Bytes(obs), wire.Bytes(state), wire.Bytes(reward)
	return out, nil
}

func flagsOf(f *core.Frame, l int) byte {
	var b byte
	if f.Terminated[l] {
		b |= flagTerminated
	}
	if f.Truncated[l] {
		b |= flagTruncated
	}
	if f.Won[l] {
		b |= flagWon
	}
	return b
}
