package continual_test

import (
	"math"
	"testing"

	"macpro/core"
	"macpro/core/episode"
)

// teller is a learner that says other numbers in every step, and a method that
// notes what was played.
type teller struct {
	core.LearnerPlugin
	core.MethodPlugin
	steps    int
	episodes []*episode.Episode
	told     [][]core.TrainStats // of each episode's steps
}

type (
	tellerLearner struct {
		core.Learner
		*teller
	}
	tellerMethod struct {
		core.Method
		*teller
	}
	learnerTeller struct{ *teller }
	methodTeller  struct{ *teller }
)

func (p learnerTeller) Info() core.Info { return p.LearnerPlugin.Info() }
func (p learnerTeller) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	l, err := p.LearnerPlugin.New(s, spec, o)
	return tellerLearner{l, p.teller}, err
}

func (p methodTeller) Info() core.Info { return p.MethodPlugin.Info() }
func (p methodTeller) New(s core.Settings, sv core.Services) (core.Method, error) {
	m, err := p.MethodPlugin.New(s, sv)
	return tellerMethod{m, p.teller}, err
}

func (l tellerLearner) Train([]*episode.Episode) (core.TrainStats, error) {
	l.steps++
	k := float64(l.steps)
	s := core.TrainStats{Loss: k, TDLoss: 2 * k, Penalty: 3 * k, TDAbs: 5 * k, QTaken: 7 * k, Target: 11 * k, GradNorm: 13 * k, Clip: 17 * k, ValueLoss: 19 * k}
	last := len(l.told) - 1
	l.told[last] = append(l.told[last], s)
	return s, nil
}

func (m tellerMethod) Collected(e *episode.Episode, p core.Progress) error {
	c := new(episode.Episode)
	c.CopyFrom(e)
	m.episodes, m.told = append(m.episodes, c), append(m.told, nil)
	return m.Method.Collected(e, p)
}

// A row of training statistics holds the means over its episodes and steps.
func TestTrainRowsAreMeans(t *testing.T) {
	for _, every := range []int{1, 40} {
		o := options("train_steps_per_episode", 2, "log_interval", every, "q_alarm_factor", 1e9)
		s := &teller{LearnerPlugin: o.Learner, MethodPlugin: o.Method}
		o.Learner, o.Method = learnerTeller{s}, methodTeller{s}
		rec := &tape{t: t}
		finish(t, start(t, rec, o))
		first, wins := 0, 0
		for _, row := range rec.of("train") {
			n := int(row.F["episodes"].(float64))
			var returns, steps, won float64
			var all []core.TrainStats
			for i, e := range s.episodes[first : first+n] {
				returns, steps = returns+e.Return(), steps+float64(e.T)
				if e.Won {
					won++
					wins++
				}
				all = append(all, s.told[first+i]...)
			}
			first += n
			check := func(field string, want float64) {
				if got, ok := row.F[field].(float64); !ok || math.Abs(got-want) > 1e-9*want {
					t.Errorf("every %d, row at %d: %s is %v, want %v", every, row.T, field, row.F[field], want)
				}
			}
			check("return_mean", returns/float64(n))
			check("length_mean", steps/float64(n))
			check("win_rate", won/float64(n))
			if len(all) == 0 {
				continue
			}
			mean := (all[0].Loss + all[len(all)-1].Loss) / 2 // they count on
			for field, factor := range map[string]float64{"loss": 1, "td_loss": 2, "penalty": 3, "td_abs": 5, "q_taken": 7, "target": 11, "grad_norm": 13, "clip": 17, "value_loss": 19} {
				check(field, factor*mean)
			}
		}
		if first != len(s.episodes) || wins == 0 || wins == first {
			t.Errorf("every %d: rows cover %d of %d episodes, %d were won", every, first, len(s.episodes), wins)
		}
	}
}

// An agent that explores repeats its last action with probability
// explore_sticky, if it is available.
func TestExplorationRepeatsActions(t *testing.T) {
	for _, sticky := range []float64{0, 1} {
		o := options("epsilon_finish", 1.0, "explore_sticky", sticky)
		s := &teller{LearnerPlugin: o.Learner, MethodPlugin: o.Method}
		o.Learner, o.Method = learnerTeller{s}, methodTeller{s}
		finish(t, start(t, nil, o))
		same, all := 0, 0
		for _, e := range s.episodes {
			for i, last := range e.Actions[:(e.T-1)*e.N] {
				if next := i + e.N; e.Avail[next*e.A+int(last)] == 1 {
					all++
					if e.Actions[next] == last {
						same++
					}
				}
			}
		}
		if all < 100 || sticky == 1 && same != all || sticky == 0 && same > all/2 {
			t.Errorf("explore_sticky %v: %d of %d actions were repeated", sticky, same, all)
		}
	}
}
