package rollout

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/core/rng"
)

func TestServiceCountsByPurpose(t *testing.T) {
	l := newLearner(t, mini.Learner{}, "first")
	for range 2 {
		if _, err := l.NewHead(core.HeadReset); err != nil {
			t.Fatal(err)
		}
	}
	pool := &Pool{Plugin: mini.Env{}, Learner: l}
	s := NewService(pool, []string{"first", "trio"})
	run := func(task, purpose string, n int, heads []int32) int64 {
		eps, err := s.Run(core.RolloutRequest{Task: task, Purpose: purpose, Episodes: n, Heads: heads, Epsilon: 0.3, Source: rng.New(4)})
		if err != nil {
			t.Fatal(err)
		}
		if len(eps) != n {
			t.Fatalf("%d episodes, want %d", len(eps), n)
		}
		steps := int64(0)
		for i, e := range eps {
			if err := e.Check(); err != nil {
				t.Fatal(err)
			}
			steps += int64(e.T)
			if heads != nil && e.Head != int(heads[i*e.N]) {
				t.Errorf("episode %d carries head %d", i, e.Head)
			}
		}
		return steps
	}
	heads := make([]int32, 100*3)
	for i := range heads {
		heads[i] = int32(i/3) % 2
	}
	a := run("trio", "identify", 100, heads) // more than there are lanes
	b := run("first", "probe", 3, nil)
	c := run("late", "probe", 2, nil)
	got := s.Counts()
	if got["identify"] != (Count{100, a}) || got["probe"] != (Count{5, b + c}) || len(got) != 2 {
		t.Errorf("counts %v, want identify %d and probe %d steps", got, a, b+c)
	}
	if l.Task() != "first" {
		t.Errorf("rollouts have set the learner to task %s", l.Task())
	}
	eps, _ := s.Run(core.RolloutRequest{Task: "trio", Purpose: "probe", Episodes: 1, Source: rng.New(4)})
	out, _ := s.Run(core.RolloutRequest{Task: "late", Purpose: "probe", Episodes: 1, Source: rng.New(4)})
	if eps[0].Task != 1 || out[0].Task != -1 {
		t.Errorf("task indices %d and %d, want 1 and -1", eps[0].Task, out[0].Task)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestServiceRefuses(t *testing.T) {
	l := newLearner(t, mini.Learner{}, "first")
	s := NewService(&Pool{Plugin: mini.Env{}, Learner: l}, nil)
	for want, r := range map[string]core.RolloutRequest{
		`did you mean "first"`:  {Task: "frist", Purpose: "probe", Episodes: 1},
		"at least one":          {Task: "first", Purpose: "probe"},
		"a name":                {Task: "first", Episodes: 1},
		"head 0 does not exist": {Task: "first", Purpose: "probe", Episodes: 1, Heads: []int32{0, -1}},
		"3 heads for 1":         {Task: "first", Purpose: "probe", Episodes: 1, Heads: []int32{-1, -1, -1}},
	} {
		r.Source = rng.New(1)
		if _, err := s.Run(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", r, err, want)
		}
	}
}

// heavy is an environment of which at most two instances can be had.
type heavy struct{ mini.Env }

func (heavy) MaxLanes(core.Settings) int { return 2 }

func (h heavy) Open(task string, lanes int, s core.Settings) (core.Env, error) {
	if lanes > 2 {
		return nil, fmt.Errorf("%d lanes", lanes)
	}
	return h.Env.Open(task, lanes, s)
}

// Episodes wait for their turn where lanes are few, and are the same ones.
func TestFewLanes(t *testing.T) {
	var runs [2][]*episode.Episode
	for i, env := range []core.EnvPlugin{heavy{}, mini.Env{}} {
		pool := &Pool{Plugin: env, Learner: newLearner(t, mini.Learner{}, "first")}
		for _, wanted := range []int{1, 7, 9} {
			p, err := pool.Player("first", wanted)
			if err != nil {
				t.Fatal(err)
			}
			if want := [2]int{min(wanted, 2), wanted}[i]; p.Lanes() != want {
				t.Errorf("%T: %d lanes of %d, want %d", env, p.Lanes(), wanted, want)
			}
		}
		var err error
		runs[i], err = NewService(pool, nil).Run(core.RolloutRequest{Task: "first", Purpose: "probe", Episodes: 7, Epsilon: 0.5, Source: rng.New(4)})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(runs[0], runs[1]) {
		t.Error("episodes in waves of two differ from those side by side")
	}
}
