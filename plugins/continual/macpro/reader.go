package macpro

import (
	"macpro/core/episode"
	"macpro/core/nn"
)

// readerEpisodes is the number of episodes that a reader encodes at a time.
const readerEpisodes = 64

// reader computes contexts without learning from them.
type reader struct {
	graph *nn.Graph
	pass  *pass
}

func newReader(b *bank) (*reader, error) {
	r := &reader{graph: nn.NewGraph()}
	var err error
	if r.pass, err = b.open(r.graph, b.net, readerEpisodes); err != nil {
		return nil, err
	}
	return r, r.graph.Compile(nil)
}

// means encodes episodes: row e*tracks+track of the result [episodes*tracks, z]
// is the mean of the context of a track.
func (r *reader) means(eps []*episode.Episode) ([][]float32, error) {
	var out [][]float32
	tracks, z := r.pass.bank.tracks(), r.pass.bank.cfg.ZDim
	for len(eps) > 0 {
		n := min(len(eps), readerEpisodes)
		if err := r.pass.fill(eps[:n]); err != nil {
			return nil, err
		}
		if err := r.graph.Run(); err != nil {
			return nil, err
		}
		for e := range n {
			for track := range tracks {
				out = append(out, append([]float32(nil), r.pass.at(e, track)[:z]...))
			}
		}
		eps = eps[n:]
	}
	return out, nil
}
