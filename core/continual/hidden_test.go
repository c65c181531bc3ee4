package continual_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/episode"
	"macpro/core/single"
)

// keen is finetuning that notes all that it hears, finds a border at foundAt, and plays
// the task that it is in at every test.
type keen struct {
	heard   *heard
	foundAt int64
}

// heard is what method and learner were told.
type heard struct {
	begun    []core.Task
	ended    int
	sequence []core.EnvSpec
	tasks    map[int]bool    // of episodes
	names    map[string]bool // in acting while training
	set      []string        // by SetTask, after the run was made
	steps    bool            // TaskSteps was ever unlike TEnv
	tested   map[string]*int // TaskHead at the last test of a task
	played   []string        // lengths of episodes of HiddenTask tell which task it was
}

func (keen) Info() core.Info { return core.Info{Name: "spy", Summary: "listens", Version: "1"} }
func (keen) TaskFree() bool  { return true }

func (p keen) New(s core.Settings, sv core.Services) (core.Method, error) {
	b, err := single.NewBuffered("spy", s, sv)
	p.heard.sequence, p.heard.set = sv.Tasks, nil
	return &ears{Buffered: b, p: p, sv: sv}, err
}

type ears struct {
	single.Buffered
	p     keen
	sv    core.Services
	found int64
}

func (m *ears) BeginTask(t core.Task, p core.Progress) error {
	m.p.heard.begun = append(m.p.heard.begun, t)
	if err := m.sv.Journal.Emit(core.Event{Kind: "own", Task: t.Spec.Task, TEnv: p.TEnv, Fields: map[string]any{"index": 7}}); err != nil {
		return err
	}
	return m.Buffered.BeginTask(t, p)
}

func (m *ears) Collected(e *episode.Episode, p core.Progress) error {
	m.p.heard.tasks[e.Task] = true
	m.p.heard.steps = m.p.heard.steps || p.TaskSteps != p.TEnv
	return m.Buffered.Collected(e, p)
}

func (m *ears) Trained(p core.Progress) error {
	if m.found == 0 && m.p.foundAt > 0 && p.TEnv >= m.p.foundAt {
		m.found = 1
		// "third" has episodes of 4 transitions or more, "first" of 2 or more.
		eps, err := m.sv.Rollouts.Run(core.RolloutRequest{Task: core.HiddenTask, Purpose: "look", Episodes: 40, Source: m.sv.Source.Child("look")})
		if err != nil {
			return err
		}
		least := 9
		for _, e := range eps {
			least = min(least, e.T)
			m.p.heard.tasks[e.Task] = true
		}
		m.p.heard.played = append(m.p.heard.played, fmt.Sprint(least))
		return m.sv.Journal.Emit(core.Event{Kind: "own", Task: core.HiddenTask, TEnv: p.TEnv, Fields: map[string]any{"index": 7}})
	}
	return nil
}

func (m *ears) EndTask(core.Progress) error { m.p.heard.ended++; return nil }

func (m *ears) Report() core.MethodReport {
	return core.MethodReport{TaskHeads: []int{0}, Borders: m.found}
}

func (m *ears) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	if t.Index != -1 {
		return core.HeadPlan{}, fmt.Errorf("a test of task %d", t.Index)
	}
	m.p.heard.tested[t.Spec.Task] = ev.TaskHead
	return m.Buffered.ChooseHeads(t, mode, ev)
}

// listening is mini's learner that notes what it hears.
type listening struct {
	mini.Learner
	heard *heard
}

func (p listening) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	l, err := p.Learner.New(s, spec, o)
	return &listener{l, p.heard}, err
}

type listener struct {
	core.Learner
	heard *heard
}

func (l *listener) SetTask(s core.EnvSpec) error {
	l.heard.set = append(l.heard.set, s.Task)
	return l.Learner.SetTask(s)
}

func (l *listener) Act(s *core.ActStep) error {
	if s.Spec != nil {
		l.heard.names[s.Spec.Task] = true
	}
	return l.Learner.Act(s)
}

