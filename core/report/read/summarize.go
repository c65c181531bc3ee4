package read

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"

	"macpro/core/budget"
	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/store"
)

// Summarize reads everything of a run that reports need, and compares it with the
// hashes that the run recorded. A run whose files are not those that were written
// is an error. Damaged rows behind the last checkpoint of a run that is not done
// are skipped and named in Summary.Damaged.
func Summarize(rec *store.Record) (*Summary, error) {
	m := rec.Manifest
	s := &Summary{
		Format: Format, ID: m.ID, Name: m.Name, Created: m.Created, Status: rec.Status, Dir: rec.Dir,
		Alg: m.Alg, Env: m.Env, Learner: m.Learner, Ablation: m.Ablation, Sequence: m.Sequence, Seed: m.Seed,
		ConfigHash: m.ConfigHash, GroupHash: m.GroupHash, EnvHash: m.EnvHash, Versions: m.Versions, Unhashed: m.Unhashed, Overridden: m.Overridden,
		Bytes: rec.Sizes(), Curves: map[string][]metrics.Curve{},
	}
	var err error
	if s.Settings, err = verified(rec); err == nil {
		err = s.readJournal(rec)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", m.ID, err)
	}
	return s, nil
}

// readJournal takes the rows, and of a run that is done the closing numbers.
func (s *Summary) readJournal(rec *store.Record) error {
	r := newReader(s)
	var last *record.Row
	scan := rec.Scan()
	for row, err := range scan.Rows(r.skipsEpisodes) {
		var line *store.LineError
		switch {
		case errors.As(err, &line):
			s.Damaged = append(s.Damaged, line.Error())
			last = nil
		case err != nil:
			return err
		default:
			r.row(&row)
			last = &row
		}
	}
	if err := r.readChoices(scan); err != nil {
		return err
	}
	if err := scan.Check(); err != nil {
		return err
	}
	if rec.Status == record.Done {
		if len(s.Damaged) > 0 {
			return errors.New(s.Damaged[0])
		}
		final, err := closing(rec, last)
		if err != nil {
			return err
		}
		s.takeFinal(final)
	}
	r.close()
	return nil
}

// takeFinal takes the closing numbers of a run that is done.
func (s *Summary) takeFinal(f *record.Outcome) {
	s.Tasks, s.Modes, s.R, s.Metrics, s.TaskHeads = f.Tasks, f.Modes, f.R, f.Metrics, f.TaskHeads
	s.TestSteps, s.MethodSteps, s.GradientSteps = f.TestEnvSteps, f.MethodEnvSteps, f.GradientSteps
	s.Alarms, s.PeakQRatio = f.Alarms, f.PeakQRatio
}

// readEvaluations takes the evaluations of the run with its recorded
// configuration.
func (s *Summary) readEvaluations(rec *store.Record) error {
	list, notes, err := rec.Evaluations()
	s.notes = append(s.notes, notes...)
	for _, e := range list {
		if e.Edited {
			s.notes = append(s.notes, fmt.Sprintf("run %s: evaluation %s was made with an edited config.yaml and is left out", s.ID, e.File()))
			continue
		}
		s.Evaluations = append(s.Evaluations, e.Brief())
	}
	return err
}

type reader struct {
	s        *Summary
	labels   record.Labeller
	episodes bool                // there are rows of single test episodes
	newest   map[choiceKey]int64 // the time of the newest test
	choices  map[choiceKey][]int // in it, how often each head acted
	live     int                 // the head in training
	dumps    []dumpKey
	points   []mean // of the newest dump
	pace     []moment
}

func newReader(s *Summary) *reader {
	s.Now = Now{Loss: math.NaN(), Epsilon: math.NaN()}
	return &reader{s: s, labels: record.Labeller{}, newest: map[choiceKey]int64{}, choices: map[choiceKey][]int{}}
}

