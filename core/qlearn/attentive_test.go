package qlearn_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

// One learner serves teams of many sizes with the same parameters, task after
// task and in turn, and learns in each of them.
func TestTeamsOfManySizes(t *testing.T) {
	for _, mixer := range []string{"vdn", "qmix", "qplex"} {
		l := learner(t, mixer, qlearntest.Entities(3, 2), with("lr", 0.003), 2)
		parameters := len(l.Parameters(core.ScopeAgent, nil))
		tasks := []core.EnvSpec{qlearntest.Entities(3, 2), qlearntest.Entities(13, 13), qlearntest.Entities(2, 1), qlearntest.Entities(5, 6)}
		eps := make([][]*episode.Episode, len(tasks))
		first, last := make([]float64, len(tasks)), make([]float64, len(tasks))
		for i, spec := range tasks {
			eps[i] = qlearntest.Episodes(rng.New(uint64(i)).Stream(), spec, 5)
		}
		for round := range 150 {
			for i, spec := range tasks {
				must(t, l.SetTask(spec))
				last[i] = train(t, l, eps[i]).TDLoss
				if round == 0 {
					first[i] = last[i]
				}
			}
		}
		for i := range tasks {
			if last[i] > 0.7*first[i] {
				t.Errorf("%s: the loss in task %s went from %v to %v", mixer, tasks[i].Task, first[i], last[i])
			}
		}
		if n := len(l.Parameters(core.ScopeAgent, nil)); n != parameters {
			t.Errorf("%s: %d parameters have become %d", mixer, parameters, n)
		}
	}
}

// A state saved in one task goes on bit by bit in a learner that was made for
// another team size, with one thread or two.
func TestStateAcrossTeams(t *testing.T) {
	small, large := qlearntest.Entities(2, 3), qlearntest.Entities(7, 4)
	for _, mixer := range []string{"vdn", "qmix", "qplex"} {
		l := busyOn(t, small, mixer, 2)
		state := bytesOf(t, l)
		other := learner(t, mixer, large, with("optim_on_switch", "reset_head"), 1)
		must(t, other.Load(bytes.NewReader(state)))
		must(t, other.SetTask(small))
		if !slices.Equal(state, bytesOf(t, other)) {
			t.Errorf("%s: saving a restored learner gives other bytes", mixer)
		}
		st1, b1, q1 := futureOn(t, small, l)
		st2, b2, q2 := futureOn(t, small, other)
		if !slices.Equal(st1, st2) || !slices.Equal(b1, b2) || !slices.Equal(q1, q2) {
			t.Errorf("%s: the restored learner goes another way", mixer)
		}
	}
}

// Every head has its own answer to moves and attacks, per row and at once.
func TestHeadsOnEntities(t *testing.T) {
	spec := qlearntest.Entities(3, 2)
	l := learner(t, "qmix", spec, with(), 1)
	newHead(t, l, core.HeadReset)
	newHead(t, l, core.HeadReset)
	values := func(heads []int32) []float32 {
		step := newActStep(l, spec, 2)
		step.Heads = heads
		must(t, l.Act(step))
		return step.Q
	}
	one, two := values(slices.Repeat([]int32{0}, 6)), values(slices.Repeat([]int32{1}, 6))
	A := spec.Actions
	mixed := values([]int32{0, 1, 1, 0, 0, 1})
	for r, k := range []int{0, 1, 1, 0, 0, 1} {
		if want := [][]float32{one, two}[k][r*A : (r+1)*A]; !slices.Equal(mixed[r*A:(r+1)*A], want) {
			t.Errorf("row %d: %v, head %d gives %v", r, mixed[r*A:(r+1)*A], k, want)
		}
	}
	for a := range A {
		if one[a] == two[a] {
			t.Errorf("two heads give action %d the same value", a)
		}
	}
	step := newActStep(l, spec, 2)
	both := &core.HeadStep{Lanes: 2, Obs: step.Obs, LastActions: step.LastActions, Hidden: step.Hidden, Heads: []int32{1, 0}, Q: make([]float32, 2*len(one))}
	must(t, l.HeadValues(both))
	if !slices.Equal(both.Q, slices.Concat(two, one)) {
		t.Error("the values of several heads are not those of Act")
	}
	must(t, l.LoadHead(0))
	if !slices.Equal(values(nil), one) {
		t.Error("a loaded head acts unlike the saved one")
	}
}

