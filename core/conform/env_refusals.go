package conform

import (
	"fmt"
	"slices"
	"strings"

	"macpro/core"
)

// checkRefusals: a call that cannot be served is refused with an error that
// says where, and changes nothing.
func checkRefusals(p core.EnvPlugin, s core.Settings) error {
	return forTraining(p, s, func(task string) error {
		want, err := playAlone(p, s, task, 41)
		if err != nil {
			return err
		}
		e, err := p.Open(task, 3, s)
		if err != nil {
			return err
		}
		f := core.NewFrame(e.Spec(), 3)
		if err := e.Step([]int{1}, make([]int32, 3*e.Spec().Agents), f); err == nil {
			return fmt.Errorf("a step before the first reset was accepted")
		}
		if err := e.Reset([]int{0, 1, 2}, []uint64{40, 41, 42}, f); err != nil {
			return err
		}
		if err := refuseAll(e, f); err != nil {
			return err
		}
		got, err := proceed(e, f, []int{1}, []uint64{41}, e.Spec().Limit)
		if err != nil {
			return err
		}
		if err := want.diff(got[0]); err != nil {
			return fmt.Errorf("refused calls changed the episode: %w", err)
		}
		if err := e.Step([]int{1}, joint(e.Spec(), f), f); err == nil {
			return fmt.Errorf("a step after the episode's end was accepted")
		}
		return e.Close()
	})
}

// refusal is a call with one fault and what its error must mention.
type refusal struct {
	what  string
	err   error
	names []string
}

// refuseAll makes every faulty call on three running lanes.
func refuseAll(e core.Env, f *core.Frame) error {
	s := e.Spec()
	legal, last := joint(s, f), s.Agents-1
	with := func(action int32) []int32 {
		a := slices.Clone(legal)
		a[2*s.Agents+last] = action
		return a
	}
	where := func(a int) []string {
		return []string{"lane 2", fmt.Sprintf("agent %d", last), fmt.Sprintf("action %d", a)}
	}
	all, seeds := []int{0, 1, 2}, []uint64{1, 2, 3}
	calls := []refusal{
		{"an action too large", e.Step(all, with(int32(s.Actions)), f), where(s.Actions)},
		{"a negative action", e.Step(all, with(-1), f), where(-1)},
		{"a lane too large", e.Step([]int{1, 3}, legal, f), []string{"lane 3"}},
		{"a negative lane", e.Step([]int{1, -1}, legal, f), []string{"lane -1"}},
		{"too few actions", e.Step(all, legal[:len(legal)-1], f), nil},
		{"a frame of fewer lanes", e.Step(all, legal, core.NewFrame(s, 2)), nil},
		{"a reset of a lane too large", e.Reset([]int{1, 3}, []uint64{1, 2}, f), []string{"lane 3"}},
		{"a reset with too few seeds", e.Reset(all, seeds[:2], f), nil},
		{"a reset into a frame of fewer lanes", e.Reset(all, seeds, core.NewFrame(s, 2)), nil},
	}
	if a := slices.Index(row(f.Avail, 3*s.Agents-1, s.Actions), 0); a >= 0 {
		calls = append(calls, refusal{"an unavailable action", e.Step(all, with(int32(a)), f), where(a)})
	}
	for _, c := range calls {
		if c.err == nil {
			return fmt.Errorf("%s was accepted", c.what)
		}
		for _, name := range c.names {
			if !strings.Contains(c.err.Error(), name) {
				return fmt.Errorf("the error for %s does not mention %q: %w", c.what, name, c.err)
			}
		}
	}
	return nil
}

// joint is the first available action of every agent in every lane.
func joint(s core.EnvSpec, f *core.Frame) []int32 {
	a := make([]int32, len(f.Reward)*s.Agents)
	for i := range a {
		a[i] = int32(max(0, slices.Index(row(f.Avail, i, s.Actions), 1)))
	}
	return a
}
