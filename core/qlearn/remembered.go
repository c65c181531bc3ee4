package qlearn

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"macpro/core/episode"
	"macpro/core/nn"
)

// rememberFloats bounds what a learner remembers of target values: 64 MiB.
const rememberFloats = 16 << 20

// remembered holds the target network's action values of whole episodes, for as
// long as its parameters stay as they are. A row's values do not depend on the
// batch that it is computed in, so that remembered ones have the bits of computed
// ones. It is no part of the learner's state. Shards share it.
type remembered struct {
	room int // in floats

	mu      sync.Mutex
	version uint64
	values  map[episodeKey][]float32
	blocks  [][]float32 // memory of the values
	used    int         // floats in use
	hits    int         // since the learner was made, for tests
}

// episodeKey tells episodes apart by what the values depend on. The sum has 128
// bits, so that two episodes never share one.
type episodeKey struct {
	shapes
	limit, steps int
	sum          [2]uint64
}

// keyOfEpisode sums up the inputs of the agents and their available actions.
func keyOfEpisode(p *plan, e *episode.Episode) episodeKey {
	a, b := uint64(0x9e3779b97f4a7c15), uint64(0xd1b54a32d192ed03)
	add := func(x uint64) {
		a = fold(a^x, 0xa0761d6478bd642f)
		b = fold(b+x, 0xe7037ed1a0b428db)
	}
	for i := 1; i < len(e.Obs); i += 2 {
		add(uint64(math.Float32bits(e.Obs[i-1]))<<32 | uint64(math.Float32bits(e.Obs[i])))
	}
	if n := len(e.Obs); n%2 > 0 {
		add(uint64(math.Float32bits(e.Obs[n-1])))
	}
	for _, x := range e.Actions {
		add(uint64(uint32(x)))
	}
	for avail := range slices.Chunk(e.Avail, 64) {
		set := uint64(0)
		for i, is := range avail {
			if is != 0 {
				set |= 1 << i
			}
		}
		add(set)
	}
	return episodeKey{shapesOf(p.spec), p.spec.Limit, e.T, [2]uint64{a, b}}
}

// fold multiplies to 128 bits and joins the halves.
func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo ^ x
}

// renew forgets everything if the target network has changed.
func (r *remembered) renew(version uint64) {
	if r.values != nil && r.version == version {
		return
	}
	if r.values == nil {
		r.values = map[episodeKey][]float32{}
	}
	clear(r.values)
	r.version, r.used = version, 0
}

// find returns the values of an episode, nil if they are not known.
func (r *remembered) find(k episodeKey) []float32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.values[k]
	if v != nil {
		r.hits++
	}
	return v
}

// reserve returns memory for n values of an episode, which nobody finds before they
// are published; nil if there is no room, or if they are known by now.
func (r *remembered) reserve(k episodeKey, n int) []float32 {
	const block = 1 << 18
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > block || r.values[k] != nil {
		return nil
	}
	if r.used%block+n > block {
		r.used += block - r.used%block // the rest of a block stays empty
	}
	if r.used+n > r.room {
		return nil
	}
	if r.used/block == len(r.blocks) {
		r.blocks = append(r.blocks, make([]float32, block))
	}
	at := r.used % block
	v := r.blocks[r.used/block][at : at+n : at+n]
	r.used += n
	return v
}

// publish makes the values of an episode known once they are complete. Another
// shard with the same episode may have been first; its values have the same bits.
func (r *remembered) publish(k episodeKey, v []float32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.values[k] == nil {
		r.values[k] = v
	}
}

// recallOp gives the target network's action values of all records of a shard
// [records*n, A]: those that are remembered, and for the other episodes the
// values that its input has, a row per record and agent of theirs.
type recallOp struct {
	v, fresh *view
	memory   *remembered

	shard *episode.Shard
	known [][]float32  // of each episode, nil if it is fresh
	keys  []episodeKey // of each episode
	alive []int        // fresh episodes with a record t
}

func (o *recallOp) Name() string       { return "remembered target values" }
func (o *recallOp) NeedsGrad(int) bool { return false }

func (o *recallOp) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(ext) != 1 || ext[0] != o.fresh.agents || width[0] != o.v.A {
		return nil, 0, fmt.Errorf("want the values of %d actions per record and agent, got inputs of widths %v", o.v.A, width)
	}
	return o.v.agents, o.v.A, nil
}

// plan looks up the episodes of a shard and lays out those that are fresh.
func (o *recallOp) plan(p *plan, s *episode.Shard) error {
	o.shard, o.known, o.keys, o.alive = s, o.known[:0], o.keys[:0], o.alive[:0]
	for _, e := range s.Episodes {
		k := keyOfEpisode(p, e)
		v := o.memory.find(k)
		o.known, o.keys = append(o.known, v), append(o.keys, k)
		if v != nil {
			continue
		}
		if len(o.alive) == 0 { // the longest
			o.alive = append(o.alive, make([]int, e.T+1)...)
		}
		for t := range e.T + 1 {
			o.alive[t]++
		}
	}
	return o.fresh.lay(o.alive)
}

// each calls do with every record of the fresh episodes: where it lies in the
// shard, and the number of its first row among the fresh ones.
func (o *recallOp) each(do func(e *episode.Episode, t, b, row int)) {
	row := 0
	for t, alive := range o.shard.Alive {
		for b, e := range o.shard.Episodes[:alive] {
			if o.known[b] == nil {
				do(e, t, b, row)
				row += e.N
			}
		}
	}
}

func (o *recallOp) Forward(in []nn.Mat, out nn.Mat) error {
	width := o.v.n * o.v.A // of a record
	for b, v := range o.known {
		for t := 0; t*width < len(v); t++ {
			r := o.shard.Record(t, b) * width
			copy(out.Data[r:r+width], v[t*width:])
		}
	}
	o.each(func(_ *episode.Episode, t, b, row int) {
		r := o.shard.Record(t, b) * width
		copy(out.Data[r:r+width], in[0].Data[row*o.v.A:])
	})
	for b, e := range o.shard.Episodes {
		if o.known[b] != nil {
			continue
		}
		v := o.memory.reserve(o.keys[b], (e.T+1)*width)
		for t := 0; t*width < len(v); t++ {
			r := o.shard.Record(t, b) * width
			copy(v[t*width:(t+1)*width], out.Data[r:])
		}
		if v != nil {
			o.memory.publish(o.keys[b], v)
		}
	}
	return nil
}

func (o *recallOp) Backward([]nn.Mat, nn.Mat, nn.Mat, []nn.Mat) error { return nil }
