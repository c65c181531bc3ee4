package mini

import (
	"fmt"
	"io"
	"math"

	"macpro/core"
	"macpro/core/rng"
	"macpro/core/safetensors"
)

// Widths of the network: features are the scaled observation and the recurrent
// state, a head is one linear map of them.
const (
	phiSize  = ObsWidth
	rowSize  = ObsWidth + 1
	headSize = Actions * rowSize
	size     = phiSize + headSize
	rate     = 0.1
	discount = 0.9
)

// Learner is the plugin "mini-learner". The fields make it misbehave.
type Learner struct {
	DivergeAt int64 // the loss of this gradient step (from 1) is not a number; 0 is never
	RefuseAt  int64 // this gradient step is refused: its numbers are not finite
	BlindAt   int64 // Q of this call of Act (from 1) is not a number; 0 is never
}

// Info names the plugin.
func (Learner) Info() core.Info {
	return core.Info{Name: "mini-learner", Summary: "linear values, summed over agents", Version: "1"}
}

// New makes a learner with small random weights.
func (p Learner) New(_ core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	l := &Linear{plugin: p, tasks: o.Tasks, init: o.Source.Child("init").Stream()}
	l.randomize(l.online[:])
	l.target = l.online
	return l, l.SetTask(spec)
}

// Linear is the learner: q_i(a) = psi_a . [phi * obs_i; h_i] with the recurrent
// state h' = h/2 + noise feature, Q_tot = sum_i q_i, one-step targets, plain
// gradient descent.
type Linear struct {
	// Rows counts the rows that Act computed, Steps the gradient steps.
	Rows, Steps int64

	plugin         Learner
	acts           int64
	spec           core.EnvSpec
	tasks          []core.EnvSpec // nil: all episodes are of spec
	init           *rng.Stream
	online, target [size]float32 // phi, then the live head
	heads          [][headSize]float32
	penalties      []core.Penalty
	grad           [size]float64
	hidden         []float32 // recurrent states of an episode, scratch
}

func (l *Linear) randomize(w []float32) {
	for i := range w {
		w[i] = float32(0.1 * l.init.Norm())
	}
}

// SetTask accepts every team with the package's shapes.
func (l *Linear) SetTask(s core.EnvSpec) error {
	if s.Actions != Actions || s.ObsWidth != ObsWidth {
		return fmt.Errorf("mini-learner serves %d actions and observations of %d, not %s %s with %d and %d",
			Actions, ObsWidth, s.Env, s.Task, s.Actions, s.ObsWidth)
	}
	l.spec = s
	return nil
}

// Task is the name of the task that was announced last.
func (l *Linear) Task() string { return l.spec.Task }

// HiddenWidth is 1.
func (l *Linear) HiddenWidth() int { return 1 }

// Act computes Q row by row.
func (l *Linear) Act(s *core.ActStep) error {
	l.acts++
	agents := l.spec.Agents
	if s.Spec != nil {
		agents = s.Spec.Agents
	}
	for row := range s.Lanes * agents {
		l.Rows++
		psi := l.online[phiSize:]
		if s.Heads != nil && s.Heads[row] != core.LiveHead {
			if k := int(s.Heads[row]); k < 0 || k >= len(l.heads) {
				return fmt.Errorf("mini-learner: head %d of %d", k, len(l.heads))
			}
			psi = l.heads[s.Heads[row]][:]
		}
		obs := s.Obs[row*ObsWidth : (row+1)*ObsWidth]
		s.Hidden[row] = remember(s.Hidden[row], obs)
		for a := range Actions {
			s.Q[row*Actions+a] = value(l.online[:phiSize], psi, obs, s.Hidden[row], a)
		}
		if l.acts == l.plugin.BlindAt {
			s.Q[row*Actions] = float32(math.NaN())
		}
	}
	return nil
}

func remember(h float32, obs []float32) float32 { return h/2 + obs[2] }

