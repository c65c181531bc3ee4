package macpro

import (
	"fmt"

	"macpro/core/nn"
)

// globalLoss is the loss of g and h, L_context in the paper:
//
//	rec_coef * L_model + alpha_cont_g * (pos + neg)
//
// over the contexts of all episodes [R, 2z] and, if there is a model, its
// segment. The two parts share one operation so that the contexts have a single
// reader.
type globalLoss struct {
	model    *forwardModel // nil without rec_coef, or for teams of changing size
	team     *teamPass     // for those; its losses are inputs
	contrast contrast
	picks    []int // rows of the contrastive loss
	ends     []int // of each group's rows
	rec      float64

	contexts         gaussians
	lModel, pos, neg float64
	ready            func() // called when the contexts are known, nil for nothing
}

func (o *globalLoss) Name() string       { return "loss of g and h" }
func (o *globalLoss) NeedsGrad(int) bool { return true }

func (o *globalLoss) Out(_ []*nn.Extent, width []int) (*nn.Extent, int, error) {
	want := 1
	if o.model != nil {
		want = 2
	}
	if o.team != nil {
		want += len(o.team.lanes)
	}
	if len(width) != want {
		return nil, 0, fmt.Errorf("%d inputs, want %d", len(width), want)
	}
	return nil, 1, nil
}

func (o *globalLoss) Forward(in []nn.Mat, out nn.Mat) error {
	rep := in[0]
	o.contexts.resize(rep.Rows, rep.Cols/2)
	for r := range rep.Rows {
		o.contexts.set(r, rep.Row(r))
	}
	if o.ready != nil {
		o.ready()
	}
	o.lModel, o.pos, o.neg = 0, 0, 0
	if o.model != nil {
		var err error
		if o.lModel, err = o.model.forward(&o.contexts, in[1], o.rec); err != nil {
			return err
		}
	}
	if o.team != nil {
		o.lModel = o.team.total()
	}
	if o.contrast.coef > 0 {
		o.pos, o.neg = o.contrast.loss(&o.contexts, o.picks, o.ends)
	}
	out.Data[0] = float32(o.total())
	return nil
}

func (o *globalLoss) total() float64 { return o.rec*o.lModel + o.contrast.coef*(o.pos+o.neg) }

func (o *globalLoss) Backward(in []nn.Mat, _, _ nn.Mat, dIn []nn.Mat) error {
	if o.model != nil {
		if err := o.model.backward(&o.contexts, in[1], dIn[1]); err != nil {
			return err
		}
	}
	if o.team != nil {
		for _, d := range dIn[1:] {
			d.Data[0] = float32(o.rec)
		}
	}
	narrow(dIn[0].Data, o.contexts.grad)
	return nil
}

func narrow(dst []float32, src []float64) {
	for i, x := range src {
		dst[i] = float32(x)
	}
}

// localLoss is the loss of f, L_approx in the paper:
//
//	approx_coef * L_oracle + alpha_cont_l * (pos + neg)
//
// over the contexts of all agents. Its targets, the contexts that g gives, are
// constants: g and f are trained in two graphs.
type localLoss struct {
	pass     *pass
	diverge  divergence
	contrast contrast
	picks    []int // rows of the contrastive loss, which agent after agent has
	ends     []int // of each group's rows
	episodes int
	approx   float64

	targets           gaussians // of the episodes, set before a run
	contexts          gaussians
	lApprox, pos, neg float64
}

func (o *localLoss) Name() string       { return "loss of f" }
func (o *localLoss) NeedsGrad(int) bool { return true }

func (o *localLoss) Out(_ []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(width) != len(o.pass.parts) {
		return nil, 0, fmt.Errorf("%d inputs for %d encoders", len(width), len(o.pass.parts))
	}
	return nil, 1, nil
}

func (o *localLoss) Forward(in []nn.Mat, out nn.Mat) error {
	first := o.pass.first
	o.contexts.resize(first[o.episodes], in[0].Cols/2)
	o.lApprox, o.pos, o.neg = 0, 0, 0
	group, start := 0, 0
	for e := range o.episodes {
		if first[e] == o.ends[group] {
			start, group = o.ends[group], group+1
		}
		share := 1 / float64(len(o.ends)*(o.ends[group]-start)) // the mean over groups of that over their rows
		target := o.targets.one(e)
		target.grad = nil
		for i := range first[e+1] - first[e] {
			k, row := o.pass.place(e, i)
			o.contexts.set(first[e]+i, in[k].Row(row))
			own := o.contexts.one(first[e] + i)
			o.lApprox += share * o.diverge.of(target, own)
			if o.approx > 0 {
				o.diverge.add(target, own, o.approx*share)
			}
		}
	}
	if o.contrast.coef > 0 {
		o.pos, o.neg = o.contrast.loss(&o.contexts, o.picks, o.ends)
	}
	out.Data[0] = float32(o.total())
	return nil
}

func (o *localLoss) total() float64 { return o.approx*o.lApprox + o.contrast.coef*(o.pos+o.neg) }

func (o *localLoss) Backward(_ []nn.Mat, _, _ nn.Mat, dIn []nn.Mat) error {
	first := o.pass.first
	for e := range o.episodes {
		for i := range first[e+1] - first[e] {
			k, row := o.pass.place(e, i)
			narrow(dIn[k].Row(row), o.contexts.one(first[e]+i).grad)
		}
	}
	return nil
}
