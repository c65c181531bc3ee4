package macpro

import (
	"slices"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// A reader encodes at a time readerEpisodes, or for teams of changing size as
// many episodes as have readerRows rows, at least one. It keeps the graphs of
// readerTasks tasks, those met last.
const (
	readerEpisodes = 64
	readerRows     = 8192
	readerTasks    = 6
)

// reader computes contexts without learning from them. Teams of every size have
// a graph of their own, made when they are met.
type reader struct {
	trainer *trainer
	encoder *encoder
	open    []*opened
	part    []*episode.Episode
	at      []int // of an episode's first track in the result
}

// opened is a graph for one task's shapes.
type opened struct {
	lanes []lane
	most  int // episodes at a time
	graph *nn.Graph
	pass  *pass
}

func newReader(t *trainer, b *encoder) *reader { return &reader{trainer: t, encoder: b} }

// forget drops the oldest graphs but keep of them.
func (r *reader) forget(keep int) {
	r.open = slices.Delete(r.open, 0, max(0, len(r.open)-keep))
}

func (r *reader) graphFor(s core.EnvSpec) (*opened, error) {
	for _, o := range r.open {
		if o.lanes == nil || same(o.lanes[0].spec, s) {
			return o, nil
		}
	}
	r.forget(readerTasks - 1)
	var err error
	o := &opened{most: readerEpisodes, graph: nn.NewGraph()}
	if !r.trainer.teams() {
		o.pass, err = r.encoder.open(o.graph, r.encoder.net, readerEpisodes)
	} else {
		tracks := 1
		if r.encoder.agents > 0 {
			tracks = s.Agents
		}
		o.most = max(1, min(readerEpisodes, readerRows/(tracks*s.Limit)))
		steps := o.most * r.encoder.records(s.Limit)
		o.lanes = []lane{{spec: s, index: -1, steps: steps}}
		o.pass, err = r.encoder.openFor(o.graph, r.encoder.net, o.most*tracks, steps*tracks, o.lanes)
	}
	if err != nil {
		return nil, err
	}
	if err := o.graph.Compile(nil); err != nil {
		return nil, err
	}
	r.open = append(r.open, o)
	return o, nil
}

// means encodes episodes: the rows of the result, [z] each, are the means of the
// contexts of the first episode's tracks, then of the second's, and so on.
func (r *reader) means(eps []*episode.Episode) ([][]float32, error) {
	tracks := 0
	r.at = r.at[:0]
	for _, e := range eps {
		r.at = append(r.at, tracks)
		tracks += r.encoder.tracks(e)
	}
	out := make([][]float32, tracks)
	for i, e := range eps {
		if out[r.at[i]] != nil {
			continue // was read with an earlier one of its task
		}
		o, err := r.graphFor(r.trainer.specOf(e))
		if err != nil {
			return nil, err
		}
		if err := r.read(o, eps, i, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// read encodes the episodes from number i on that a graph serves, as many at a
// time as it has room for.
func (r *reader) read(o *opened, eps []*episode.Episode, i int, out [][]float32) error {
	for i < len(eps) {
		first := i
		r.part = r.part[:0]
		for ; i < len(eps) && len(r.part) < o.most; i++ {
			if o.lanes == nil || same(o.lanes[0].spec, r.trainer.specOf(eps[i])) {
				r.part = append(r.part, eps[i])
			}
		}
		if len(r.part) == 0 {
			return nil
		}
		if err := o.pass.fill(r.part); err != nil {
			return err
		}
		if err := o.graph.Run(); err != nil {
			return err
		}
		r.take(o, eps[first:i], r.at[first:i], out)
	}
	return nil
}

// take copies the contexts of the episodes that were just encoded.
func (r *reader) take(o *opened, eps []*episode.Episode, at []int, out [][]float32) {
	k, z := 0, r.encoder.cfg.ZDim
	for i, e := range eps {
		if k == len(r.part) || r.part[k] != e {
			continue
		}
		for track := range r.encoder.tracks(e) {
			out[at[i]+track] = slices.Clone(o.pass.at(k, track)[:z])
		}
		k++
	}
}

// same tells whether one graph serves two tasks.
func same(a, b core.EnvSpec) bool {
	return a.Agents == b.Agents && a.Actions == b.Actions && a.Limit == b.Limit
}
