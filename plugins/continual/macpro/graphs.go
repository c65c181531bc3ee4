package macpro

import (
	"runtime"
	"slices"

	"macpro/core/episode"
	"macpro/core/nn"
)

// graphs are the compiled losses with room for some episodes.
type graphs struct {
	room   int
	g, f   *nn.Graph
	passG  *pass
	passF  *pass
	global *globalLoss
	local  *localLoss
	team   *teamPass // nil without it
	lanes  []lane    // of teams of changing size
	tracks int       // of f
}

// graphsWith returns graphs with at least the room of s.
func (t *trainer) graphsWith(s *graphs) (*graphs, error) {
	if t.graphs != nil {
		if t.graphs.holds(s) {
			return t.graphs, nil
		}
		t.graphs = nil
		runtime.GC() // the old ones are too large to lie beside the new ones
	}
	crew := nn.NewCrew(t.threads)
	s.g, s.f = nn.NewGraphFor(crew), nn.NewGraphFor(crew)
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
	if s.passG, err = t.openPass(t.g, s.g, s); err != nil {
		return err
	}
	d := newDivergence(t.cfg.Divergence, t.cfg.ZDim)
	s.global = &globalLoss{rec: t.cfg.RecCoef, contrast: contrast{d, t.cfg.ContEps, t.cfg.AlphaContG}}
	in := s.passG.reps()
	if t.model != nil {
		s.global.model = t.model.record()
		in = append(in, s.g.Param(t.g.net, t.model.mlp.Segment))
	}
	if t.team != nil {
		if s.team, err = t.team.open(s.g, t.g.net, s.passG.reps()[0], s.lanes); err != nil {
			return err
		}
		s.global.team = s.team
		for _, l := range s.team.lanes {
			in = append(in, l.value)
		}
	}
	loss, err := s.g.Apply(s.global, in...)
	if err != nil {
		return err
	}
	return s.g.Compile(loss)
}

func (t *trainer) buildLocal(s *graphs) (err error) {
	if s.passF, err = t.openPass(t.f, s.f, s); err != nil {
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

// openPass adds an encoder to one of the graphs.
func (t *trainer) openPass(b *encoder, g *nn.Graph, s *graphs) (*pass, error) {
	if !t.teams() {
		return b.open(g, b.net, s.room)
	}
	tracks, rows := s.room, 0
	for _, l := range s.lanes {
		if b.agents > 0 {
			rows += l.steps * l.spec.Agents
		} else {
			rows += l.steps
		}
	}
	if b.agents > 0 {
		tracks = s.tracks
	}
	return b.openFor(g, b.net, tracks, rows, s.lanes)
}

// holds tells whether there is the room of another plan.
func (s *graphs) holds(other *graphs) bool {
	for i, l := range other.lanes {
		if l.steps > s.lanes[i].steps {
			return false
		}
	}
	return s.room >= other.room && s.tracks >= other.tracks
}

// need is the room for some episodes. That of teams of changing size grows by a
// quarter more than is needed, so that batches of other mixtures rarely need
// new graphs.
func (t *trainer) need(eps []*episode.Episode) *graphs {
	s := &t.wanted
	s.room, s.tracks, s.lanes = len(eps), 0, s.lanes[:0]
	for i := range t.tasks {
		s.lanes = append(s.lanes, lane{spec: t.tasks[i], index: i, steps: 1})
	}
	for _, e := range eps {
		if k := laneOf(s.lanes, e); k >= 0 {
			s.tracks += e.N
			s.lanes[k].steps += t.g.records(e.T) + t.longest(e.T, s.lanes[k].spec.Limit)
		}
	}
	if t.graphs != nil && t.graphs.holds(s) {
		return s
	}
	more := &graphs{room: s.room, tracks: s.tracks, lanes: slices.Clone(s.lanes)}
	if old := t.graphs; old != nil {
		more.room, more.tracks = max(s.room, old.room), max(s.tracks, old.tracks)
		for i := range more.lanes {
			more.lanes[i].steps = max(s.lanes[i].steps+s.lanes[i].steps/4, old.lanes[i].steps)
		}
	}
	return more
}

// longest is the padding that an encoder reads after the transitions of an
// episode, that of the one which reads more.
func (t *trainer) longest(transitions, limit int) int {
	g, _ := t.g.padding(transitions, limit)
	f, _ := t.f.padding(transitions, limit)
	return max(g, f)
}
