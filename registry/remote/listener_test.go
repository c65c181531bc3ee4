package remote_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/continual"
	"macpro/core/episode"
)

// listening is a method whose tests choose heads by how episodes before have
// ended and tell about it, after probing episodes that do the same.
type listening struct {
	describedMethod
	together int
}

func listeners() map[string]listening {
	return map[string]listening{"method/listener": {}, "method/one-by-one": {together: 1}}
}

func (p listening) New(s core.Settings, sv core.Services) (core.Method, error) {
	m, err := p.describedMethod.New(s, sv)
	return listeningMethod{m, sv, p.together}, err
}

type listeningMethod struct {
	core.Method
	sv       core.Services
	together int
}

const modeLate = "late"

// Report has a mode that training does not test.
func (m listeningMethod) Report() core.MethodReport {
	r := m.Method.Report()
	r.EvalModes = []string{modeLate}
	return r
}

func (m listeningMethod) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	l := &listener{learner: m.sv.Learner, mode: mode}
	eps, err := m.sv.Rollouts.Run(core.RolloutRequest{
		Task: t.Spec.Task, Purpose: "probe", Episodes: 3, Stepper: l, Source: ev.Source.Child("probe"),
	})
	l.probed = len(eps)
	return core.HeadPlan{Stepper: l, Together: m.together, ProbeEpisodes: int64(len(eps))}, err
}

// listener lets a saved head act in every episode, another one after each
// return above the mean of those before.
type listener struct {
	learner core.Learner
	mode    string
	probed  int
	ended   []int
	sum     float64
	arm     int
}

func (l *listener) StepHeads(_ *core.StepView, heads []int32) error {
	k := l.learner.Heads() // asks the learner while the run waits for these heads
	if k == 0 {
		return fmt.Errorf("no saved head in mode %s", l.mode)
	}
	for i := range heads {
		heads[i] = int32(l.arm % k)
	}
	return nil
}

func (l *listener) EpisodeEnded(number int, e *episode.Episode) error {
	if x := e.Return(); x*float64(len(l.ended)) > l.sum {
		l.arm++
	}
	l.ended, l.sum = append(l.ended, number), l.sum+e.Return()
	return nil
}

func (l *listener) TestFields() (map[string]any, error) {
	return map[string]any{"heard": l.ended, "sum": l.sum, "how": l.mode, "probed": l.probed}, nil
}

// Plans that must hear how episodes end choose the same heads from another
// process, in tests, in probing episodes and in evaluations.
func TestPlansThatListen(t *testing.T) {
	t.Parallel()
	for name, p := range listeners() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := cast()
			o.Method = p
			sameElsewhere(t, o, [][]string{{name, "learner/mini-learner"}})
			here, there := evaluated(t, o), evaluated(t, elsewhere(t, o, name))
			if here != there {
				t.Errorf("an evaluation gives\n%s\nhere and from another process\n%s", here, there)
			}
		})
	}
}

// evaluated plays a run and returns the rows of its evaluation in the mode that
// only evaluations have.
func evaluated(t *testing.T, o continual.Options) string {
	t.Helper()
	r, err := (&conform.Record{}).Runner(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	results, err := r.Evaluate(context.Background(), continual.EvalOptions{Modes: r.EvalModes(), Generalization: true})
	if err != nil || len(results) == 0 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	text := ""
	for i := range results {
		data, err := json.Marshal(results[i].EvaluationTest)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintln(string(data))
	}
	return text
}