func value(phi, psi, obs []float32, h float32, a int) float32 {
	w := psi[a*rowSize:]
	q := w[ObsWidth] * h
	for j, x := range obs {
		q += w[j] * phi[j] * x
	}
	return q
}

// SyncTarget copies online to target.
func (l *Linear) SyncTarget() { l.target = l.online }

// Heads is the number of saved heads.
func (l *Linear) Heads() int { return len(l.heads) }

// NewHead appends a head.
func (l *Linear) NewHead(init core.HeadInit) (int, error) {
	switch init {
	case core.HeadCopy:
	case core.HeadReset:
		l.randomize(l.online[phiSize:])
	default:
		return 0, fmt.Errorf("mini-learner: unknown head start %q (copy, reset)", init)
	}
	l.heads = append(l.heads, [headSize]float32(l.online[phiSize:]))
	return len(l.heads) - 1, nil
}

// SaveHead copies the live head to head k.
func (l *Linear) SaveHead(k int) error {
	if k < 0 || k >= len(l.heads) {
		return fmt.Errorf("mini-learner: head %d of %d", k, len(l.heads))
	}
	copy(l.heads[k][:], l.online[phiSize:])
	return nil
}

// LoadHead copies head k to the live head.
func (l *Linear) LoadHead(k int) error {
	if k < 0 || k >= len(l.heads) {
		return fmt.Errorf("mini-learner: head %d of %d", k, len(l.heads))
	}
	copy(l.online[phiSize:], l.heads[k][:])
	return nil
}

// SetPenalties keeps p for the gradient steps that follow.
func (l *Linear) SetPenalties(p []core.Penalty) error {
	for _, t := range p {
		if n := len(l.scope(t.Scope)); n == 0 || len(t.Anchor) != n || t.Importance != nil && (len(t.Importance) != n || t.L2) {
			return fmt.Errorf("mini-learner: a penalty on %q with %d anchors and %d importances", t.Scope, len(t.Anchor), len(t.Importance))
		}
	}
	l.penalties = append(l.penalties[:0], p...)
	return nil
}

func (l *Linear) scope(s core.Scope) []float32 {
	switch s {
	case core.ScopeFeatures:
		return l.online[:phiSize]
	case core.ScopeHead:
		return l.online[phiSize:]
	case core.ScopeAgent, core.ScopeAll:
		return l.online[:]
	}
	return nil
}

// Parameters appends a scope's parameters.
func (l *Linear) Parameters(s core.Scope, dst []float32) []float32 { return append(dst, l.scope(s)...) }

// Save writes the complete state.
func (l *Linear) Save(w io.Writer) error {
	f := safetensors.New()
	safetensors.Put(f, "online", l.online[:])
	safetensors.Put(f, "target", l.target[:])
	heads := []float32{}
	for _, h := range l.heads {
		heads = append(heads, h[:]...)
	}
	safetensors.Put(f, "heads", heads, len(l.heads), headSize)
	safetensors.Put(f, "counts", []int64{l.Steps})
	safetensors.Put(f, "stream.init", l.init.AppendState(nil))
	return f.Encode(w)
}

// Load restores it. Penalties are the method's and not part of it.
func (l *Linear) Load(r io.Reader) error {
	f, err := safetensors.Decode(r)
	if err != nil {
		return err
	}
	heads, err := safetensors.Get[float32](f, "heads")
	if err != nil {
		return err
	}
	counts := make([]int64, 1)
	if err := safetensors.Fill(f, "counts", counts); err != nil {
		return err
	}
	if err := safetensors.Restore(f, "stream.init", l.init); err != nil {
		return err
	}
	l.Steps, l.heads = counts[0], nil
	for ; len(heads) >= headSize; heads = heads[headSize:] {
		l.heads = append(l.heads, [headSize]float32(heads))
	}
	if err := safetensors.Fill(f, "online", l.online[:]); err != nil {
		return err
	}
	return safetensors.Fill(f, "target", l.target[:])
}

var (
	_ core.LearnerPlugin = Learner{}
	_ core.Learner       = (*Linear)(nil)
)
