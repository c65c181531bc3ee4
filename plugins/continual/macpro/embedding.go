package macpro

import (
	"macpro/core/episode"
	"macpro/core/nn"
)

// stateOf is the track of an episode's states; other tracks are the
// observations of the agent with that number.
const stateOf = -1

// embedding turns what was seen at a time step into the input of an encoder's
// token. An encoder does not know what comes before it: the scaled floats
// themselves (features), or for teams of changing size what an attention over
// entities with parameters of its own makes of them (teamStates, teamViews).
type embedding interface {
	// width is the number of floats of a row.
	width() int
	// open adds the rows to a graph, with room for those of each lane.
	open(g *nn.Graph, net *nn.Network, rows *nn.Extent, lanes []lane) (source, error)
}

// source is an embedding in a graph.
type source interface {
	value() *nn.Value
	// reset forgets all rows.
	reset()
	// set fills the next row, row, from record t of a track of an episode, which
	// plays in a lane; after the last record there is padding.
	set(row, lane int, e *episode.Episode, track, t int)
}

// features is the embedding of flat states and observations: the scaled floats
// themselves.
type features struct {
	floats int
	scale  float32
}

func (f features) width() int { return f.floats }

func (f features) open(g *nn.Graph, _ *nn.Network, rows *nn.Extent, _ []lane) (source, error) {
	return &featureRows{f, g.Input("features", rows, f.floats)}, nil
}

type featureRows struct {
	features
	rows *nn.Value
}

func (s *featureRows) value() *nn.Value { return s.rows }

func (s *featureRows) reset() {}

func (s *featureRows) set(row, _ int, e *episode.Episode, track, t int) {
	dst := s.rows.Data()[row*s.floats : (row+1)*s.floats]
	if t > e.T {
		clear(dst)
		return
	}
	scaled(dst, seen(e, track, t), s.scale)
}

// seen is record t of a track.
func seen(e *episode.Episode, track, t int) []float32 {
	if track == stateOf {
		return e.State[t*e.StateWidth : (t+1)*e.StateWidth]
	}
	at := (t*e.N + track) * e.ObsWidth
	return e.Obs[at : at+e.ObsWidth]
}

func scaled(dst, src []float32, scale float32) {
	for i, x := range src {
		dst[i] = scale * x
	}
}