// Learner and method hear nothing of a border, and the record is what it always is.
func TestHiddenBoundaries(t *testing.T) {
	h := &heard{tasks: map[int]bool{}, names: map[string]bool{}, tested: map[string]*int{}}
	const found = 400 // in the third task, which begins after 320 transitions
	o := options("boundaries", "hidden", "epsilon_finish", 0.0, "epsilon_anneal_time", 100, "boundary_full_test", false, "test_interval", 1<<30)
	o.Method, o.Learner = keen{h, found}, listening{heard: h}
	rec := &tape{t: t}
	r := start(t, rec, o)
	res := finish(t, r)

	if len(h.begun) != 1 || h.begun[0].Index != 0 || h.begun[0].Spec.Task != core.HiddenTask || h.begun[0].Spec.Hash != "" || h.ended != 1 {
		t.Errorf("BeginTask %v, EndTask %d times, want one of each", h.begun, h.ended)
	}
	if len(h.sequence) != 1 || h.sequence[0].Task != core.HiddenTask {
		t.Errorf("the method knows the tasks %v", h.sequence)
	}
	if len(h.tasks) != 1 || !h.tasks[0] || h.steps {
		t.Errorf("episodes of tasks %v, steps of tasks: %v", h.tasks, h.steps)
	}
	if !slices.Equal(h.set, []string{core.HiddenTask}) {
		t.Errorf("SetTask during the run: %v", h.set)
	}
	if !slices.Equal(h.played, []string{"4"}) {
		t.Errorf("rollouts of the hidden task had at least %v transitions, want 4, those of the third task", h.played)
	}
	var tasks, own []string
	for _, x := range rec.all() {
		switch x.Kind {
		case "task_start":
			tasks = append(tasks, fmt.Sprintf("%s %v", x.Task, x.F["index"]))
			if eps := x.F["epsilon"].(float64); x.T > 0 && eps != 0 {
				t.Errorf("epsilon %v at the start of %s: it tells the border", eps, x.Task)
			}
		case "own":
			own = append(own, fmt.Sprintf("%s %v", x.Task, x.F["index"]))
		}
	}
	if want := []string{"first 0", "second 1", "third 2"}; !slices.Equal(tasks, want) {
		t.Errorf("the journal has the tasks %v, want %v", tasks, want)
	}
	if want := []string{"first 0", "third 2"}; !slices.Equal(own, want) {
		t.Errorf("the method's rows are of %v, want %v", own, want)
	}
	if !slices.Equal(res.TaskHeads, []int{0, 0, 0}) || h.tested["first"] == nil || *h.tested["first"] != 0 {
		t.Errorf("heads of tasks %v, of the first in its last test %v", res.TaskHeads, h.tested["first"])
	}
	for name := range h.names {
		if name != core.HiddenTask && h.tested[name] == nil {
			t.Errorf("the learner acted in task %s outside of tests", name)
		}
	}
}

// At a border that the method finds, the decay of epsilon starts anew if reset_epsilon
// says so, and at no other.
func TestEpsilonFollowsWhatTheMethodFinds(t *testing.T) {
	for _, c := range []struct {
		reset bool
		found int64
		high  bool
	}{{true, 400, true}, {false, 400, false}, {true, 0, false}} {
		h := &heard{tasks: map[int]bool{}, names: map[string]bool{}, tested: map[string]*int{}}
		o := options("boundaries", "hidden", "epsilon_finish", 0.0, "epsilon_anneal_time", 100, "reset_epsilon", c.reset)
		o.Method = keen{h, c.found}
		rec := &tape{t: t}
		finish(t, start(t, rec, o))
		after := false
		for _, x := range rec.of("train") {
			eps := x.F["epsilon"].(float64)
			if x.T > 130 && x.T < 400 && eps != 0 {
				t.Errorf("%+v: epsilon %v at %d", c, eps, x.T)
			}
			after = after || x.T >= 400 && eps > 0.5
		}
		if after != c.high {
			t.Errorf("%+v: epsilon rises after the border: %v", c, after)
		}
	}
}

// named is mini's environment with a further task.
type named struct {
	mini.Env
	task string
}

func (e named) Tasks(s core.Settings) (core.TaskList, error) {
	l, err := e.Env.Tasks(s)
	l.Params[e.task] = []core.Param{{Name: "goal", Value: "1"}}
	return l, err
}

// What cannot run with hidden boundaries is refused before it starts, in a sentence.
func TestHiddenBoundariesAreRefused(t *testing.T) {
	h := &heard{}
	for _, c := range []struct {
		name   string
		change func() error
		want   string
	}{
		{"a method that needs borders", func() error { return refused(t, "boundaries", "hidden") },
			"boundaries hidden: method mini-method has to hear when the task changes: set boundaries=told"},
		{"teams of other sizes", func() error {
			o := options("boundaries", "hidden", "sequence", "mixed")
			o.Method = keen{heard: h}
			return newError(o)
		}, "tasks first and trio differ in their shapes"},
		{"a task of that name", func() error {
			o := options("boundaries", "hidden")
			o.Method, o.Env = keen{heard: h}, named{task: core.HiddenTask}
			return newError(o)
		}, `environment mini has a task of the name "hidden"`},
		{"another word", func() error { return refused(t, "boundaries", "secret") }, "secret"},
	} {
		if err := c.change(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, got %v", c.name, c.want, err)
		}
	}
}

func refused(t *testing.T, changes ...any) error {
	t.Helper()
	return newError(options(changes...))
}

func newError(o continual.Options) error {
	r, err := continual.New(o)
	if err != nil {
		return err
	}
	return r.Close()
}
