package continual

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"macpro/core/metrics"
	"macpro/core/rollout"
	"macpro/core/safetensors"
)

// The parts of a checkpoint, each a safetensors file.
const (
	PartRun     = "run"     // counters, scores, streams
	PartLearner = "learner" // networks and optimiser
	PartMethod  = "method"  // buffers and what the method keeps
)

// Save writes the complete state, part by part. It must not be called while
// Run is busy except from Options.Checkpoint.
func (r *Runner) Save(part func(name string, write func(io.Writer) error) error) error {
	for _, p := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{PartRun, r.saveRun}, {PartLearner, r.learner.Save}, {PartMethod, r.method.Save},
	} {
		if err := part(p.name, p.write); err != nil {
			return fmt.Errorf("checkpoint part %q: %w", p.name, err)
		}
	}
	return nil
}

// Load puts a new run into the state that Save wrote. All that follows is
// bit-identical to what would have followed there. A checkpoint of another
// experiment is an error. After an error the run must not be used.
func (r *Runner) Load(part func(name string) (io.ReadCloser, error)) error {
	for _, p := range []struct {
		name string
		read func(io.Reader) error
	}{
		{PartRun, r.loadRun}, {PartLearner, r.learner.Load}, {PartMethod, r.method.Load},
	} {
		if err := load(part, p.name, p.read); err != nil {
			return fmt.Errorf("checkpoint part %q: %w", p.name, err)
		}
	}
	r.dirty, r.entry = false, ""
	return nil
}

// Extend is Load for the last checkpoint of a run that has come to its end and whose
// tasks are the first of this one's. All that follows is bit-identical to what a run
// of all tasks would do, if method and learner do not depend on tasks that come later.
func (r *Runner) Extend(part func(name string) (io.ReadCloser, error)) error {
	if r.hidden() {
		return fmt.Errorf("boundaries %s: the method has ended its only task, and no other can follow: extend a run with boundaries=told", hidden)
	}
	r.grown = true
	defer func() { r.grown = false }()
	if err := r.Load(part); err != nil {
		return err
	}
	if !r.state.Finished || r.state.Task >= len(r.names) {
		return fmt.Errorf("it is not the last one of a run with fewer tasks: task %d of %d, finished: %v", r.state.Task, len(r.names), r.state.Finished)
	}
	r.state.Finished, r.entry = false, ReasonTaskEnd
	return nil
}

func load(part func(string) (io.ReadCloser, error), name string, read func(io.Reader) error) error {
	f, err := part(name)
	if err != nil {
		return err
	}
	if err := read(f); err != nil {
		_ = f.Close() // the first error tells what is wrong
		return err
	}
	return f.Close()
}

// identity is what a checkpoint must have in common with the run that loads it.
func (r *Runner) identity() [][2]string {
	list := func(v []string) string {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // strings always have a JSON form
		}
		return string(b)
	}
	return [][2]string{
		{"env", r.o.Env.Info().Name},
		{"learner", r.o.Learner.Info().Name},
		{"method", r.o.Method.Info().Name},
		{"seed", strconv.FormatInt(r.cfg.Seed, 10)},
		{"tasks", list(r.names)},
		{"modes", list(r.modes)},
	}
}

// Identity says which run a checkpoint belongs to.
type Identity struct {
	Env, Learner, Method string
	Tasks                []string // in the order of training
	Ended                int      // number of tasks whose training has ended
	Finished             bool     // the run has come to its end
}

// ReadIdentity reads it from a checkpoint's part PartRun. A checkpoint holds
// all that tests need, so this is what tells a test which tasks were trained,
// whatever the configuration says by then.
func ReadIdentity(part io.Reader) (Identity, error) {
	f, err := safetensors.Decode(part)
	if err != nil {
		return Identity{}, err
	}
	return identityOf(f)
}

func identityOf(f *safetensors.File) (Identity, error) {
	id := Identity{Env: f.Meta["env"], Learner: f.Meta["learner"], Method: f.Meta["method"]}
	if err := json.Unmarshal([]byte(f.Meta["tasks"]), &id.Tasks); err != nil || len(id.Tasks) == 0 {
		return id, fmt.Errorf("the part %q names no tasks: %q", PartRun, f.Meta["tasks"])
	}
	var s state
	if err := json.Unmarshal([]byte(f.Meta["state"]), &s); err != nil {
		return id, fmt.Errorf("metadata %q: %w", "state", err)
	}
	id.Ended, id.Finished = s.Task, s.Finished
	return id, nil
}

func (r *Runner) saveRun(w io.Writer) error {
	f := safetensors.New()
	for _, kv := range r.identity() {
		f.Meta[kv[0]] = kv[1]
	}
	for key, v := range map[string]any{"state": r.state, "counts": r.service.Counts()} {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		f.Meta[key] = string(b)
	}
	var window []float64
	for _, v := range r.window.values() {
		window = append(window, *v)
	}
	safetensors.Put(f, "window", window)
	if r.window.sum.ValueLoss != 0 {
		safetensors.Put(f, "window.value_loss", []float64{r.window.sum.ValueLoss})
	}
	safetensors.Put(f, "epsilon", []float64{r.plan.Epsilon})
	safetensors.Put(f, "stream.explore", r.plan.Explore.AppendState(nil))
	if r.seeded() {
		safetensors.Put(f, "stream.env_train", r.plan.Env.AppendState(nil))
	}
	for _, mode := range r.modes {
		safetensors.Put(f, "r."+mode, slices.Concat(r.r[mode]...), len(r.names)+1, len(r.names))
		for i, c := range r.curves[mode] {
			at, score := make([]int64, len(c)), make([]float64, len(c))
			for k, p := range c {
				at[k], score[k] = p.T, p.Score
			}
			safetensors.Put(f, curveName(mode, i, "t"), at)
			safetensors.Put(f, curveName(mode, i, "score"), score)
		}
	}
	r.savePhi(f)
	return f.Encode(w)
}

