package macpro

import (
	"errors"
	"fmt"
	"sync"

	"macpro/core"
	"macpro/core/entity"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/rng"
)

// trainer owns the networks of task contextualisation and trains them: the
// global encoder g with the forward model h by one Adam, the local encoders f by
// another.
type trainer struct {
	cfg  *settings
	spec core.EnvSpec // of the first task: shapes of all of them, or their kind of entities
	src  rng.Source

	threads int // goroutines of a step, whose bits do not depend on it

	g, f  *encoder
	model *forwardModel // nil if rec_coef is 0, or for teams of changing size
	team  *teamModel    // for those
	gh    nn.Layout     // of g and h

	tasks   []core.EnvSpec // of teams of changing size, that have begun
	visitor core.EnvSpec   // another task, only played

	adamG, adamF *nn.Adam
	graphs       *graphs
	wanted       graphs // room for the current batch of teams of changing size
	readG, readF *reader

	episodes []*episode.Episode // of the batch
	means    [][]float32        // of the last step
}

// newTrainer makes the networks, drawn from the streams g, h and f of src, so
// that one never changes what another starts from.
func newTrainer(c *settings, spec core.EnvSpec, src rng.Source) (*trainer, error) {
	t := &trainer{cfg: c, spec: spec, src: src, threads: 1}
	f := nn.Layout{Precision: nn.Precision(c.Precision)}
	t.gh.Precision = f.Precision
	states, views := t.embeddings(&f)
	t.g = planEncoder(&t.gh, "g", c, states, 0, spec.Limit)
	global := t.gh.Len()
	switch {
	case c.RecCoef == 0:
	case t.teams():
		t.team = planTeamModel(&t.gh, c, spec)
	default:
		t.model = planModel(&t.gh, c, spec)
	}
	t.f = planEncoder(&f, "f", c, views, spec.Agents, spec.Limit)
	var err error
	if t.g.net, err = nn.NewNetwork(&t.gh); err != nil {
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
	if !c.ClipLocal {
		t.adamF.MaxNorm = 0
	}
	t.readG, t.readF = newReader(t, t.g), newReader(t, t.f)
	return t, t.begin(spec)
}

// teams tells whether the tasks are made of entities, in teams of any size.
func (t *trainer) teams() bool { return t.spec.Entities != nil }

func (t *trainer) embeddings(f *nn.Layout) (states, views embedding) {
	c, spec, scale := t.cfg, t.spec, float32(t.cfg.FeatureScale)
	if !t.teams() {
		return features{spec.StateWidth, scale}, features{spec.ObsWidth, scale}
	}
	return teamStates{c, planStates(&t.gh, "g.state", c, spec)}, teamViews{c, planViewer(f, "f.view", c, spec, false)}
}

// begin makes a task known. If teams change size, h gets decoders for the task at
// the end of its network. The weights before them stay.
func (t *trainer) begin(spec core.EnvSpec) error {
	if !t.teams() {
		return alike(t.spec, spec)
	}
	if err := entity.Family("encoders", t.spec, spec); err != nil {
		return err
	}
	number := len(t.tasks)
	t.tasks = append(t.tasks, spec)
	t.graphs = nil
	if t.team == nil {
		return nil
	}
	t.team.planTask(&t.gh, fmt.Sprintf("h.task%d", number), spec)
	old, adam := t.g.net, t.adamG
	var err error
	if t.g.net, err = nn.NewNetwork(&t.gh); err != nil {
		return err
	}
	copy(t.g.net.Params, old.Params)
	from := t.src.Child("decoders").ChildInt(int64(number)).Stream()
	for _, s := range t.g.net.Segments() {
		if s.Offset >= len(old.Params) {
			t.g.net.InitSegment(s, from)
		}
	}
	t.adamG = nn.NewAdam(len(t.g.net.Params), t.cfg.LR, t.cfg.GradNormClip)
	for i, s := range t.adamG.State() {
		copy(s.Data, adam.State()[i].Data)
	}
	t.readG.forget(0) // its graphs read the old network
	return nil
}

// visit makes a task known that may never have begun.
func (t *trainer) visit(spec core.EnvSpec) error {
	if !t.teams() {
		return alike(t.spec, spec)
	}
	t.visitor = spec
	return entity.Family("encoders", t.spec, spec)
}

// agents is the size of the team of a task that has begun.
func (t *trainer) agents(task int) int {
	if t.teams() {
		return t.tasks[task].Agents
	}
	return t.spec.Agents
}

// specOf is the task of an episode: one that has begun, or the visitor.
func (t *trainer) specOf(e *episode.Episode) core.EnvSpec {
	if !t.teams() {
		return t.spec
	}
	if e.Task >= 0 && e.Task < len(t.tasks) && fits(&t.tasks[e.Task], e) {
		return t.tasks[e.Task]
	}
	return t.visitor
}

// batch is what one context step learns from.
type batch struct {
	groups [][]*episode.Episode // equally many of each group
	noise  []float32            // [episodes, z], for the samples of the contexts
	// picksG and picksL are the rows that the contrastive losses see, counted
	// over all groups: episodes for g, episode*agents+agent for f.
	picksG, picksL []int
}

type losses struct {
	Model, Approx, PosG, NegG, PosL, NegL float64
	Context, Local                        float64 // the two weighted sums
	G, F                                  nn.StepInfo
}

// step makes one gradient step of both optimisers. It also returns the means
// of the groups' contexts as they were before it, [episodes][z], valid until the
// next step.
func (t *trainer) step(b *batch) (l losses, means [][]float32, err error) {
	t.episodes = t.episodes[:0]
	for _, g := range b.groups {
		t.episodes = append(t.episodes, g...)
	}
	s, err := t.graphsWith(t.need(t.episodes))
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

// gradients runs both graphs; f learns from what g says before its update. It
// needs no more of g than the forward pass, so that with several threads it does
// not wait for the rest.
func (t *trainer) gradients(s *graphs, b *batch, eps []*episode.Episode) error {
	if err := t.fillGlobal(s, b, eps); err != nil {
		return err
	}
	if t.threads <= 1 {
		if err := s.g.Run(); err != nil {
			return err
		}
		return t.runLocal(s, b, eps)
	}
	known, ended := make(chan struct{}), make(chan error, 1)
	s.global.ready = sync.OnceFunc(func() { close(known) })
	go func() { ended <- s.g.Run() }()
	var errG, errF error
	select {
	case <-known:
		errF = t.runLocal(s, b, eps)
		errG = <-ended
	case errG = <-ended:
		if errG == nil {
			errF = t.runLocal(s, b, eps)
		}
	}
	s.global.ready = nil
	return errors.Join(errG, errF)
}

func (t *trainer) fillGlobal(s *graphs, b *batch, eps []*episode.Episode) error {
	if err := s.passG.fill(eps); err != nil {
		return err
	}
	if s.global.model != nil {
		s.global.model.fill(b.groups, b.noise)
	}
	if s.team != nil {
		s.team.fill(s.lanes, b.groups, b.noise)
	}
	perGroup := len(b.groups[0])
	s.global.picks, s.global.ends = b.picksG, s.global.ends[:0]
	for k := range b.groups {
		s.global.ends = append(s.global.ends, (k+1)*perGroup)
	}
	return nil
}

// runLocal sets the inputs of f and runs its graph.
func (t *trainer) runLocal(s *graphs, b *batch, eps []*episode.Episode) error {
	if err := s.passF.fill(eps); err != nil {
		return err
	}
	l := s.local
	l.targets.resize(len(eps), t.cfg.ZDim)
	for e := range eps {
		l.targets.set(e, s.passG.at(e, 0))
	}
	perGroup := len(b.groups[0])
	l.picks, l.ends, l.episodes = b.picksL, l.ends[:0], len(eps)
	for k := range b.groups {
		l.ends = append(l.ends, s.passF.first[(k+1)*perGroup])
	}
	return s.f.Run()
}