// Allies may come in any order; enemies that change places take their attack
// with them.
func TestOrderOfEntities(t *testing.T) {
	for n := 2; n <= 13; n++ {
		spec := qlearntest.Entities(n, 5)
		e := spec.Entities
		l := learner(t, "vdn", spec, with(), 1)
		a, b := newActStep(l, spec, 1), newActStep(l, spec, 1)
		s := rng.New(uint64(n)).Stream()
		for i := range a.LastActions {
			a.LastActions[i] = int32(s.Intn(spec.Actions+1) - 1)
		}
		const turn = 2 // enemy j goes to place j+2
		for i, last := range a.LastActions {
			from, to := a.Obs[i*spec.ObsWidth:(i+1)*spec.ObsWidth], b.Obs[i*spec.ObsWidth:(i+1)*spec.ObsWidth]
			rotate(to[e.Move:], from[e.Move:], e.Enemies, e.EnemyObs, turn)
			allies := e.Move + e.Enemies*e.EnemyObs
			rotate(to[allies:], from[allies:], n-1, e.AllyObs, 1)
			b.LastActions[i] = last
			if j := int(last) - e.NonAttack; j >= 0 {
				b.LastActions[i] = int32(e.NonAttack + (j+turn)%e.Enemies)
			}
		}
		must(t, l.Act(a))
		must(t, l.Act(b))
		for i := range n {
			x, y := a.Q[i*spec.Actions:(i+1)*spec.Actions], b.Q[i*spec.Actions:(i+1)*spec.Actions]
			want := slices.Clone(x)
			rotate(want[e.NonAttack:], x[e.NonAttack:], e.Enemies, 1, turn)
			if d := worst(y, float64s(want)); d > tolerance {
				t.Errorf("team of %d, agent %d: values %v, in another order %v", n, i, x, y)
			}
		}
	}
}

// rotate moves item j of n to place j+by.
func rotate(dst, src []float32, n, width, by int) {
	for j := range n {
		copy(dst[(j+by)%n*width:][:width], src[j*width:])
	}
}

// The length of the other episodes of a batch does not matter to an episode:
// there are no rows but those of real records.
func TestNothingIsPadded(t *testing.T) {
	spec := qlearntest.Entities(3, 4)
	for _, mixer := range []string{"vdn", "qmix", "qplex"} {
		l := learner(t, mixer, spec, with("lr", 0.0), 2)
		s := rng.New(1).Stream()
		short := qlearntest.Episode(s, spec, 2, 0)
		train(t, l, []*episode.Episode{short})
		alone := l.LastStep()
		train(t, l, []*episode.Episode{short, qlearntest.Episode(s, spec, 8, 1), qlearntest.Episode(s, spec, 7, 2), qlearntest.Episode(s, spec, 5, 3)})
		for _, k := range l.LastStep() {
			if k.Episode != 0 {
				continue
			}
			w := alone[k.T]
			if k.QTot != w.QTot || k.Target != w.Target || !slices.Equal(k.Values, w.Values) {
				t.Errorf("%s, step %d: Q_tot %v and target %v, alone %v and %v", mixer, k.T, k.QTot, k.Target, w.QTot, w.Target)
			}
		}
	}
}

