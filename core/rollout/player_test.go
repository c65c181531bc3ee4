package rollout

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/core/rng"
)

func newLearner(t testing.TB, p mini.Learner, task string) *mini.Linear {
	t.Helper()
	env, err := mini.Env{}.Open(task, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.New(nil, env.Spec(), core.LearnerOptions{Source: rng.New(1), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return l.(*mini.Linear)
}

func newPlayer(t testing.TB, e mini.Env, l core.Learner, task string, lanes int) *Player {
	t.Helper()
	env, err := e.Open(task, lanes, nil)
	if err != nil {
		t.Fatal(err)
	}
	return NewPlayer(env, l, lanes)
}

func plan(episodes int, epsilon, sticky float64) *Plan {
	src := rng.New(7)
	return &Plan{Episodes: episodes, Env: src.Child("env").Stream(), Explore: src.Child("explore").Stream(),
		Epsilon: epsilon, Sticky: sticky, Task: 2, Head: 5}
}

// play returns a copy of all episodes.
func play(t testing.TB, p *Player, pl *Plan) []*episode.Episode {
	t.Helper()
	var eps []*episode.Episode
	err := p.Play(pl, func(i int, e *episode.Episode, _ []int32) error {
		if i != len(eps) {
			t.Errorf("episode %d came as number %d", i, len(eps))
		}
		c := new(episode.Episode)
		c.CopyFrom(e)
		eps = append(eps, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return eps
}

func same(a, b *episode.Episode) bool {
	return fmt.Sprint(*a) == fmt.Sprint(*b)
}

func TestLanesDoNotChangeEpisodes(t *testing.T) {
	const episodes = 23
	l := newLearner(t, mini.Learner{}, "first")
	want := play(t, newPlayer(t, mini.Env{}, l, "first", 1), plan(episodes, 0.4, 0.5))
	lengths := map[int]bool{}
	for _, lanes := range []int{2, 8, 23, 40} {
		got := play(t, newPlayer(t, mini.Env{}, l, "first", lanes), plan(episodes, 0.4, 0.5))
		if len(got) != episodes {
			t.Fatalf("%d lanes: %d episodes, want %d", lanes, len(got), episodes)
		}
		for i := range got {
			if !same(want[i], got[i]) {
				t.Fatalf("%d lanes, episode %d:\n%v\n%v", lanes, i, *got[i], *want[i])
			}
			if err := got[i].Check(); err != nil {
				t.Fatal(err)
			}
			if got[i].Task != 2 || got[i].Head != 5 || got[i].Index != int64(i) {
				t.Errorf("episode %d: task %d, head %d, index %d", i, got[i].Task, got[i].Head, got[i].Index)
			}
			lengths[got[i].T] = true
		}
	}
	if len(lengths) < 5 {
		t.Errorf("only the lengths %v occurred", lengths)
	}
}

func TestRowsAreTheSumOfLengths(t *testing.T) {
	l := newLearner(t, mini.Learner{}, "first")
	p := newPlayer(t, mini.Env{}, l, "first", 8)
	steps := 0
	for _, e := range play(t, p, plan(20, 0, 0)) {
		steps += e.T
	}
	if want := int64(steps * 2); l.Rows != want {
		t.Errorf("the network computed %d rows, the episodes hold %d", l.Rows, want)
	}
}

// A lane that ends must not shift another lane's recurrent state or heads.
func TestCompactionKeepsHiddenAndHeads(t *testing.T) {
	l := newLearner(t, mini.Learner{}, "first")
	for range 3 {
		if _, err := l.NewHead(core.HeadReset); err != nil {
			t.Fatal(err)
		}
	}
	heads := make([]int32, 30*2)
	for i := range heads {
		heads[i] = int32(i*7%4) - 1
	}
	record := func(lanes int) (eps []*episode.Episode, acted []int32) {
		pl := plan(30, 0, 0)
		pl.Heads = heads
		err := newPlayer(t, mini.Env{}, l, "first", lanes).Play(pl, func(_ int, e *episode.Episode, h []int32) error {
			c := new(episode.Episode)
			c.CopyFrom(e)
			eps, acted = append(eps, c), append(acted, h...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return eps, acted
	}
	alone, _ := record(1)
	beside, acted := record(30)
	for i := range alone {
		if !same(alone[i], beside[i]) {
			t.Errorf("episode %d differs", i)
		}
	}
	if !slices.Equal(acted, heads) {
		t.Errorf("heads that acted %v, planned %v", acted, heads)
	}
}

// switching uses saved head t%2 at time t, and checks what it is shown.
type switching struct {
	core.Unwatched
	t    *testing.T
	seen map[int]int
}

func (s *switching) StepHeads(v *core.StepView, heads []int32) error {
	n := v.Spec.Agents
	if len(heads) != len(v.Episodes)*n || len(v.Obs) != len(heads)*v.Spec.ObsWidth || len(v.State) != len(v.Episodes)*v.Spec.StateWidth ||
		len(v.Avail) != len(heads)*v.Spec.Actions || len(v.Hidden) != len(heads) || len(v.Last) != len(heads) || len(v.Reward) != len(v.Episodes) {
		s.t.Errorf("step %d: shapes of the view do not match %d episodes", v.T, len(v.Episodes))
	}
	for i, e := range v.Episodes {
		if v.T == 0 && v.Reward[i] != 0 {
			s.t.Errorf("episode %d begins with a reward of %v", e, v.Reward[i])
		}
		if s.seen[e] != v.T {
			s.t.Errorf("episode %d is shown step %d after %d", e, v.T, s.seen[e])
		}
		s.seen[e]++
		for k := range n {
			if (v.Last[i*n+k] == -1) != (v.T == 0) {
				s.t.Errorf("last action %d at step %d", v.Last[i*n+k], v.T)
			}
			if got := v.Obs[(i*n+k)*v.Spec.ObsWidth+1] * mini.Limit; got != float32(v.T) {
				s.t.Errorf("episode %d shows time %v at step %d", e, got, v.T)
			}
		}
	}
	for i := range heads {
		heads[i] = int32(v.T % 2)
	}
	return nil
}

// stale leaves the rewards of earlier episodes in the frame at a reset, as it may.
type stale struct{ core.Env }

func (e stale) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	err := e.Env.Reset(lanes, seeds, f)
	for _, k := range lanes {
		f.Reward[k] = 9
	}
	return err
}

func TestStepperChoosesAtEveryStep(t *testing.T) {
	l := newLearner(t, mini.Learner{}, "first")
	for range 2 {
		if _, err := l.NewHead(core.HeadReset); err != nil {
			t.Fatal(err)
		}
	}
	s := &switching{t: t, seen: map[int]int{}}
	pl := plan(12, 0, 0)
	pl.Stepper = s
	var total, steps int
	env, err := mini.Env{}.Open("first", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = NewPlayer(stale{env}, l, 5).Play(pl, func(i int, e *episode.Episode, heads []int32) error {
		steps += e.T
		if want := int32((e.T - 1) % 2); heads[0] != want || heads[1] != want {
			t.Errorf("episode %d of %d steps ended with heads %v", i, e.T, heads)
		}
		return nil
	})
	for _, n := range s.seen {
		total += n
	}
	if err != nil || total != steps {
		t.Errorf("the stepper was asked %d times in %d steps: %v", total, steps, err)
	}
}

func TestLeanEpisodesHoldWhatIsScored(t *testing.T) {
	l := newLearner(t, mini.Learner{}, "first")
	full := play(t, newPlayer(t, mini.Env{}, l, "first", 4), plan(9, 0.5, 0))
	pl := plan(9, 0.5, 0)
	pl.Lean = true
	i := 0
	err := newPlayer(t, mini.Env{}, l, "first", 4).Play(pl, func(_ int, e *episode.Episode, _ []int32) error {
		f := full[i]
		if e.T != f.T || e.Return() != f.Return() || e.Won != f.Won || e.Terminated != f.Terminated || e.Seed != f.Seed {
			t.Errorf("episode %d differs", i)
		}
		if len(e.Obs)+len(e.State)+len(e.Avail)+len(e.Actions) != 0 {
			t.Errorf("episode %d holds more than rewards", i)
		}
		i++
		return nil
	})
	if err != nil || i != 9 {
		t.Errorf("%d episodes: %v", i, err)
	}
}

func TestFaultsAreNamed(t *testing.T) {
	for _, c := range []struct {
		env     mini.Env
		learner mini.Learner
		want    []string
	}{
		{mini.Env{BlankAt: 3}, mini.Learner{}, []string{"mini third", "step 3", "agent 1 has no available action", "seed 0x"}},
		{mini.Env{ShortAt: 2}, mini.Learner{}, []string{"mini third", "step 1", "0 values in Reward, want 3"}},
		{mini.Env{}, mini.Learner{BlindAt: 4}, []string{"mini third", "step 3", "not finite"}},
		{mini.Env{NoEnd: true}, mini.Learner{}, []string{"mini third", "limit of 8 steps"}},
	} {
		l := newLearner(t, c.learner, "third")
		err := newPlayer(t, c.env, l, "third", 3).Play(plan(3, 0, 0), func(int, *episode.Episode, []int32) error { return nil })
		for _, w := range c.want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%+v %+v: %v, want %q", c.env, c.learner, err, w)
			}
		}
	}
	l := newLearner(t, mini.Learner{}, "first")
	p := newPlayer(t, mini.Env{}, l, "first", 2)
	short := plan(3, 0, 0)
	short.Heads = make([]int32, 5)
	if err := p.Play(short, nil); err == nil || !strings.Contains(err.Error(), "5 heads for 3 episodes of 2 agents") {
		t.Errorf("five heads: %v", err)
	}
	blind := plan(3, 0.1, 0)
	blind.Explore = nil
	if err := p.Play(blind, nil); err == nil || !strings.Contains(err.Error(), "needs a stream") {
		t.Errorf("no stream: %v", err)
	}
}

func TestCollectionDoesNotAllocate(t *testing.T) {
	l := newLearner(t, mini.Learner{}, "first")
	for _, lanes := range []int{1, 6} {
		p := newPlayer(t, mini.Env{}, l, "first", lanes)
		pl := plan(lanes, 0.3, 0.5)
		sum := 0
		each := func(_ int, e *episode.Episode, _ []int32) error { sum += e.T; return nil }
		round := func() {
			if err := p.Play(pl, each); err != nil {
				t.Fatal(err)
			}
		}
		round()
		if n := testing.AllocsPerRun(50, round); n != 0 || sum == 0 {
			t.Errorf("%d lanes: %v allocations in %d steps", lanes, n, sum)
		}
	}
}

func TestGreedy(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		q     []float32
		avail []uint8
		best  int
		count int
	}{
		{[]float32{1, 3, 3, 2}, []uint8{1, 1, 1, 1}, 1, 4},
		{[]float32{1, 3, 3, 2}, []uint8{1, 0, 1, 1}, 2, 3},
		{[]float32{0, -1e12, 0, 0}, []uint8{0, 1, 0, 0}, 1, 1},
		{[]float32{nan, 1, inf, 2}, []uint8{0, 1, 0, 1}, 3, 2},
		{[]float32{nan, 1, 0, 2}, []uint8{1, 1, 0, 1}, -1, 3},
		{[]float32{0, inf, 0, 2}, []uint8{1, 1, 0, 1}, -1, 3},
		{[]float32{1, 1, 1, 1}, []uint8{0, 0, 0, 0}, -1, 0},
	} {
		if best, count := greedy(c.q, c.avail); best != c.best || count != c.count {
			t.Errorf("%v with %v: action %d of %d, want %d of %d", c.q, c.avail, best, count, c.best, c.count)
		}
	}
}

func TestExploreIsUniformAndSticky(t *testing.T) {
	const draws = 40000
	avail := []uint8{1, 0, 1, 1, 0}
	for _, c := range []struct {
		sticky float64
		last   int32
		want   [5]float64
	}{
		{0, 2, [5]float64{1. / 3, 0, 1. / 3, 1. / 3, 0}},
		{0.8, -1, [5]float64{1. / 3, 0, 1. / 3, 1. / 3, 0}},
		{0.8, 1, [5]float64{1. / 3, 0, 1. / 3, 1. / 3, 0}},
		{0.8, 2, [5]float64{0.2 / 3, 0, 0.8 + 0.2/3, 0.2 / 3, 0}},
		{1, 3, [5]float64{0, 0, 0, 1, 0}},
	} {
		draw := rng.New(3).Stream()
		var count [5]float64
		for range draws {
			count[explore(draw, avail, 3, c.sticky, c.last)]++
		}
		for a, want := range c.want {
			sd := math.Sqrt(draws * want * (1 - want))
			if math.Abs(count[a]-draws*want) > 4.5*sd {
				t.Errorf("sticky %v after %d: action %d came %v times, want %v +- %v", c.sticky, c.last, a, count[a], draws*want, sd)
			}
		}
	}
}

func TestUnavailableActionsAreNeverTaken(t *testing.T) {
	l := newLearner(t, mini.Learner{}, "trio")
	for _, epsilon := range []float64{0, 0.5, 1} {
		for _, e := range play(t, newPlayer(t, mini.Env{}, l, "trio", 16), plan(500, epsilon, 0.5)) {
			for i, a := range e.Actions {
				if e.Avail[i*e.A+int(a)] == 0 {
					t.Fatalf("epsilon %v: action %d taken", epsilon, a)
				}
			}
		}
	}
}

func BenchmarkCollect(b *testing.B) {
	for _, lanes := range []int{1, 32} {
		b.Run(fmt.Sprintf("lanes=%d", lanes), func(b *testing.B) {
			p := newPlayer(b, mini.Env{}, newLearner(b, mini.Learner{}, "first"), "first", lanes)
			pl := plan(lanes, 0.05, 0)
			steps := 0
			each := func(_ int, e *episode.Episode, _ []int32) error { steps += e.T; return nil }
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Play(pl, each); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
		})
	}
}
