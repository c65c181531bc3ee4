package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/metrics"
	"macpro/core/store"
)

// Summarize reads everything of a run that reports need, and compares it with the
// hashes that the run recorded. A run whose files are not those that were written
// is an error. Damaged rows behind the last checkpoint of a run that is not done
// are skipped and named in Summary.Damaged.
func Summarize(rec *store.Record) (*Summary, error) {
	m := rec.Manifest
	s := &Summary{
		Format: summaryFormat, ID: m.ID, Created: m.Created, Status: rec.Status, Dir: rec.Dir,
		Alg: m.Alg, Env: m.Env, Learner: m.Learner, Ablation: m.Ablation, Sequence: m.Sequence, Seed: m.Seed,
		ConfigHash: m.ConfigHash, GroupHash: m.GroupHash, EnvHash: m.EnvHash, Versions: m.Versions,
		Curves: map[string][]metrics.Curve{},
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
	r := reader{s: s}
	var last *store.Row
	scan := rec.Scan()
	for row, err := range scan.Rows(nil) {
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
	if err := scan.Check(); err != nil {
		return err
	}
	if rec.Status == store.Done {
		if len(s.Damaged) > 0 {
			return errors.New(s.Damaged[0])
		}
		if last != nil && last.Kind != "final" {
			last = nil
		}
		final, err := closing(rec, last)
		if err == nil {
			err = s.takeFinal(final)
		}
		if err != nil {
			return err
		}
	}
	r.close()
	return nil
}

// takeFinal takes the closing numbers of a run that is done.
func (s *Summary) takeFinal(final store.Final) error {
	data, err := json.Marshal(final)
	if err != nil {
		return err
	}
	var f struct {
		Tasks         []string                   `json:"tasks"`
		Modes         []string                   `json:"modes"`
		R             map[string]metrics.Matrix  `json:"r"`
		Metrics       map[string]metrics.Summary `json:"metrics"`
		TaskHeads     []int                      `json:"task_heads"`
		TestSteps     int64                      `json:"test_env_steps"`
		MethodSteps   map[string]int64           `json:"method_env_steps"`
		GradientSteps int64                      `json:"gradient_steps"`
		Alarms        int                        `json:"alarms"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("final.json: %w", err)
	}
	s.Tasks, s.Modes, s.R, s.Metrics, s.TaskHeads = f.Tasks, f.Modes, f.R, f.Metrics, f.TaskHeads
	s.TestSteps, s.MethodSteps, s.GradientSteps, s.Alarms = f.TestSteps, f.MethodSteps, f.GradientSteps, f.Alarms
	return nil
}

// reader collects the rows of a journal.
type reader struct {
	s       *Summary
	episode map[choiceKey]*choice
	live    int // the head in training
	dumps   []dumpKey
	points  []mean // of the newest dump
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

// choice counts the heads of the newest test of a task.
type choice struct {
	t     int64
	heads []int
}

func (r *reader) row(row *store.Row) {
	s := r.s
	s.TEnv, s.WallS = max(s.TEnv, row.TEnv), max(s.WallS, row.Wall)
	switch row.Kind {
	case core.EventTaskStart:
		s.Starts = append(s.Starts, row.TEnv)
		r.task(row.Task, len(s.Starts)-1)
		r.heads(row)
		r.trains(row)
	case core.EventTaskEnd:
		s.Ends = append(s.Ends, row.TEnv)
		r.heads(row)
	case core.EventTrain:
		r.heads(row)
	case core.EventTest:
		r.test(row)
	case core.EventTestEpisode:
		r.choice(row)
	case core.EventExpansion:
		head, _ := row.Float("head")
		s.Expansions = append(s.Expansions, Expansion{row.TEnv, row.Task, row.Text("decision"), int(head), row.Fields})
		r.heads(row)
		r.trains(row)
	case core.EventLatents:
		key := dumpKey{row.TEnv, row.Text("when")}
		if len(r.dumps) == 0 || r.dumps[len(r.dumps)-1] != key {
			r.closeDump()
			r.dumps = append(r.dumps, key)
		}
		r.points = append(r.points, contexts(row)...)
	}
}

// task notes the name of the i-th task of a run that has no final numbers yet.
func (r *reader) task(name string, i int) {
	for i >= len(r.s.Tasks) {
		r.s.Tasks = append(r.s.Tasks, "")
	}
	r.s.Tasks[i] = name
}

// heads notes a change in the number of heads.
func (r *reader) heads(row *store.Row) {
	n, ok := row.Float("heads")
	h := r.s.Heads
	if !ok || n == 0 || len(h) > 0 && h[len(h)-1].Heads == int(n) {
		return
	}
	r.s.Heads = append(h, HeadPoint{row.TEnv, int(n)})
}

func (r *reader) test(row *store.Row) {
	s, mode := r.s, row.Text("mode")
	i, ok1 := row.Float("index")
	score, ok2 := row.Float("score")
	if !ok1 || !ok2 || i < 0 {
		return
	}
	if !slices.Contains(s.Modes, mode) {
		s.Modes = append(s.Modes, mode)
	}
	r.task(row.Task, int(i))
	for int(i) >= len(s.Curves[mode]) {
		s.Curves[mode] = append(s.Curves[mode], nil)
	}
	s.Curves[mode][int(i)] = append(s.Curves[mode][int(i)], metrics.Point{T: row.TEnv, Score: score})
}

// trains notes the head that is trained from now on, which test episodes call -1.
func (r *reader) trains(row *store.Row) {
	if head, ok := row.Float("head"); ok {
		r.live = int(head)
	}
}

// choice adds the heads of a test episode, if they belong to the newest test.
func (r *reader) choice(row *store.Row) {
	list, ok := row.Fields["heads"].([]any)
	if !ok {
		return
	}
	task := slices.Index(r.s.Tasks, row.Task)
	if r.episode == nil {
		r.episode = map[choiceKey]*choice{}
	}
	key := choiceKey{row.Text("mode"), task}
	c := r.episode[key]
	if c == nil || c.t != row.TEnv {
		c = &choice{t: row.TEnv}
		r.episode[key] = c
	}
	for _, h := range list {
		x, ok := h.(float64)
		if !ok {
			continue
		}
		head := int(x)
		if head < 0 {
			head = r.live
		}
		for head >= len(c.heads) {
			c.heads = append(c.heads, 0)
		}
		c.heads[head]++
	}
}

// close completes the summary after the last row.
func (r *reader) close() {
	s := r.s
	r.closeDump()
	for mode := range s.Curves {
		for len(s.Curves[mode]) < len(s.Tasks) {
			s.Curves[mode] = append(s.Curves[mode], nil)
		}
	}
	for key, c := range r.episode {
		if key.task < 0 {
			continue
		}
		if s.Choices == nil {
			s.Choices = map[string][][]int{}
		}
		for len(s.Choices[key.mode]) < len(s.Tasks) {
			s.Choices[key.mode] = append(s.Choices[key.mode], []int{})
		}
		s.Choices[key.mode][key.task] = c.heads
	}
	var steps int64
	if _, err := fmt.Sscan(s.Settings["steps_per_task"], &steps); err == nil {
		s.Total = steps * int64(max(len(s.Tasks), 1))
	}
}