// Agents with hidden entities masked do not look at the zeros of those they do
// not see.
func TestMaskedEntities(t *testing.T) {
	spec := qlearntest.Entities(2, 3)
	e := spec.Entities
	fewer := qlearntest.Entities(2, 2)
	act := func(spec core.EnvSpec, mask bool, obs []float32) []float32 {
		l := learner(t, "vdn", spec, with("attn_mask_invisible", mask, "obs_agent_id", false), 1)
		step := newActStep(l, spec, 1)
		copy(step.Obs, obs)
		copy(step.Obs[spec.ObsWidth:], obs)
		must(t, l.Act(step))
		return step.Q
	}
	obs := qlearntest.Normals(rng.New(1).Stream(), spec.ObsWidth)
	last := e.Move + 2*e.EnemyObs
	clear(obs[last : last+e.EnemyObs])
	without := slices.Delete(slices.Clone(obs), last, last+e.EnemyObs)
	for _, mask := range []bool{false, true} {
		x, y := act(spec, mask, obs)[:fewer.Actions], act(fewer, mask, without)[:fewer.Actions]
		if same := worst(x, float64s(y)) < tolerance; same != mask {
			t.Errorf("masked %v: values %v with an unseen enemy, %v without", mask, x, y)
		}
	}
}

// Tasks that no parameters can be shared with are refused by name, before and
// after the start.
func TestTeamsRefused(t *testing.T) {
	spec := qlearntest.Entities(3, 2)
	change := func(f func(*core.EnvSpec)) core.EnvSpec {
		s, e := spec, *spec.Entities
		s.Task, s.Entities = "other", &e
		f(&s)
		return s
	}
	l := learner(t, "qmix", spec, with(), 1)
	settings, err := qlearntest.Settings(with())
	must(t, err)
	for want, other := range map[string]core.EnvSpec{
		"enemies of 9":             change(func(s *core.EnvSpec) { s.Entities.EnemyObs = 9 }),
		"flat observations":        change(func(s *core.EnvSpec) { s.Entities = nil }),
		"6 actions, its entities":  change(func(s *core.EnvSpec) { s.Actions = 6 }),
		"floats in an observation": change(func(s *core.EnvSpec) { s.ObsWidth++ }),
		"floats in a state":        change(func(s *core.EnvSpec) { s.StateWidth++ }),
		"at most 15":               qlearntest.Entities(16, 2),
		"at least 2":               qlearntest.Entities(1, 2),
	} {
		if err := l.SetTask(other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		p := core.Pairing{Learner: "qmix", Tasks: []core.EnvSpec{spec, other}, Settings: settings}
		if err := qlearn.Match(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if err := qlearn.Match(core.Pairing{Tasks: []core.EnvSpec{spec, qlearntest.Entities(13, 13)}, Settings: settings}); err != nil {
		t.Error(err)
	}
	if st := train(t, l, qlearntest.Episodes(rng.New(1).Stream(), spec, 3)); math.IsNaN(st.Loss) {
		t.Error("a refused task changed the learner's own")
	}
}

// Importance and joint values see the network of entities as they see a flat one.
func TestImportanceOnEntities(t *testing.T) {
	spec := qlearntest.Entities(3, 2)
	l := learner(t, "qplex", spec, with(), 2)
	eps := qlearntest.Episodes(rng.New(1).Stream(), spec, 4)
	imp, err := l.Importance(eps, core.ImportanceQGrad)
	must(t, err)
	if n := len(l.Parameters(core.ScopeAgent, nil)); len(imp) != n || slices.Max(imp) <= 0 {
		t.Errorf("%d importances up to %v for %d parameters", len(imp), slices.Max(imp), n)
	}
	train(t, l, eps[:1])
	var want float32
	step := &core.JointStep{Lanes: 1, Mixer: core.LiveHead, State: eps[0].State[:spec.StateWidth], Avail: eps[0].Avail[:3*spec.Actions],
		Actions: eps[0].Actions[:3], QTot: make([]float32, 1)}
	l.SetLR(0)
	train(t, l, eps[:1])
	for _, k := range l.LastStep() {
		if k.T == 0 {
			want = k.QTot
		}
	}
	act := newActStep(l, spec, 1)
	act.Obs = eps[0].Obs[:3*spec.ObsWidth]
	must(t, l.Act(act))
	step.Q = act.Q
	must(t, l.JointValues(step))
	if d := worst(step.QTot, []float64{float64(want)}); d > tolerance {
		t.Errorf("joint value %v, in training %v", step.QTot[0], want)
	}
}
