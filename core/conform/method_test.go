package conform

import (
	"io"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/core/rng"
)

// faulty is the package mini's method with one named fault.
type faulty struct{ fault string }

func (p faulty) Info() core.Info {
	i := mini.Method{}.Info()
	i.Config = []byte("# no keys\n")
	if p.fault == "no summary" {
		i.Summary = ""
	}
	return i
}

func (p faulty) New(s core.Settings, sv core.Services) (core.Method, error) {
	if p.fault == "changes settings" {
		s["batch_size"] = 5
	}
	m, err := mini.Method{}.New(s, sv)
	budget, _ := s["steps_per_task"].(int)
	return &faultyMethod{Method: m, fault: p.fault, sv: sv, free: rng.New(entropy()).Stream(), budget: int64(budget)}, err
}

func (p faulty) TaskFree() bool {
	return p.fault == "looks for borders" || p.fault == "knows tasks by their place"
}

// entropy differs from call to call, as the clock would.
var calls uint64

func entropy() uint64 { calls++; return calls }

type faultyMethod struct {
	core.Method
	fault string
	sv    core.Services
	free  *rng.Stream
	lent  *episode.Episode
	count int
	batch []*episode.Episode

	budget int64 // of a task
}

func (m *faultyMethod) Head() int {
	if m.fault == "trains no head" {
		return 9
	}
	return m.Method.Head()
}

func (m *faultyMethod) Collected(e *episode.Episode, p core.Progress) error {
	m.lent = e
	m.count++
	if m.fault == "writes the episode" {
		e.Reward[0] = 7
	}
	return m.Method.Collected(e, p)
}

func (m *faultyMethod) NextBatch() ([]*episode.Episode, error) {
	b, err := m.Method.NextBatch()
	if len(b) == 0 {
		return b, err
	}
	switch m.fault {
	case "keeps what was lent":
		b[1] = m.lent
	case "one episode twice":
		b[1] = b[0]
	case "unknown task":
		b[0].Task = 2
	case "draws from the clock":
		b[0].Obs[0] = float32(m.free.Float64())
	case "unsaved counter":
		b[0].Obs[0] = float32(m.count%3) / 10
	}
	m.batch = b
	return b, err
}

func (m *faultyMethod) Trained(p core.Progress) error {
	if m.fault == "looks for borders" && m.budget > 0 && p.TEnv >= m.budget {
		m.budget = 0
		m.sv.Learner.SyncTarget()
	}
	if m.fault == "changes the batch" && len(m.batch) > 0 {
		m.batch[0].Reward[0]++
	}
	return m.Method.Trained(p)
}

func (m *faultyMethod) Modes() []string {
	switch m.fault {
	case "mode twice":
		return []string{mini.ModeOwn, mini.ModeOwn}
	case "first mode skips":
		return []string{mini.ModeSteps, mini.ModeOwn}
	}
	return m.Method.Modes()
}

func (m *faultyMethod) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	if m.fault == "takes any mode" && mode == "no such mode" {
		return core.HeadPlan{}, nil
	}
	if m.fault == "tests only the sequence" && t.Index < 0 || m.fault == "first mode skips" && mode == mini.ModeSteps {
		return core.HeadPlan{Skip: true}, nil
	}
	p, err := m.Method.ChooseHeads(t, mode, ev)
	if err != nil {
		return p, err
	}
	switch m.fault {
	case "trains in tests":
		m.sv.Learner.SyncTarget()
		_, err = m.sv.Learner.Train(m.batch)
	case "draws in tests":
		if b, e := m.Method.NextBatch(); e == nil && b != nil {
			m.count++
		}
	case "too few heads":
		p.Heads = make([]int32, 1)
	case "unknown head":
		p.Heads = make([]int32, ev.Episodes*t.Spec.Agents)
		p.Heads[0] = 99
	case "changes its mind":
		p.Heads = make([]int32, ev.Episodes*t.Spec.Agents)
		p.Heads[0] = int32(m.free.Intn(2)) - 1
	}
	return p, err
}

func (m *faultyMethod) Load(r io.Reader) error {
	if m.fault == "loads anything" {
		if err := m.Method.Load(r); err != nil {
			return nil
		}
		return nil
	}
	return m.Method.Load(r)
}

func TestMethodSuitePassesASoundMethod(t *testing.T) {
	Method(t, faulty{}, nil)
	all := mini.Settings("sequence", "mixed", "envs_per_rollout", 2)
	MethodOn(t, MethodSubject{faulty{}, mini.Env{}, mini.Learner{}, all})
}

// Each check is fed methods with one fault.
func TestMethodSuiteFindsEveryFault(t *testing.T) {
	for _, c := range []struct{ fault, check, want string }{
		{"no summary", "info", "summary"},
		{"trains no head", "calls", "Head() is 9"},
		{"writes the episode", "calls", "changed the episode it was lent"},
		{"keeps what was lent", "calls", "must be copied"},
		{"one episode twice", "calls", "comes twice in a batch"},
		{"unknown task", "calls", "an episode of task 2"},
		{"changes the batch", "calls", "a batch changed"},
		{"trains in tests", "calls", "changed the state"},
		{"draws in tests", "calls", "changed the state"},
		{"too few heads", "calls", "plans 1 heads"},
		{"unknown head", "calls", "head 99 does not exist"},
		{"changes its mind", "calls", "twice differently"},
		{"changes settings", "calls", "batch_size"},
		{"mode twice", "modes", "own"},
		{"first mode skips", "modes", "mode steps has no score for task 0"},
		{"tests only the sequence", "modes", "no mode is defined for task late"},
		{"takes any mode", "modes", "unknown test mode was accepted"},
		{"draws in tests", "purity", "differs"},
		{"draws from the clock", "determinism", "one seed, two runs"},
		{"unsaved counter", "resume", "resumed at"},
		{"loads anything", "damaged state", "loaded without an error"},
		{"looks for borders", "hidden", "once as long"},
		{"knows tasks by their place", "hidden", "mode own has no score for task 0"},
	} {
		t.Run(c.fault+"/"+c.check, func(t *testing.T) {
			s := MethodSubject{faulty{c.fault}, mini.Env{}, mini.Learner{}, mini.Settings()}
			if err := one(t, methodChecks, c.check, s); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, got %v", c.want, err)
			}
		})
	}
}
