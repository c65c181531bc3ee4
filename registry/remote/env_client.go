package remote

import (
	"fmt"

	"macpro/core"
	"macpro/core/memory"
	"macpro/registry/remote/process"
	"macpro/registry/remote/wire"
)

type envPlugin struct{ *host }

var (
	_ core.EnvPlugin   = (*envPlugin)(nil)
	_ core.LaneLimiter = (*envPlugin)(nil)
	_ Plugin           = (*envPlugin)(nil)
)

// Tasks lists the family's tasks.
func (p *envPlugin) Tasks(s core.Settings) (core.TaskList, error) {
	proc, err := p.started()
	if err != nil {
		return core.TaskList{}, err
	}
	q, err := wire.FromSettings(s)
	if err != nil {
		return core.TaskList{}, err
	}
	a, err := ask(toPlugin{proc: proc}, "Tasks", wire.NewEnvClient(proc.Conn()).Tasks, q)
	if err != nil {
		return core.TaskList{}, err
	}
	l := wire.ToTasks(a)
	if err := l.Check(); err != nil {
		return core.TaskList{}, proc.Fault("Tasks", err)
	}
	return l, nil
}

// MaxLanes asks a plugin that has the ability; any other takes any number. What
// fails here fails once more in Open, which can say so.
func (p *envPlugin) MaxLanes(s core.Settings) int {
	proc, err := p.started()
	if err != nil || !p.can(abilityMaxLanes) {
		return 0
	}
	q, err := wire.FromSettings(s)
	if err != nil {
		return 0
	}
	a, err := ask(toPlugin{proc: proc}, "MaxLanes", wire.NewEnvClient(proc.Conn()).MaxLanes, q)
	if err != nil {
		return 0
	}
	return int(min(a.Lanes, core.MaxLanes))
}

// Open makes lanes instances of one task.
func (p *envPlugin) Open(task string, lanes int, s core.Settings) (core.Env, error) {
	if err := core.InRange("the number of lanes", int64(lanes), 1, core.MaxLanes); err != nil {
		return nil, fmt.Errorf("%s %s: %w", p.launch.Info.Name, task, err)
	}
	proc, err := p.started()
	if err != nil {
		return nil, err
	}
	settings, err := wire.FromSettings(s)
	if err != nil {
		return nil, err
	}
	e := &env{link: toPlugin{proc: proc}, calls: wire.NewEnvClient(proc.Conn()), lanes: lanes}
	a, err := ask(e.link, "Open", e.calls.Open, &wire.OpenRequest{Task: task, Lanes: uint32(lanes), Settings: settings})
	if err != nil {
		return nil, err
	}
	e.id, e.spec = a.Env, wire.ToSpec(a.Spec)
	if err = e.spec.Check(); err == nil {
		err = e.fits()
	}
	if err != nil {
		_ = e.Close() // the fault counts
		return nil, e.link.fault("Open", err)
	}
	return e, nil
}

// env is a vector of instances in the plugin's process.
type env struct {
	link  toPlugin
	calls wire.EnvClient
	id    uint64
	spec  core.EnvSpec
	lanes int

	// What a call sends; kept for the next one.
	reset wire.ResetRequest
	step  wire.StepRequest
	joint []int32 // rows of the listed lanes
}

// fits is an error if what the lanes show at once is more than a message holds.
func (e *env) fits() error {
	bytes := float64(e.lanes) * e.spec.RecordBytes()
	if bytes > process.MaxMessage {
		return fmt.Errorf("task %q: %d lanes with %d agents, %d actions, observations of %d and a state of %d show %s at once, want at most %s: use fewer lanes (envs_per_rollout)",
			e.spec.Task, e.lanes, e.spec.Agents, e.spec.Actions, e.spec.ObsWidth, e.spec.StateWidth, memory.Size(bytes), memory.Size(process.MaxMessage))
	}
	return nil
}

func (e *env) Spec() core.EnvSpec { return e.spec }

// Close closes the instances. Those of a process that has ended are gone: that
// was the error of another call.
func (e *env) Close() error {
	if e.link.proc.Ended() {
		return nil
	}
	_, err := ask(e.link, "Close", e.calls.Close, &wire.EnvRef{Env: e.id})
	return err
}

func (e *env) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	if len(seeds) != len(lanes) {
		return e.errorf("%d seeds for %d lanes", len(seeds), len(lanes))
	}
	q := &e.reset
	if err := e.list(lanes, f, &q.Lanes); err != nil {
		return err
	}
	q.Env, q.Seeds = e.id, seeds
	a, err := ask(e.link, "Reset", e.calls.Reset, q)
	if err != nil {
		return err
	}
	return e.take("Reset", lanes, a, f, false)
}

func (e *env) Step(lanes []int, actions []int32, f *core.Frame) error {
	n := e.spec.Agents
	if len(actions) != e.lanes*n {
		return e.errorf("%d actions for %d lanes of %d agents", len(actions), e.lanes, n)
	}
	q := &e.step
	if err := e.list(lanes, f, &q.Lanes); err != nil {
		return err
	}
	e.joint = e.joint[:0]
	for _, l := range lanes {
		e.joint = append(e.joint, actions[l*n:(l+1)*n]...)
	}
	q.Env, q.Actions = e.id, wire.Bytes(e.joint)
	a, err := ask(e.link, "Step", e.calls.Step, q)
	if err != nil {
		return err
	}
	return e.take("Step", lanes, a, f, true)
}

// list checks a call's lanes and frame and writes the lanes in the wire's form.
func (e *env) list(lanes []int, f *core.Frame, out *[]uint32) error {
	if err := f.Check(e.spec, e.lanes); err != nil {
		return e.errorf("%w", err)
	}
	*out = (*out)[:0]
	for _, l := range lanes {
		if l < 0 || l >= e.lanes {
			return e.errorf("lane %d is not one of 0 to %d", l, e.lanes-1)
		}
		*out = append(*out, uint32(l))
	}
	return nil
}

func (e *env) errorf(format string, args ...any) error {
	return fmt.Errorf("%s %s: %w", e.spec.Env, e.spec.Task, fmt.Errorf(format, args...))
}
