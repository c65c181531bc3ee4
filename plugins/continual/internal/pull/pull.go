// Package pull is what methods share that train one network and hold the agent
// network back by a single quadratic term
//
//	c sum_j I_j (theta_j - theta*_j)^2
//
// beside the TD loss. They differ in where the anchor theta* and the importance
// I come from, and when. The mixer is not held: it plays no part in acting.
package pull

import (
	"fmt"
	"io"
	"math"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/safetensors"
	"macpro/core/single"
)

// Base is a method with a buffer D that is emptied at every task and a term that
// holds nothing yet. A method embeds it and says what is held.
type Base struct {
	single.Buffered
	Learner core.Learner
	Task    string // the task that is being trained

	coef     float64
	journal  core.Journal
	interval int64
	logged   int64 // t_env of the last row about the drift

	anchor, importance []float32 // nil: none, and all alike
	now                []float32 // scratch: the current parameters
}

// pace is the shared key that rows about the drift follow.
type pace struct {
	Interval int64 `cfg:"log_interval" min:"1" help:"transitions between two rows of training statistics"`
}

// New makes the base of the method of that name. coef is c; 0 switches the term
// off, and training is Finetuning bit for bit.
func New(name string, coef float64, s core.Settings, sv core.Services) (Base, error) {
	var c pace
	if err := config.Decode(s, &c); err != nil {
		return Base{}, err
	}
	buffered, err := single.NewBuffered(name, s, sv)
	return Base{Buffered: buffered, Learner: sv.Learner, coef: coef, journal: sv.Journal, interval: c.Interval}, err
}

// BeginTask notes the task and empties D.
func (b *Base) BeginTask(t core.Task, p core.Progress) error {
	b.Task = t.Spec.Task
	return b.Buffered.BeginTask(t, p)
}

// Trained writes a row "drift", the distance of the parameters from their anchor,
// whenever log_interval transitions have passed.
func (b *Base) Trained(p core.Progress) error {
	if b.anchor == nil || p.TEnv-b.logged < b.interval {
		return nil
	}
	b.logged = p.TEnv
	return b.Emit("drift", p, map[string]any{"scope": string(core.ScopeAgent), "drift": b.Drift()})
}

// Emit writes a row of the journal about the current task.
func (b *Base) Emit(kind string, p core.Progress, fields map[string]any) error {
	return b.journal.Emit(core.Event{Kind: kind, TEnv: p.TEnv, Episode: p.Episode, Task: b.Task, Fields: fields})
}

// Drift is the Euclidean distance of the parameters from the anchor, 0 while
// there is none.
func (b *Base) Drift() float64 {
	b.now = b.Learner.Parameters(core.ScopeAgent, b.now[:0])
	sum := 0.0
	for j, a := range b.anchor {
		d := float64(b.now[j]) - float64(a)
		sum += d * d
	}
	return math.Sqrt(sum)
}

// Hold makes the present parameters the anchor and importance, in the order of
// Parameters, the weights; nil weighs all alike. The slice is kept.
func (b *Base) Hold(importance []float32) error {
	b.anchor = b.Learner.Parameters(core.ScopeAgent, b.anchor[:0])
	b.importance = importance
	return b.apply()
}

// Importance is what Hold was given last, nil before.
func (b *Base) Importance() []float32 { return b.importance }

// apply hands the term to the learner.
func (b *Base) apply() error {
	if b.coef == 0 || b.anchor == nil {
		return b.Learner.SetPenalties(nil)
	}
	return b.Learner.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: b.anchor, Importance: b.importance, Coef: b.coef}})
}

// Put adds the state to f: D, the task, anchor and importance.
func (b *Base) Put(f *safetensors.File) {
	f.Meta["task"] = b.Task
	b.Buffered.Put(f)
	safetensors.Put(f, "pull.logged", []int64{b.logged})
	if b.anchor != nil {
		safetensors.Put(f, "pull.anchor", b.anchor)
	}
	if b.importance != nil {
		safetensors.Put(f, "pull.importance", b.importance)
	}
}

// Get restores what Put added and hands the term to the learner.
func (b *Base) Get(f *safetensors.File) error {
	b.Task = f.Meta["task"]
	if err := b.Buffered.Get(f); err != nil {
		return err
	}
	logged := make([]int64, 1)
	if err := safetensors.Fill(f, "pull.logged", logged); err != nil {
		return err
	}
	b.logged = logged[0]
	var err error
	if b.anchor, err = b.vector(f, "pull.anchor"); err != nil {
		return err
	}
	if b.importance, err = b.vector(f, "pull.importance"); err != nil {
		return err
	}
	return b.apply()
}

// vector reads a tensor of the agent network's size, nil if f has none of that name.
func (b *Base) vector(f *safetensors.File, name string) ([]float32, error) {
	if !f.Has(name) {
		return nil, nil
	}
	v := make([]float32, len(b.Learner.Parameters(core.ScopeAgent, b.now[:0])))
	return v, safetensors.Fill(f, name, v)
}

// Save writes the state of a method that has none beside its base.
func (b *Base) Save(w io.Writer) error { return single.Save(w, b) }

// Load restores what Save wrote.
func (b *Base) Load(r io.Reader) error { return single.Load(r, string(b.One), b) }

// Scale divides an importance by its mean, so that one weight serves all tasks
// and environments, and returns the mean that it had. An importance of zeros
// stays. One that is not finite is an error.
func Scale(importance []float32, divide bool) (float64, error) {
	sum := 0.0
	for _, x := range importance {
		sum += float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, fmt.Errorf("the importance of parameters is not finite (sum %v)", sum)
	}
	mean := sum / float64(len(importance))
	if divide && mean > 0 {
		for j, x := range importance {
			importance[j] = float32(float64(x) / mean)
		}
	}
	return mean, nil
}

// Plus adds an importance to the one so far, which may be nil.
func Plus(importance, before []float32) []float32 {
	for j, x := range before {
		importance[j] += x
	}
	return importance
}
