package remote_test

import (
	"context"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/episode"
)

// listening is a method whose test plans want to hear how episodes end, each in
// one of the ways that a plan can say so.
type listening struct {
	describedMethod
	plan core.HeadPlan
}

func listeners() map[string]listening {
	return map[string]listening{
		"method/watcher": {plan: core.HeadPlan{Stepper: watcher{}}},
		"method/learner": {plan: core.HeadPlan{Together: 1}},
	}
}

func (p listening) New(s core.Settings, sv core.Services) (core.Method, error) {
	m, err := p.describedMethod.New(s, sv)
	return listeningMethod{m, p.plan}, err
}

type listeningMethod struct {
	core.Method
	plan core.HeadPlan
}

func (m listeningMethod) ChooseHeads(core.Task, string, core.Evaluation) (core.HeadPlan, error) {
	return m.plan, nil
}

type watcher struct{}

func (watcher) StepHeads(_ *core.StepView, heads []int32) error {
	for i := range heads {
		heads[i] = core.LiveHead
	}
	return nil
}

func (watcher) EpisodeEnded(int, *episode.Episode) {}

// A plan that would choose differently from another process is refused there;
// in this process it runs.
func TestPlansThatListenStayHome(t *testing.T) {
	for name, p := range listeners() {
		t.Run(name, func(t *testing.T) {
			o := cast(t)
			o.Method = p
			playCast(t, o, &conform.Record{}, nil)

			o.Method = isolated[core.MethodPlugin](t, name)
			r, err := (&conform.Record{}).Runner(o)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if _, err := r.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "must hear how episodes end") {
				t.Errorf("the isolated run ends with %v", err)
			}
		})
	}
}