// skipsEpisodes leaves out the rows of single test episodes. They are most of a
// journal, and only those of the newest tests count.
func (r *reader) skipsEpisodes(kind string, _ int64) bool {
	if kind == record.KindTestEpisode {
		r.episodes = true
		return false
	}
	return true
}

// readChoices reads the journal again for the episodes of the newest tests.
func (r *reader) readChoices(scan *store.Scan) error {
	if !r.episodes {
		return nil
	}
	times := map[int64]bool{}
	for _, t := range r.newest {
		times[t] = true
	}
	want := func(kind string, t int64) bool {
		return kind == record.KindTestEpisode && times[t] || kind == record.KindTaskStart || kind == record.KindExpansion
	}
	for row, err := range scan.Rows(want) {
		var line *store.LineError
		if err != nil && !errors.As(err, &line) {
			return err
		}
		if entry, err := record.Parse(row); err == nil {
			r.choice(entry)
		}
	}
	return nil
}

// closeDump projects the newest dump.
func (r *reader) closeDump() {
	if len(r.dumps) == 0 {
		return
	}
	if d, ok := project(r.dumps[len(r.dumps)-1], r.points); ok {
		r.s.Latents = append(r.s.Latents, d)
	}
	r.points = nil
}

type choiceKey struct {
	mode string
	task int
}

// row takes over one row. One that does not have the form of its kind is named
// in Summary.Damaged.
func (r *reader) row(row *record.Row) {
	s := r.s
	s.TEnv, s.WallS = max(s.TEnv, row.TEnv), max(s.WallS, row.Wall)
	entry, err := record.Parse(*row)
	if err != nil {
		s.Damaged = append(s.Damaged, (&store.LineError{Line: row.Line, Err: err}).Error())
		return
	}
	switch e := entry.(type) {
	case record.TaskStart:
		s.Starts = append(s.Starts, e.TEnv)
		r.task(e.Task, e.Index)
		r.heads(e.TEnv, e.Heads)
	case record.TaskEnd:
		s.Ends = append(s.Ends, e.TEnv)
		r.heads(e.TEnv, e.Heads)
	case record.Train:
		r.heads(e.TEnv, e.Heads)
		r.train(e, row.Wall)
	case record.Test:
		r.test(e)
	case record.Alarm:
		if e.Reason == record.AlarmInflation {
			s.Alarms++
		}
	case record.Plasticity:
		s.Plasticity = append(s.Plasticity, plasticity(e))
	case record.Expansion:
		s.Expansions = append(s.Expansions, Expansion{e.TEnv, r.label(e.Task, &e.Index), e.Decision, e.Head, row.Fields})
		r.heads(e.TEnv, e.Heads)
	case record.Border:
		if e.Found {
			s.Borders = append(s.Borders, e.TEnv)
		}
	case record.Latents:
		key := dumpKey{e.TEnv, e.When}
		if len(r.dumps) == 0 || r.dumps[len(r.dumps)-1] != key {
			r.closeDump()
			r.dumps = append(r.dumps, key)
		}
		r.points = append(r.points, contexts(&e, r.label(e.Task, e.TaskIndex))...)
	}
}

func plasticity(e record.Plasticity) Plasticity {
	p := Plasticity{T: e.TEnv, Index: e.Index, Dormant: metrics.Number(e.Dormant), Norm: metrics.Number(e.Norm),
		Rank: metrics.Number(math.NaN()), Drift: metrics.Number(math.NaN())}
	if e.Rank != nil {
		p.Rank = metrics.Number(*e.Rank)
	}
	if e.Drift != nil {
		p.Drift = metrics.Number(*e.Drift)
	}
	return p
}

// moment is when a run has reached a step.
type moment struct {
	step int64
	wall float64
}

// paceRows is the number of rows of training that speed is measured over.
const paceRows = 20

