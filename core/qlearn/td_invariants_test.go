package qlearn_test

import (
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

func TestTargetsByHand(t *testing.T) {
	for _, c := range []struct {
		name                  string
		reward, next          []float32
		terminated, onTimeout bool
		r                     qlearn.Returns
		want                  []float64
	}{
		{"one step, terminal", []float32{0, 1}, []float32{5, 9}, true, true, qlearn.Returns{Gamma: 0.9}, []float64{4.5, 1}},
		{"one step, cut with bootstrap", []float32{0, 1}, []float32{5, 9}, false, true, qlearn.Returns{Gamma: 0.9}, []float64{4.5, 9.1}},
		{"one step, cut without bootstrap", []float32{0, 1}, []float32{5, 9}, false, false, qlearn.Returns{Gamma: 0.9}, []float64{4.5, 1}},
		// y3 = 4 + .5*8 = 8, y2 = 3 + .5*(.2*6+.8*8) = 6.8,
		// y1 = 2 + .5*(.2*4+.8*6.8) = 5.12, y0 = 1 + .5*(.2*2+.8*5.12) = 3.248
		{"lambda, cut with bootstrap", []float32{1, 2, 3, 4}, []float32{2, 4, 6, 8}, false, true, qlearn.Returns{Gamma: 0.5, Lambda: 0.8}, []float64{3.248, 5.12, 6.8, 8}},
		// y3 = 4, y2 = 3 + .5*(.2*6+.8*4) = 5.2, y1 = 2 + .5*(.8+.8*5.2) = 4.48,
		// y0 = 1 + .5*(.4+.8*4.48) = 2.992
		{"lambda, terminal", []float32{1, 2, 3, 4}, []float32{2, 4, 6, 8}, true, true, qlearn.Returns{Gamma: 0.5, Lambda: 0.8}, []float64{2.992, 4.48, 5.2, 4}},
		{"lambda 1 is the return", []float32{1, 1, 1}, []float32{7, 7, 7}, true, true, qlearn.Returns{Gamma: 0.5, Lambda: 1}, []float64{1.75, 1.5, 1}},
	} {
		got := qlearn.Targets(c.reward, c.next, c.terminated, c.onTimeout, c.r)
		if d := worst(got, c.want); d > 1e-6 {
			t.Errorf("%s: targets %v, want %v", c.name, got, c.want)
		}
	}
}

// The targets of a batch are those of its episodes one by one, whatever their
// lengths and the shard they are dealt to.
func TestTargetsOfABatch(t *testing.T) {
	spec := qlearntest.Spec(2)
	for _, onTimeout := range []bool{false, true} {
		l := learner(t, "qmix", spec, with("td_lambda", 0.7, "gamma", 0.9, "bootstrap_on_timeout", onTimeout), 2)
		eps := qlearntest.Episodes(rng.New(1).Stream(), spec, 9)
		train(t, l, eps)
		next, target := map[int64][]float32{}, map[int64][]float32{}
		for _, k := range l.LastStep() { // in order of time within an episode
			next[k.Episode] = append(next[k.Episode], k.NextQTot)
			target[k.Episode] = append(target[k.Episode], k.Target)
		}
		for _, e := range eps {
			want := qlearn.Targets(e.Reward, next[e.Index], e.Terminated, onTimeout, qlearn.Returns{Gamma: 0.9, Lambda: 0.7})
			if !slices.Equal(target[e.Index], want) {
				t.Errorf("episode %d of length %d: targets %v, alone %v", e.Index, e.T, target[e.Index], want)
			}
		}
	}
}

// A truncated episode of 3 steps and a full one of 10: no value of a record
// that does not exist may reach the loss, which is the sum over both episodes
// alone. The short one counts exactly 3 transitions, the last of which uses the
// value of record 3.
func TestShortEpisodeInALongBatch(t *testing.T) {
	spec := qlearntest.Spec(2)
	spec.Limit = 10
	s := rng.New(2).Stream()
	short, long := qlearntest.Episode(s, spec, 3, 0), qlearntest.Episode(s, spec, 10, 1)
	short.Terminated, long.Terminated = false, false
	for _, mixer := range []string{"vdn", "qmix", "qplex"} {
		loss := func(eps ...*episode.Episode) (float64, []qlearn.Transition) {
			l := learner(t, mixer, spec, with("bootstrap_on_timeout", true), 2)
			st := train(t, l, eps)
			if st.TDAbs > 1e3 {
				t.Errorf("%s: mean TD error %v", mixer, st.TDAbs)
			}
			return st.TDLoss * float64(len(l.LastStep())), l.LastStep()
		}
		both, all := loss(short, long)
		a, own := loss(short)
		b, _ := loss(long)
		if math.Abs(both-a-b) > 1e-5*both {
			t.Errorf("%s: loss of the batch %v, of its episodes %v + %v", mixer, both, a, b)
		}
		if len(own) != 3 || len(all) != 13 {
			t.Errorf("%s: %d and %d transitions, want 3 and 13", mixer, len(own), len(all))
		}
		if last := own[2]; last.Target != float32(float64(short.Reward[2])+0.99*float64(last.NextQTot)) {
			t.Errorf("%s: the last target is %v for reward %v and next value %v", mixer, last.Target, short.Reward[2], last.NextQTot)
		}
	}
}

// beyond copies x into a larger array that is filled with something behind it.
func beyond[E any](x, fill []E) []E {
	return append(slices.Clone(x), slices.Repeat(fill, 100)...)[:len(x)]
}

// Memory beyond an episode's records and what a larger batch left behind must
// not change a bit, be it NaN.
func TestNothingBeyondTheRecordsIsRead(t *testing.T) {
	spec := qlearntest.Spec(3)
	s := rng.New(3).Stream()
	eps := qlearntest.Episodes(s, spec, 5)
	nan := []float32{float32(math.NaN())}
	var padded []*episode.Episode
	for _, e := range eps {
		p := *e
		p.Obs, p.State, p.Reward = beyond(e.Obs, nan), beyond(e.State, nan), beyond(e.Reward, nan)
		p.Avail, p.Actions = beyond(e.Avail, []uint8{1}), beyond(e.Actions, []int32{99})
		padded = append(padded, &p)
	}
	for _, mixer := range []string{"vdn", "qmix", "qplex"} {
		fresh, used := learner(t, mixer, spec, with(), 1), learner(t, mixer, spec, with("lr", 0.0), 1)
		large := qlearntest.Episodes(s, spec, 12)
		train(t, used, large)
		if a, b := train(t, fresh, eps), train(t, used, padded); a != b {
			t.Errorf("%s: %+v, after a larger batch and with padding %+v", mixer, a, b)
		}
		for i, g := range fresh.Gradients() {
			if !slices.Equal(g.Data, used.Gradients()[i].Data) {
				t.Errorf("%s: the gradients of %s differ", mixer, g.Name)
			}
		}
		a, err := fresh.Importance(eps, core.ImportanceTDLoss)
		must(t, err)
		restored := learner(t, mixer, spec, with(), 1)
		train(t, restored, eps)
		b, err := restored.Importance(padded, core.ImportanceTDLoss)
		must(t, err)
		if !slices.Equal(a, b) {
			t.Errorf("%s: the importances differ", mixer)
		}
	}
}

// The order of the episodes does not matter.
func TestOrderOfTheBatch(t *testing.T) {
	spec := qlearntest.Spec(2)
	eps := qlearntest.Episodes(rng.New(4).Stream(), spec, 8)
	a, b := learner(t, "qmix", spec, with(), 1), learner(t, "qmix", spec, with(), 1)
	train(t, a, eps)
	turned := slices.Clone(eps)
	slices.Reverse(turned)
	train(t, b, turned)
	if !slices.Equal(bytesOf(t, a), bytesOf(t, b)) {
		t.Error("the order of the batch changed the step")
	}
}

// Unavailable actions are never the greedy ones of a target, even where every
// available one is far worse; the recorded availability decides alone.
func TestTargetsUseAvailableActions(t *testing.T) {
	spec := qlearntest.Spec(2)
	for _, double := range []bool{true, false} {
		l := learner(t, "vdn", spec, with("double_q", double), 2)
		eps := qlearntest.Episodes(rng.New(5).Stream(), spec, 6)
		train(t, l, eps)
		after := map[[2]int64]qlearn.Transition{}
		for _, k := range l.LastStep() {
			after[[2]int64{k.Episode, int64(k.T)}] = k
		}
		for _, k := range l.LastStep() {
			e := eps[k.Episode]
			next, ok := after[[2]int64{k.Episode, int64(k.T + 1)}]
			if !ok {
				continue
			}
			for i := range spec.Agents {
				lo := i * spec.Actions
				chooser := next.ValuesOfTarget[lo : lo+spec.Actions]
				if double {
					chooser = next.Values[lo : lo+spec.Actions]
				}
				best, top := -1, float32(math.Inf(-1))
				for a, v := range chooser {
					if e.Avail[((k.T+1)*spec.Agents+i)*spec.Actions+a] == 1 && v > top {
						best, top = a, v
					}
				}
				if want := next.ValuesOfTarget[lo+best]; k.Next[i] != want {
					t.Fatalf("double %v: episode %d, step %d, agent %d: value %v, want that of action %d, %v", double, e.Index, k.T, i, k.Next[i], best, want)
				}
			}
		}
	}
}

func TestGreedySkipsUnavailableActions(t *testing.T) {
	for _, c := range []struct {
		q     []float32
		avail []uint8
		want  int
	}{
		{[]float32{0, -1e12, 0}, []uint8{0, 1, 0}, 1},
		{[]float32{3, 3, 3}, []uint8{0, 1, 1}, 1}, // ties go to the lowest
		{[]float32{1, 2, 3}, []uint8{0, 0, 0}, -1},
		{[]float32{float32(math.Inf(-1)), 0}, []uint8{1, 0}, 0},
	} {
		if got := qlearn.Greedy(c.q, c.avail); got != c.want {
			t.Errorf("values %v, available %v: action %d, want %d", c.q, c.avail, got, c.want)
		}
	}
}

// An agent without any available action has the value 0 in a target and no
// effect on the gradient; nothing becomes NaN.
func TestNoAvailableAction(t *testing.T) {
	spec := qlearntest.Spec(2)
	s := rng.New(6).Stream()
	e := qlearntest.Episode(s, spec, 4, 0)
	clear(e.Avail[4*spec.Agents*spec.Actions:])
	e.Terminated = false
	for _, mixer := range []string{"vdn", "qmix", "qplex"} {
		l := learner(t, mixer, spec, with("bootstrap_on_timeout", true), 2)
		st := train(t, l, []*episode.Episode{e})
		if math.IsNaN(st.Loss) || math.IsNaN(st.GradNorm) {
			t.Errorf("%s: %+v", mixer, st)
		}
		for i, q := range l.LastStep()[3].Next {
			if q != 0 {
				t.Errorf("%s: agent %d without an action is valued %v", mixer, i, q)
			}
		}
	}
}

// One state, reward 1 a step, gamma 0.9, time limit 4. With a bootstrap at the
// limit the value tends to 1/(1-gamma) = 10, without it to the sum of what is
// paid until the limit, 3.439 at the start.
func TestTimeLimit(t *testing.T) {
	spec := core.EnvSpec{Env: "toy", Task: "one state", Agents: 1, Actions: 1, ObsWidth: 1, StateWidth: 1, Limit: 4}
	e := &episode.Episode{T: 4, N: 1, A: 1, ObsWidth: 1, StateWidth: 1,
		Obs: slices.Repeat([]float32{1}, 5), State: make([]float32, 5), Avail: slices.Repeat([]uint8{1}, 5),
		Actions: make([]int32, 4), Reward: slices.Repeat([]float32{1}, 4)}
	for _, c := range []struct {
		onTimeout bool
		want      float32
	}{{true, 10}, {false, 3.439}} {
		l := learner(t, "vdn", spec, with("gamma", 0.9, "lr", 0.005, "bootstrap_on_timeout", c.onTimeout, "obs_last_action", false), 2)
		for i := range 4000 {
			if i > 3000 {
				l.SetLR(0.0005)
			}
			train(t, l, []*episode.Episode{e})
			if i%20 == 0 {
				l.SyncTarget()
			}
		}
		if got := l.LastStep()[0].QTot; math.Abs(float64(got-c.want)) > 0.03*float64(c.want) {
			t.Errorf("bootstrap %v: value %v, want about %v", c.onTimeout, got, c.want)
		}
	}
}