func curveName(mode string, task int, field string) string {
	return fmt.Sprintf("curve.%s.%d.%s", mode, task, field)
}

func (r *Runner) loadRun(src io.Reader) error {
	f, err := safetensors.Decode(src)
	if err != nil {
		return err
	}
	for _, kv := range r.identity() {
		if got := f.Meta[kv[0]]; got != kv[1] && kv[0] != "modes" && !(kv[0] == "tasks" && r.grown) {
			return fmt.Errorf("it belongs to a run with %s %s, this one has %s", kv[0], got, kv[1])
		}
	}
	tasks := len(r.names)
	if r.grown {
		id, err := identityOf(f)
		if err != nil {
			return err
		}
		if tasks = len(id.Tasks); tasks > len(r.names) || !slices.Equal(id.Tasks, r.names[:tasks]) {
			return fmt.Errorf("its tasks %s are not the first of %s", strings.Join(id.Tasks, ", "), strings.Join(r.names, ", "))
		}
	}
	var modes []string
	if err := json.Unmarshal([]byte(f.Meta["modes"]), &modes); err != nil {
		return fmt.Errorf("metadata %q: %w", "modes", err)
	}
	var counts map[string]rollout.Count
	for key, v := range map[string]any{"state": &r.state, "counts": &counts} {
		d := json.NewDecoder(bytes.NewReader([]byte(f.Meta[key])))
		d.DisallowUnknownFields()
		if err := d.Decode(v); err != nil {
			return fmt.Errorf("metadata %q: %w", key, err)
		}
	}
	if err := r.state.check(tasks); err != nil {
		return err
	}
	r.service.SetCounts(counts)
	if err := r.loadStreams(f); err != nil {
		return err
	}
	window := make([]float64, len(r.window.values()))
	if err := safetensors.Fill(f, "window", window); err != nil {
		return err
	}
	for i, v := range r.window.values() {
		*v = window[i]
	}
	r.window.sum.ValueLoss = 0
	if f.Has("window.value_loss") {
		loss, err := safetensors.Get[float64](f, "window.value_loss", 1)
		if err != nil {
			return err
		}
		r.window.sum.ValueLoss = loss[0]
	}
	if err := r.loadScores(f, modes, tasks); err != nil {
		return err
	}
	if err := r.loadPhi(f); err != nil {
		return err
	}
	return r.setTask(min(r.state.Task, len(r.names)-1))
}

// check says what is impossible about a loaded state, if anything.
func (s *state) check(tasks int) error {
	begun := s.Task
	if s.Begun {
		begun++
	}
	if s.Task < 0 || s.Task > tasks || begun > tasks || len(s.Starts) != begun || len(s.Ends) != s.Task || s.TEnv < 0 {
		return fmt.Errorf("task %d of %d (begun: %v) with %d starts and %d ends at t_env %d is no state of a run",
			s.Task, tasks, s.Begun, len(s.Starts), len(s.Ends), s.TEnv)
	}
	return nil
}

func (r *Runner) loadStreams(f *safetensors.File) error {
	epsilon := make([]float64, 1)
	if err := safetensors.Fill(f, "epsilon", epsilon); err != nil {
		return err
	}
	r.plan.Epsilon = epsilon[0]
	if err := safetensors.Restore(f, "stream.explore", r.plan.Explore); err != nil {
		return err
	}
	if !r.seeded() {
		return nil
	}
	r.seedTask(r.state.Task)
	return safetensors.Restore(f, "stream.env_train", r.plan.Env)
}

// loadScores reads the scores of the modes and the m tasks that the run had then.
// Modes that the method has gained since have none yet.
func (r *Runner) loadScores(f *safetensors.File, modes []string, m int) error {
	for _, mode := range modes {
		if !slices.Contains(r.modes, mode) {
			return fmt.Errorf("it has scores of the mode %s, this run has the modes %s", mode, strings.Join(r.modes, ", "))
		}
		flat, err := safetensors.Get[float64](f, "r."+mode, m+1, m)
		if err != nil {
			return err
		}
		for j := range m + 1 {
			copy(r.r[mode][j], flat[j*m:(j+1)*m])
		}
		for i := range m {
			at, err := safetensors.Get[int64](f, curveName(mode, i, "t"))
			if err != nil {
				return err
			}
			score := make([]float64, len(at))
			if err := safetensors.Fill(f, curveName(mode, i, "score"), score); err != nil {
				return err
			}
			c := make(metrics.Curve, len(at))
			for k := range c {
				c[k] = metrics.Point{T: at[k], Score: score[k]}
			}
			r.curves[mode][i] = c
		}
	}
	return nil
}
