package lanes

import (
	"strings"
	"testing"

	"macpro/core"
)

func guard(t *testing.T) (*Guard, *core.Frame) {
	t.Helper()
	spec := core.EnvSpec{Env: "toy", Task: "one", Agents: 2, Actions: 3, ObsWidth: 1, StateWidth: 1, Limit: 2}
	g, err := New(spec, 2)
	if err != nil {
		t.Fatal(err)
	}
	return g, core.NewFrame(spec, 2)
}

func TestGuardRefuses(t *testing.T) {
	g, f := guard(t)
	if err := g.Reset([]int{0}, []uint64{1}, f); err != nil {
		t.Fatal(err)
	}
	small := core.NewFrame(g.Spec(), 1)
	mask := []uint8{1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1}
	for want, err := range map[string]error{
		"1 seeds for 2 lanes":           g.Reset([]int{0, 1}, []uint64{1}, f),
		"lane 2 is not one of 0 to 1":   g.Reset([]int{2}, []uint64{1}, f),
		"lane 0 is listed twice":        g.Step([]int{0, 0}, make([]int32, 4), nil, f),
		"the frame has 2 values in Obs": g.Step([]int{0}, make([]int32, 4), nil, small),
		"without a frame: there is no":  prefix("without a frame: ", g.Step([]int{0}, make([]int32, 4), nil, nil)),
		"3 actions for 2 lanes":         g.Step([]int{0}, make([]int32, 3), nil, f),
		"lane 1 has no running episode": g.Step([]int{1}, make([]int32, 4), nil, f),
		"lane 0, agent 1: action 3":     g.Step([]int{0}, []int32{0, 3, 0, 0}, nil, f),
		"lane 0, agent 1: action 1":     g.Step([]int{0}, []int32{0, 1, 0, 0}, mask, f),
	} {
		if err == nil || !strings.Contains(prefix("", err).Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if _, err := New(g.Spec(), 0); err == nil {
		t.Error("accepted no lanes")
	}
}

type text string

func (e text) Error() string { return string(e) }

// prefix drops the "env task: " of a message and puts another in its place.
func prefix(p string, err error) error {
	return text(p + strings.TrimPrefix(err.Error(), "toy one: "))
}

func TestFinishEndsEpisodesOnce(t *testing.T) {
	g, f := guard(t)
	if err := g.Reset([]int{0, 1}, []uint64{1, 2}, f); err != nil {
		t.Fatal(err)
	}
	g.Finish(0, 0, false, false, f)
	if f.Truncated[0] || f.Terminated[0] || g.clock[0] == idle {
		t.Error("ended before its limit")
	}
	g.Finish(0, 1, true, true, f)
	if !f.Terminated[0] || f.Truncated[0] || !f.Won[0] || f.Reward[0] != 1 || g.clock[0] != idle {
		t.Error("a terminal state at the limit is terminal only")
	}
	g.Finish(1, 0, false, false, f)
	g.Finish(1, 0, false, false, f)
	if f.Terminated[1] || !f.Truncated[1] || g.clock[1] != idle {
		t.Error("not cut at the limit")
	}
}

func TestHashSeesEveryPart(t *testing.T) {
	base := Hash(core.Info{Name: "e", Version: "1"}, "t", []core.Param{{Name: "a", Value: "1"}})
	for name, h := range map[string]string{
		"env":     Hash(core.Info{Name: "f", Version: "1"}, "t", []core.Param{{Name: "a", Value: "1"}}),
		"version": Hash(core.Info{Name: "e", Version: "2"}, "t", []core.Param{{Name: "a", Value: "1"}}),
		"task":    Hash(core.Info{Name: "e", Version: "1"}, "u", []core.Param{{Name: "a", Value: "1"}}),
		"name":    Hash(core.Info{Name: "e", Version: "1"}, "t", []core.Param{{Name: "b", Value: "1"}}),
		"value":   Hash(core.Info{Name: "e", Version: "1"}, "t", []core.Param{{Name: "a", Value: "2"}}),
	} {
		if h == base || len(h) != 64 {
			t.Errorf("%s does not count", name)
		}
	}
}