// train notes how the run goes on.
func (r *reader) train(e record.Train, wall float64) {
	now := &r.s.Now
	now.Epsilon = e.Epsilon
	if e.Gradients != nil {
		now.Loss = e.Loss
	}
	r.pace = append(r.pace, moment{e.TEnv, wall})
	r.pace = r.pace[max(0, len(r.pace)-paceRows):]
	if first := r.pace[0]; wall > first.wall {
		now.Speed = float64(e.TEnv-first.step) / (wall - first.wall)
	}
}

// label names a task for people; rows that tell its index come in the order of the
// sequence.
func (r *reader) label(name string, index *int) string {
	i := record.IndexOf(r.s.Tasks, name, index)
	if index != nil {
		i = *index
	}
	if i < 0 {
		return name
	}
	return r.labels.Label(name, i)
}

// task notes the name of the i-th task of a run that has no final numbers yet.
func (r *reader) task(name string, i int) {
	for i >= len(r.s.Tasks) {
		r.s.Tasks = append(r.s.Tasks, "")
	}
	r.s.Tasks[i] = name
}

// heads notes a change in the number of heads.
func (r *reader) heads(t int64, n int) {
	h := r.s.Heads
	if n == 0 || len(h) > 0 && h[len(h)-1].Heads == n {
		return
	}
	r.s.Heads = append(h, HeadPoint{t, n})
}

func (r *reader) test(e record.Test) {
	s := r.s
	if e.Index < 0 || math.IsNaN(e.Score) {
		return
	}
	if !slices.Contains(s.Modes, e.Mode) {
		s.Modes = append(s.Modes, e.Mode)
	}
	r.task(e.Task, e.Index)
	r.newest[choiceKey{e.Mode, e.Index}] = e.TEnv
	for e.Index >= len(s.Curves[e.Mode]) {
		s.Curves[e.Mode] = append(s.Curves[e.Mode], nil)
	}
	s.Curves[e.Mode][e.Index] = s.Curves[e.Mode][e.Index].With(metrics.Point{T: e.TEnv, Score: e.Score})
}

// choice adds the heads of an episode of a newest test, in which -1 is the head
// that is in training then.
func (r *reader) choice(entry record.Entry) {
	switch e := entry.(type) {
	case record.TaskStart:
		r.live = e.Head
	case record.Expansion:
		r.live = e.Head
	case record.TestEpisode:
		key := choiceKey{e.Mode, record.IndexOf(r.s.Tasks, e.Task, e.TaskIndex)}
		if t, ok := r.newest[key]; !ok || t != e.TEnv {
			return
		}
		c := r.choices[key]
		for _, h := range e.Heads {
			head := int(h)
			if head < 0 {
				head = r.live
			}
			for head >= len(c) {
				c = append(c, 0)
			}
			c[head]++
		}
		r.choices[key] = c
	}
}

func (r *reader) close() {
	s := r.s
	r.closeDump()
	for mode := range s.Curves {
		for len(s.Curves[mode]) < len(s.Tasks) {
			s.Curves[mode] = append(s.Curves[mode], nil)
		}
	}
	for key, c := range r.choices {
		if len(c) == 0 || key.task >= len(s.Tasks) {
			continue
		}
		if s.Choices == nil {
			s.Choices = map[string][][]int{}
		}
		for len(s.Choices[key.mode]) < len(s.Tasks) {
			s.Choices[key.mode] = append(s.Choices[key.mode], []int{})
		}
		s.Choices[key.mode][key.task] = c
	}
	var b budget.Budget
	if _, err := fmt.Sscan(s.Settings["steps_per_task"], &b.StepsPerTask); err != nil {
		return
	}
	if err := yaml.Unmarshal([]byte(s.Settings["steps_by_task"]), &b.StepsByTask); err != nil {
		return
	}
	steps, err := b.Of(s.Tasks)
	if err != nil {
		return
	}
	if len(steps) == 0 {
		steps = []int64{b.StepsPerTask}
	}
	for i, n := range steps {
		if i < len(s.Ends) {
			n = min(n, s.Ends[i]-s.Starts[i]) // it may have ended early
		}
		s.Total += n
	}
}
