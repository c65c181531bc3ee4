package macpro

import (
	"fmt"

	"macpro/core/episode"
	"macpro/core/nn"
)

// encoder is a trajectory encoder of the paper: g, which reads the states, or f,
// which reads the observations of one agent. f is one encoder for all agents or
// one for each. A track is one sequence that an encoder reads.
type encoder struct {
	net    *nn.Network // holds the encoders, and possibly more
	parts  []nn.Encoder
	embed  embedding
	agents int // 0 for g
	limit  int // longest episode in transitions
	cfg    *settings
}

func planEncoder(l *nn.Layout, name string, c *settings, f embedding, agents, limit int) *encoder {
	b := &encoder{embed: f, agents: agents, limit: limit, cfg: c}
	shape := nn.EncoderShape{
		In: f.width(), Width: c.ZDim, Heads: c.EncHeads, Depth: c.EncDepth, FFMult: c.EncFFMult,
		Positions: c.EncPosEnc == keySin, Bent: c.EncOutput == keyStd,
	}
	if agents == 0 || c.LocalEncoder != keyPerAgent {
		b.parts = append(b.parts, l.Encoder(name, shape))
		return b
	}
	for i := range agents {
		b.parts = append(b.parts, l.Encoder(fmt.Sprintf("%s%d", name, i), shape))
	}
	return b
}

// records is the number of records that an encoder reads of a number of
// transitions: those before each of them, and with enc_last_record the last one.
func (b *encoder) records(transitions int) int {
	if b.cfg.LastRecord {
		return transitions + 1
	}
	return transitions
}

func (b *encoder) tracks(e *episode.Episode) int {
	if b.agents == 0 {
		return 1
	}
	return e.N
}

// pass is an encoder in a graph. Its rows of output are reached by at.
type pass struct {
	encoder *encoder
	lanes   []lane
	parts   []part
	first   []int // track number of each episode's first track; its last element is the number of tracks
}

// part is one encoder of a pass.
type part struct {
	rows, tracks *nn.Extent
	source       source
	seqs         *nn.Sequences
	experts      *experts
	rep          *nn.Value // [tracks, 2z] mean and log variance
}

// open adds the encoder to a graph with room for some episodes of tasks of one
// shape, with the parameters of net.
func (b *encoder) open(g *nn.Graph, net *nn.Network, episodes int) (*pass, error) {
	tracks := episodes * max(1, b.agents)
	return b.openFor(g, net, tracks, tracks*b.records(b.limit), nil)
}

// openFor adds the encoder to a graph with room for some tracks and rows.
func (b *encoder) openFor(g *nn.Graph, net *nn.Network, tracks, rows int, lanes []lane) (*pass, error) {
	p := &pass{encoder: b, lanes: lanes, parts: make([]part, len(b.parts))}
	tracks, rows = tracks/len(b.parts), rows/len(b.parts)
	for i, e := range b.parts {
		q := part{rows: g.Extent(rows), tracks: g.Extent(tracks), seqs: new(nn.Sequences)}
		q.experts = &experts{seqs: q.seqs, tracks: q.tracks, mean: b.cfg.Aggregation == keyMean, std: b.cfg.EncOutput == keyStd}
		if b.cfg.POEPrior {
			q.experts.prior = 1
		}
		var err error
		if q.source, err = b.embed.open(g, net, q.rows, lanes); err != nil {
			return nil, err
		}
		stats, err := e.Apply(g, net, q.source.value(), q.seqs)
		if err != nil {
			return nil, err
		}
		if q.rep, err = g.Apply(q.experts, stats); err != nil {
			return nil, err
		}
		p.parts[i] = q
	}
	return p, nil
}

func (p *pass) reps() []*nn.Value {
	var vs []*nn.Value
	for _, q := range p.parts {
		vs = append(vs, q.rep)
	}
	return vs
}

// place says where the given track of an episode is: its part and row there.
func (p *pass) place(e, track int) (part, row int) {
	if len(p.parts) > 1 {
		return track, e
	}
	return 0, p.first[e] + track
}

// fill sets the inputs to the episodes' tracks.
func (p *pass) fill(eps []*episode.Episode) error {
	for i := range p.parts {
		p.parts[i].seqs.Reset()
		p.parts[i].source.reset()
		p.parts[i].experts.weight = p.parts[i].experts.weight[:0]
	}
	p.first = append(p.first[:0], 0)
	for i, e := range eps {
		lane, limit, err := p.lane(e)
		if err != nil {
			return err
		}
		n := p.encoder.tracks(e)
		p.first = append(p.first, p.first[i]+n)
		for track := range n {
			k, _ := p.place(0, track)
			if err := p.add(&p.parts[k], e, track, lane, limit); err != nil {
				return err
			}
		}
	}
	for i := range p.parts {
		q := &p.parts[i]
		q.rows.N, q.tracks.N = q.seqs.Rows(), q.seqs.Len()
	}
	return nil
}

// add appends the track of an episode: the records that are read, and padding
// where that counts. In a batch that is padded to the time limit the
// last record, which nothing looks at, is the first row of padding; the rows
// after it are zero. They are equal unless they have positions, so that one can
// stand for all.
func (p *pass) add(q *part, e *episode.Episode, track, lane, limit int) error {
	first := q.seqs.Rows()
	padding, weight := p.encoder.padding(e.T, limit)
	real := p.encoder.records(e.T)
	if err := q.seqs.Add(real+padding, real); err != nil {
		return err
	}
	q.rows.N = q.seqs.Rows()
	q.experts.weight = append(q.experts.weight, float64(weight))
	who := track
	if p.encoder.agents == 0 {
		who = stateOf
	}
	for t := range real + padding {
		q.source.set(first+t, lane, e, who, t)
	}
	return nil
}

// padding is the number of rows after the transitions of an episode, and how
// often the last of them counts.
func (b *encoder) padding(transitions, limit int) (rows, weight int) {
	if b.cfg.POEMask || b.cfg.Aggregation == keyMean {
		return 0, 1
	}
	rows = limit - transitions
	if rows > 2 && b.cfg.EncPosEnc != keySin && !b.cycling() {
		return 2, rows - 1
	}
	return rows, 1
}

// cycling tells whether rows of padding differ by the number of their agent.
func (b *encoder) cycling() bool {
	_, teams := b.embed.(teamViews)
	return teams && b.cfg.AgentCode == keyCycling
}

// lane is the number of an episode's lane and its longest episode.
func (p *pass) lane(e *episode.Episode) (lane, limit int, err error) {
	limit = p.encoder.limit
	if p.lanes != nil {
		if lane = laneOf(p.lanes, e); lane < 0 {
			return 0, 0, fmt.Errorf("an episode of %d agents with %d actions, of which no task was made known", e.N, e.A)
		}
		limit = p.lanes[lane].spec.Limit
	}
	if e.T > limit {
		return 0, 0, fmt.Errorf("an episode of %d transitions, the longest task has %d", e.T, limit)
	}
	return lane, limit, nil
}

// at is the context of a track: mean and log variance.
func (p *pass) at(e, track int) []float32 {
	k, row := p.place(e, track)
	rep := p.parts[k].rep
	return rep.Data()[row*rep.Width() : (row+1)*rep.Width()]
}
