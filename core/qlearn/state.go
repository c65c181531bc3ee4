package qlearn

import (
	"encoding/json"
	"fmt"
	"io"

	"macpro/core"
	"macpro/core/nn"
	"macpro/core/rng"
	"macpro/core/safetensors"
)

// The state of a learner is one safetensors file:
//
//	online.*, target.*, rms.*  every tensor of the network: its parameters, those
//	                           of the target, and RMSProp's mean of squares
//	head<k>.*, mixer<k>.*      saved head k and the mixer saved with it, if any
//	penalty<i>.anchor, penalty<i>.importance
//	init                       position of the stream of initial parameters
//
// What does not fit a float tensor lies in the metadata, JSON under "learner".

const (
	metaKey   = "learner"
	streamKey = "init"
)

type meta struct {
	Task      string
	Heads     []headMeta
	Penalties []penaltyMeta
}

type headMeta struct{ Mixer bool }

type penaltyMeta struct {
	Scope    core.Scope
	Coef     float64
	L2       bool
	Weighted bool // has an importance
}

// state is everything that a learner changes, the learner's own slices when
// saving and new ones when loading.
type state struct {
	online, target, rms []float32
	saved               []savedHead
	penalties           []penalty
	init                *rng.Stream
}

func (l *Learner) current() *state {
	return &state{l.net.Params, l.target.Params, l.optim.State()[0].Data, l.saved, l.penalties, l.init}
}

// empty makes room for the state that m describes.
func (l *Learner) empty(m *meta) (*state, error) {
	n := len(l.net.Params)
	s := &state{
		online: make([]float32, n), target: make([]float32, n), rms: make([]float32, n),
		init: new(rng.Stream),
	}
	for _, h := range m.Heads {
		k := savedHead{params: make([]float32, l.head().Len())}
		if h.Mixer {
			k.mixer = make([]float32, l.mixerRange().Len())
		}
		s.saved = append(s.saved, k)
	}
	for i, p := range m.Penalties {
		at, err := l.scope(p.Scope)
		if err != nil {
			return nil, fmt.Errorf("penalty %d: %w", i, err)
		}
		k := core.Penalty{Scope: p.Scope, Coef: p.Coef, L2: p.L2, Anchor: make([]float32, at.Len())}
		if p.Weighted {
			k.Importance = make([]float32, at.Len())
		}
		s.penalties = append(s.penalties, newPenalty(k, at))
	}
	return s, nil
}

// tensors calls do with every float tensor of a state.
func (l *Learner) tensors(s *state, do func(name string, data []float32, shape ...int)) {
	for _, t := range l.net.Tensors() {
		do("online."+t.Name, t.Range.Of(s.online), t.Shape...)
		do("target."+t.Name, t.Range.Of(s.target), t.Shape...)
		do("rms."+t.Name, t.Range.Of(s.rms), t.Shape...)
	}
	mixer := l.mixerRange()
	for k, h := range s.saved {
		for _, t := range headTensors(l.agent) {
			do(fmt.Sprintf("head%d%s", k, t.Name), t.Range.Of(h.params), t.Shape...)
		}
		for _, t := range l.net.Tensors() {
			if at := t.Range; h.mixer != nil && at.Lo >= mixer.Lo {
				local := nn.Range{Lo: at.Lo - mixer.Lo, Hi: at.Hi - mixer.Lo}
				do(fmt.Sprintf("mixer%d.%s", k, t.Name), local.Of(h.mixer), t.Shape...)
			}
		}
	}
	for i, p := range s.penalties {
		do(fmt.Sprintf("penalty%d.anchor", i), p.Anchor)
		if p.Importance != nil {
			do(fmt.Sprintf("penalty%d.importance", i), p.Importance)
		}
	}
}

// Save writes the complete state, penalties included; see core.Learner.
func (l *Learner) Save(w io.Writer) error {
	f, s := safetensors.New(), l.current()
	m := meta{Task: l.spec.Env + "/" + l.spec.Task}
	for _, h := range s.saved {
		m.Heads = append(m.Heads, headMeta{Mixer: h.mixer != nil})
	}
	for _, p := range s.penalties {
		m.Penalties = append(m.Penalties, penaltyMeta{p.Scope, p.Coef, p.L2, p.Importance != nil})
	}
	l.tensors(s, func(name string, data []float32, shape ...int) {
		safetensors.Put(f, name, data, shape...)
	})
	safetensors.Put(f, streamKey, s.init.AppendState(nil))
	b, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("learner: save: %w", err)
	}
	f.Meta[metaKey] = string(b)
	return f.Encode(w)
}

// Load restores a state of Save; see core.Learner. A state of other shapes is
// an error that names the tensor, and the learner stays as it was.
func (l *Learner) Load(r io.Reader) error {
	f, err := safetensors.Decode(r)
	if err != nil {
		return fmt.Errorf("learner: load: %w", err)
	}
	var m meta
	if err := json.Unmarshal([]byte(f.Meta[metaKey]), &m); err != nil {
		return fmt.Errorf("learner: load: the file is not a learner's state: %w", err)
	}
	s, err := l.read(f, &m)
	if err != nil {
		return fmt.Errorf("learner: state saved for task %s does not fit task %s/%s: %w", m.Task, l.spec.Env, l.spec.Task, err)
	}
	now := l.current()
	copy(now.online, s.online)
	copy(now.target, s.target)
	copy(now.rms, s.rms)
	l.saved, l.penalties, l.init = s.saved, s.penalties, s.init
	l.net.Touch()
	l.target.Touch()
	return nil
}

// read takes a state out of a file that holds exactly its tensors.
func (l *Learner) read(f *safetensors.File, m *meta) (*state, error) {
	if n := len(m.Heads) + len(m.Penalties); n > len(f.Names()) {
		return nil, fmt.Errorf("%d heads and penalties in %d tensors", n, len(f.Names()))
	}
	s, err := l.empty(m)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{streamKey: true}
	l.tensors(s, func(name string, data []float32, shape ...int) {
		known[name] = true
		if e := safetensors.Fill(f, name, data, shape...); e != nil && err == nil {
			err = e
		}
	})
	if err != nil {
		return nil, err
	}
	for _, name := range f.Names() {
		if !known[name] {
			return nil, fmt.Errorf("tensor %q with shape %v is not part of this learner", name, f.Shape(name))
		}
	}
	if err := safetensors.Restore(f, streamKey, s.init); err != nil {
		return nil, err
	}
	for k := range s.saved {
		if err := l.packHead(&s.saved[k]); err != nil {
			return nil, err
		}
	}
	return s, nil
}
