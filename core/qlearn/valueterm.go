package qlearn

import (
	"fmt"
	"math"
	"slices"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// valueNorm is the term behind core.ImportanceValues: the squared norm of the
// values of a row's available actions.
const valueNorm core.ValueLoss = "norm"

type valueTerm struct {
	core.ValueTerm
	of   map[*episode.Episode][]float32 // nil where all episodes count and there are no targets
	rows int                            // with targets, in the whole batch
}

// termKind tells apart the terms on values that need graphs of their own.
type termKind int

const (
	noTerm    termKind = iota
	liveTerm           // on the values of the live head
	fixedTerm          // on those of a head that does not learn
)

func (t *valueTerm) kind() termKind {
	switch {
	case t == nil:
		return noTerm
	case t.Head != nil:
		return fixedTerm
	}
	return liveTerm
}

// fix gives the graphs the head that a term looks at, nil for the live one.
func (l *Learner) fix(head []float32) error {
	if head == nil {
		return nil
	}
	if l.fixed == nil {
		l.fixed = l.net.Clone()
	}
	return l.fixed.SetRange(l.head(), head)
}

// SetValueTerm adds a term to the loss of the next Train; see
// core.GradientEditor.
func (l *Learner) SetValueTerm(t core.ValueTerm) error {
	switch t.Loss {
	case core.ValueMSE:
	case core.ValueKL:
		if !(t.Temperature > 0) {
			return fmt.Errorf("learner: value term: temperature %v, want a number above 0", t.Temperature)
		}
	default:
		return fmt.Errorf("learner: value term: unknown loss %q, want %q or %q", t.Loss, core.ValueMSE, core.ValueKL)
	}
	if !(t.Coef >= 0) || math.IsInf(t.Coef, 1) {
		return fmt.Errorf("learner: value term: coefficient %v, want a number that is not negative", t.Coef)
	}
	if n := l.head().Len(); t.Head != nil && len(t.Head) != n {
		return fmt.Errorf("learner: value term: a head of %d parameters, scope %q has %d", len(t.Head), core.ScopeHead, n)
	}
	if j := notFinite(t.Head); j >= 0 {
		return fmt.Errorf("learner: value term: parameter %d of the head is %v", j, t.Head[j])
	}
	t.Targets, t.Head = slices.Clone(t.Targets), slices.Clone(t.Head)
	l.term = &valueTerm{ValueTerm: t}
	return nil
}

// assign gives the targets to the episodes of a batch and counts their rows. It
// takes the transitions off total that have no part in the TD loss.
func (t *valueTerm) assign(batch []*episode.Episode, total *int) error {
	if len(t.Targets) != len(batch) {
		return fmt.Errorf("learner: value term: targets for %d episodes, the batch has %d", len(t.Targets), len(batch))
	}
	t.of = make(map[*episode.Episode][]float32, len(batch))
	for i, e := range batch {
		v := t.Targets[i]
		if v == nil {
			continue
		}
		if len(v) != e.T*e.N*e.A {
			return fmt.Errorf("learner: value term: %d targets for episode %d of the batch, want %d (%d transitions, %d agents, %d actions)",
				len(v), i, e.T*e.N*e.A, e.T, e.N, e.A)
		}
		if j := notFinite(v); j >= 0 {
			return fmt.Errorf("learner: value term: target %d of episode %d of the batch is %v", j, i, v[j])
		}
		t.of[e] = v
		t.rows += e.T * e.N
		if t.Only {
			*total -= e.T
		}
	}
	if *total == 0 {
		*total = 1 // no transition is left: the sum is 0
	}
	return nil
}

// notFinite is the index of the first number that is none, -1 if there is none.
func notFinite(v []float32) int {
	return slices.IndexFunc(v, func(x float32) bool { return x-x != 0 })
}

// valueOp is the term on the agents' values [records*n, A], a scalar:
//
//	Coef / rows * sum over rows of loss(q, v)
//
// over the available actions of the rows that have targets v. The number of rows
// belongs to the whole batch, so that shards only need adding up.
type valueOp struct {
	v    *view
	term *valueTerm
	has  []bool    // [records*n] rows that have targets
	want []float32 // [records*n, A]
	skip []bool    // [steps] transitions without a part in the TD loss

	value float64 // of the last Forward
}

func newValueOp(v *view) *valueOp {
	return &valueOp{v: v, has: make([]bool, v.agents.Cap), want: make([]float32, v.agents.Cap*v.A), skip: make([]bool, v.steps.Cap)}
}

// load lays out the targets of a shard. It returns the transitions that are to
// be left out of the TD loss, nil for none.
func (o *valueOp) load(s *episode.Shard, t *valueTerm) []bool {
	o.term = t
	clear(o.has)
	clear(o.skip)
	width := o.v.n * o.v.A
	for b, e := range s.Episodes {
		v, ok := t.of[e]
		if !ok && t.of != nil {
			continue
		}
		for step := range e.T {
			row := s.Record(step, b) * o.v.n
			for i := range o.v.n {
				o.has[row+i] = true
			}
			if v != nil {
				copy(o.want[row*o.v.A:], v[step*width:(step+1)*width])
			}
			o.skip[s.Transition(step, b)] = true
		}
	}
	if t.Only {
		return o.skip
	}
	return nil
}

func (o *valueOp) Name() string       { return "term on values" }
func (o *valueOp) NeedsGrad(int) bool { return true }

func (o *valueOp) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(ext) != 1 || ext[0] != o.v.agents || width[0] != o.v.A {
		return nil, 0, fmt.Errorf("want the values of %d actions per record and agent, got inputs of widths %v", o.v.A, width)
	}
	return nil, 1, nil
}

