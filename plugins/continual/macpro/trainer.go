package macpro

import (
	"fmt"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/rng"
)

// trainer owns the networks of task contextualisation and trains them: the
// global encoder g with the forward model h by one Adam, the local encoders f by
// another.
type trainer struct {
	cfg  *settings
	spec core.EnvSpec // shapes of all tasks and the longest limit

	g, f  *bank
	model *forwardModel // nil if rec_coef is 0

	adamG, adamF *nn.Adam
	graphs       *graphs
	readG, readF *reader

	episodes []*episode.Episode // of the batch
	means    [][]float32        // of the last step
}

// newTrainer makes the networks, drawn from the streams g, h and f of src, so
// that one never changes what another starts from.
func newTrainer(c *settings, spec core.EnvSpec, src rng.Source) (*trainer, error) {
	t := &trainer{cfg: c, spec: spec}
	scale := float32(c.FeatureScale)
	var gh, f nn.Layout
	t.g = planBank(&gh, "g", c, features{spec.StateWidth, scale}, 0, spec.Limit)
	global := gh.Len()
	if c.RecCoef > 0 {
		t.model = planModel(&gh, c, spec)
	}
	t.f = planBank(&f, "f", c, features{spec.ObsWidth, scale}, spec.Agents, spec.Limit)
	var err error
	if t.g.net, err = nn.NewNetwork(&gh); err != nil {
		return nil, err
	}
	if t.f.net, err = nn.NewNetwork(&f); err != nil {
		return nil, err
	}
	forG, forH := src.Child("g").Stream(), src.Child("h").Stream()
	for _, s := range t.g.net.Segments() {
		if s.Offset < global {
			t.g.net.InitSegment(s, forG)
		} else {
			t.g.net.InitSegment(s, forH)
		}
	}
	t.f.net.Init(src.Child("f").Stream())
	t.adamG = nn.NewAdam(len(t.g.net.Params), c.LR, c.GradNormClip)
	t.adamF = nn.NewAdam(len(t.f.net.Params), c.LR, c.GradNormClip)
	if t.readG, err = newReader(t.g); err != nil {
		return nil, err
	}
	t.readF, err = newReader(t.f)
	return t, err
}

// batch is what one context step learns from.
type batch struct {
	groups [][]*episode.Episode // equally many of each group
	noise  []float32            // [episodes, z], for the samples of the contexts
	// picksG and picksL are the rows that the contrastive losses see, counted
	// over all groups: episodes for g, episode*agents+agent for f.
	picksG, picksL []int
}

// losses are the numbers of one context step.
type losses struct {
	Model, Approx, PosG, NegG, PosL, NegL float64
	Context, Local                        float64 // the two weighted sums
	G, F                                  nn.StepInfo
}

// graphs are the compiled losses with room for some episodes.
type graphs struct {
	room   int
	g, f   *nn.Graph
	passG  *pass
	passF  *pass
	global *globalLoss
	local  *localLoss
}

// graphsFor returns graphs with room for the given number of episodes.
func (t *trainer) graphsFor(episodes int) (*graphs, error) {
	if t.graphs != nil {
		if t.graphs.room >= episodes {
			return t.graphs, nil
		}
		for _, g := range []*nn.Graph{t.graphs.g, t.graphs.f} {
			if err := g.Close(); err != nil {
				return nil, err
			}
		}
	}
	s := &graphs{room: episodes, g: nn.NewGraph(), f: nn.NewGraph()}
	if err := t.buildGlobal(s); err != nil {
		return nil, err
	}
	if err := t.buildLocal(s); err != nil {
		return nil, err
	}
	t.graphs = s
	return s, nil
}

func (t *trainer) buildGlobal(s *graphs) (err error) {
	if s.passG, err = t.g.open(s.g, t.g.net, s.room); err != nil {
		return err
	}
	d := newDivergence(t.cfg.Divergence, t.cfg.ZDim)
	s.global = &globalLoss{pass: s.passG, rec: t.cfg.RecCoef, contrast: contrast{d, t.cfg.ContEps, t.cfg.AlphaContG}}
	in := s.passG.reps()
	if t.model != nil {
		s.global.model = t.model.record()
		in = append(in, s.g.Param(t.g.net, t.model.mlp.Segment))
	}
	loss, err := s.g.Apply(s.global, in...)
	if err != nil {
		return err
	}
	return s.g.Compile(loss)
}

func (t *trainer) buildLocal(s *graphs) (err error) {
	if s.passF, err = t.f.open(s.f, t.f.net, s.room); err != nil {
		return err
	}
	d := newDivergence(t.cfg.Divergence, t.cfg.ZDim)
	s.local = &localLoss{pass: s.passF, diverge: d, approx: t.cfg.ApproxCoef, contrast: contrast{d, t.cfg.ContEps, t.cfg.AlphaContL}}
	loss, err := s.f.Apply(s.local, s.passF.reps()...)
	if err != nil {
		return err
	}
	return s.f.Compile(loss)
}

// step makes one gradient step of both optimisers. It also returns the means
// of the groups' contexts as they were before it, [episodes][z], valid until the
// next step.
func (t *trainer) step(b *batch) (l losses, means [][]float32, err error) {
	t.episodes = t.episodes[:0]
	for _, g := range b.groups {
		t.episodes = append(t.episodes, g...)
	}
	s, err := t.graphsFor(len(t.episodes))
	if err != nil {
		return l, nil, err
	}
	if err := t.gradients(s, b, t.episodes); err != nil {
		return l, nil, fmt.Errorf("context step: %w", err)
	}
	g, f := s.global, s.local
	l = losses{
		Model: g.lModel, PosG: g.pos, NegG: g.neg, Context: g.total(),
		Approx: f.lApprox, PosL: f.pos, NegL: f.neg, Local: f.total(),
	}
	t.means = t.means[:0]
	for e := range t.episodes {
		t.means = append(t.means, s.passG.at(e, 0)[:t.cfg.ZDim])
	}
	if l.G, err = t.adamG.Step(t.g.net, t.g.net.All()); err != nil {
		return l, nil, fmt.Errorf("context step of g: %w", err)
	}
	if l.F, err = t.adamF.Step(t.f.net, t.f.net.All()); err != nil {
		return l, nil, fmt.Errorf("context step of f: %w", err)
	}
	return l, t.means, nil
}

// gradients runs both graphs; f learns from what g says before its update.
func (t *trainer) gradients(s *graphs, b *batch, eps []*episode.Episode) error {
	perGroup := len(b.groups[0])
	if err := s.passG.fill(eps); err != nil {
		return err
	}
	if s.global.model != nil {
		s.global.model.fill(b.groups, b.noise)
	}
	s.global.picks, s.global.perGroup = b.picksG, perGroup
	if err := s.g.Run(); err != nil {
		return err
	}
	if err := s.passF.fill(eps); err != nil {
		return err
	}
	l := s.local
	l.targets.resize(len(eps), t.cfg.ZDim)
	for e := range eps {
		l.targets.set(e, s.passG.at(e, 0))
	}
	l.picks, l.perGroup, l.groups = b.picksL, perGroup, len(b.groups)
	return s.f.Run()
}
