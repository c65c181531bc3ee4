package continual

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"macpro/core"
)

// hidden is the value of boundaries with which learner and method hear of no border.
// The environment goes through the tasks as ever, and the record tells them apart.
const hidden = "hidden"

func (r *Runner) hidden() bool { return r.cfg.Borders == hidden }

// tell settles what learner and method know of the tasks: all of them, or with
// hidden boundaries a single one that stands for the whole sequence.
func (r *Runner) tell(list core.TaskList) error {
	r.told = r.specs
	if !r.hidden() {
		return nil
	}
	name := r.o.Method.Info().Name
	if !core.RunsTaskFree(r.o.Method) {
		return fmt.Errorf("boundaries %s: method %s has to hear when the task changes: set boundaries=told", hidden, name)
	}
	if _, taken := list.Params[core.HiddenTask]; taken {
		return fmt.Errorf("boundaries %s: environment %s has a task of the name %q, which stands for all tasks here: set boundaries=told",
			hidden, r.o.Env.Info().Name, core.HiddenTask)
	}
	one := mask(r.specs[0])
	for _, s := range r.specs[1:] {
		if !reflect.DeepEqual(mask(s), one) {
			return fmt.Errorf("boundaries %s: tasks %s and %s differ in their shapes or their scores, which would tell them apart: choose tasks that do not, or set boundaries=told",
				hidden, r.specs[0].Task, s.Task)
		}
	}
	r.told = []core.EnvSpec{one}
	return nil
}

// mask takes out what tells a task from others of its shapes.
func mask(s core.EnvSpec) core.EnvSpec {
	s.Task, s.Hash = core.HiddenTask, ""
	return s
}

// toldIndex is the number by which learner and method know a task of the sequence.
func (r *Runner) toldIndex(i int) int {
	if r.hidden() {
		return 0
	}
	return i
}

// asked is a task of a test as the method is asked about it. With hidden boundaries
// it knows none by its place in the sequence.
func (r *Runner) asked(t core.Task) core.Task {
	if r.hidden() {
		t.Index = -1
	}
	return t
}

// taskHeads lists the head of every task that has begun, nil if the method has no
// such thing. With hidden boundaries that is the head in training at the task's end.
func (r *Runner) taskHeads() []int {
	heads := r.method.Report().TaskHeads
	if !r.hidden() || heads == nil {
		return heads
	}
	heads = slices.Clone(r.state.Heads)
	if len(heads) < len(r.state.Starts) {
		heads = append(heads, r.method.Head())
	}
	return heads
}

// taskHead is Evaluation.TaskHead.
func (r *Runner) taskHead(t core.Task) *int {
	if !r.hidden() || t.Index < 0 {
		return nil
	}
	if heads := r.taskHeads(); t.Index < len(heads) {
		return &heads[t.Index]
	}
	return nil
}

// found does at a border that the method has found what the run does at one that
// it tells.
func (r *Runner) found() {
	s := &r.state
	n := r.method.Report().Borders
	if n == s.Borders {
		return
	}
	s.Borders, s.BorderAt = n, s.TEnv
	if r.cfg.SyncTargetOnSwitch {
		r.learner.SyncTarget()
	}
}

// seeded says whether the stream of training environments has begun.
func (r *Runner) seeded() bool { return r.state.Begun || r.hidden() && len(r.state.Starts) > 0 }

// methodJournal is where the method writes its rows.
func (r *Runner) methodJournal() core.Journal {
	if r.hidden() {
		return trueJournal{r}
	}
	return r.o.Journal
}

// trueJournal names the task that is trained, which the method does not know, in its
// rows: by its name, and where a row has an index by that.
type trueJournal struct{ r *Runner }

func (j trueJournal) Emit(e core.Event) error {
	if e.Task == core.HiddenTask {
		e.Task = j.r.task()
		if _, ok := e.Fields["index"]; ok {
			e.Fields = maps.Clone(e.Fields)
			e.Fields["index"] = min(j.r.state.Task, len(j.r.names)-1)
		}
	}
	return j.r.o.Journal.Emit(e)
}