// scale is the factor on the sum over rows.
func (o *valueOp) scale() float64 { return o.term.Coef / float64(max(1, o.term.rows)) }

func (o *valueOp) Forward(in []nn.Mat, out nn.Mat) error {
	o.value = 0
	for r := range in[0].Rows {
		if o.has[r] {
			o.value += o.row(r, in[0].Row(r), nil, 0)
		}
	}
	o.value *= o.scale()
	out.Data[0] = float32(o.value)
	return nil
}

func (o *valueOp) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	clear(dIn[0].Data)
	scale := float64(dOut.Data[0]) * o.scale()
	for r := range in[0].Rows {
		if o.has[r] {
			o.row(r, in[0].Row(r), dIn[0].Row(r), scale)
		}
	}
	return nil
}

// row is the loss of row r with values q. Unless d is nil it writes scale times
// its gradient there.
func (o *valueOp) row(r int, q, d []float32, scale float64) float64 {
	A := o.v.A
	avail, want := o.v.avail[r*A:(r+1)*A], o.want[r*A:(r+1)*A]
	if o.term.Loss == core.ValueKL {
		return divergence(q, want, avail, o.term.Temperature, d, scale)
	}
	n, sum := 0.0, 0.0
	for _, ok := range avail {
		if ok != 0 {
			n++
		}
	}
	if o.term.Loss == valueNorm {
		n = 1
	}
	for a, ok := range avail {
		if ok == 0 {
			continue
		}
		x := float64(q[a])
		if o.term.Loss == core.ValueMSE {
			x -= float64(want[a])
		}
		sum += x * x / n
		if d != nil {
			d[a] = float32(scale * 2 * x / n)
		}
	}
	return sum
}

// divergence is KL(softmax(v/T) || softmax(q/T)) over available actions. Its
// gradient with respect to q is (softmax(q/T) - softmax(v/T)) / T.
func divergence(q, v []float32, avail []uint8, temperature float64, d []float32, scale float64) float64 {
	nq, nv := logNorm(q, avail, temperature), logNorm(v, avail, temperature)
	sum := 0.0
	for a, ok := range avail {
		if ok == 0 {
			continue
		}
		lq, lv := float64(q[a])/temperature-nq, float64(v[a])/temperature-nv
		sum += math.Exp(lv) * (lv - lq)
		if d != nil {
			d[a] = float32(scale * (math.Exp(lq) - math.Exp(lv)) / temperature)
		}
	}
	return sum
}

// logNorm is log sum exp(x/T) over available actions.
func logNorm(x []float32, avail []uint8, temperature float64) float64 {
	top := math.Inf(-1)
	for a, ok := range avail {
		if ok != 0 {
			top = max(top, float64(x[a])/temperature)
		}
	}
	sum := 0.0
	for a, ok := range avail {
		if ok != 0 {
			sum += math.Exp(float64(x[a])/temperature - top)
		}
	}
	return top + math.Log(sum)
}
