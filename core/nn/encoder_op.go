package nn

import (
	"math"

	"macpro/core/nn/internal/kernel"
)

// layerNormEps is added to the variance in a layer normalisation.
const layerNormEps = 1e-5

// blocksOp applies a whole stack of blocks: inputs x [N,W] and the module's
// segment, output [N,W]; Sequences says which rows look at which. Sequences go
// through all blocks in chunks that fit the second-level cache, so that the
// matrix products see many rows and the attention one sequence at a time.
//
// The H heads of one sequence are one product: a row u of H*W floats is read as
// H rows of W floats, so the scores of all heads with the tokens are a matrix
// [rows*H, keys], whose rows are scoreStride(keys) floats apart.
type blocksOp struct {
	m      Blocks
	seqs   *Sequences
	record bool
	crew   *Crew

	weights []folded
	chunks  []chunk
	tapes   []tape // of all blocks if recorded, else one
	places  []float32
	place   [2][]float32 // the tokens between two blocks if not recorded
	back    backTape
	hands   []hand // working memory of each goroutine
}

// chunk is a run of whole sequences.
type chunk struct {
	from, to int // sequences
	lo, rows int // rows
	scores   int // first element of the attention weights
}

// tape holds what one block computed for rows of the input, to be read by
// Backward.
type tape struct {
	x    []float32 // [N,W] input
	u    []float32 // [N,H*W]
	a    []float32 // attention weights, [rows*H, scoreStride(keys)] for each sequence
	o    []float32 // [N,H*W] averaged tokens
	p, y []float32 // [N,W] before and after the first normalisation
	f    []float32 // [N,FF] hidden layer
	g    []float32 // [N,W] before the second normalisation

	mean1, rstd1, mean2, rstd2 []float32 // [N]
}

// Op makes a new operation of the module with inputs (rows [N,Width], segment)
// and output [N,Width]. seqs must describe the N rows in every run.
func (m Blocks) Op(seqs *Sequences) Fused {
	return &blocksOp{m: m, seqs: seqs, weights: make([]folded, m.Depth), crew: NewCrew(1), hands: make([]hand, 1)}
}

// SetCrew lets several goroutines work: on whole chunks in the forward pass, on
// blocks of their own in the backward pass.
func (o *blocksOp) SetCrew(c *Crew) { o.crew, o.hands = c, make([]hand, c.Size()) }

func (o *blocksOp) Name() string       { return "transformer " + o.m.Name }
func (o *blocksOp) NeedsGrad(int) bool { return true }
func (o *blocksOp) Record()            { o.record = true }

func (o *blocksOp) Out(ext []*Extent, width []int) (*Extent, int, error) {
	if err := needRowsAndSegment(ext, width, o.m.Width, o.m.Len); err != nil {
		return nil, 0, err
	}
	return ext[0], o.m.Width, nil
}

// chunkRows is the least number of rows of a chunk, except for the last.
const chunkRows = 128

// scoreStride is the distance of rows of attention weights: whole registers. Rows
// that lie closer make the processor wait, because it reads a row together with
// what it has just written of the one before.
func scoreStride(keys int) int { return (keys + 15) / 16 * 16 }

// split cuts the sequences into chunks and returns the largest number of rows
// and of attention weights in one of them, and of weights altogether.
func (o *blocksOp) split() (rows, scores, all int) {
	o.chunks = o.chunks[:0]
	c := chunk{}
	for i, keys := range o.seqs.Keys {
		_, n := o.seqs.At(i)
		c.to, c.rows = i+1, c.rows+n
		all += n * o.m.Heads * scoreStride(keys)
		if c.rows >= chunkRows || i == len(o.seqs.Keys)-1 {
			o.chunks = append(o.chunks, c)
			rows, scores = max(rows, c.rows), max(scores, all-c.scores)
			c = chunk{from: c.to, to: c.to, lo: c.lo + c.rows, scores: all}
		}
	}
	return rows, scores, all
}

func (o *blocksOp) Forward(in []Mat, out Mat) error {
	x := in[0]
	if err := o.seqs.fits(x.Rows); err != nil {
		return err
	}
	rows, scores, all := o.split()
	if o.record {
		rows, scores = x.Rows, all
	}
	o.reserve(rows, scores)
	for i := range o.weights {
		o.fold(i, in[1].Data, false)
	}
	// What is not recorded shares its memory between chunks.
	if o.record && o.crew.Size() > 1 {
		o.reach()
		o.crew.Each(len(o.chunks), func(k, i int) { o.upStack(o.chunks[i], in, out, &o.hands[k]) })
		return nil
	}
	for _, c := range o.chunks {
		o.upStack(c, in, out, &o.hands[0])
	}
	return nil
}

// upStack computes all blocks for a chunk.
func (o *blocksOp) upStack(c chunk, in []Mat, out Mat, h *hand) {
	w := o.m.Width
	src := in[0].Data[c.lo*w : (c.lo+c.rows)*w]
	for i := range o.m.Depth {
		t := o.at(i, c)
		if i == 0 && o.m.Positions {
			src = o.enter(c, src)
		}
		t.x = src
		dst := out.Data[c.lo*w : (c.lo+c.rows)*w]
		if i < o.m.Depth-1 {
			dst = o.between(i+1, c)
		}
		o.forward(i, c, &t, in[1].Data, dst, h)
		src = dst
	}
}

// enter returns the input of the first block: the tokens with their positions.
func (o *blocksOp) enter(c chunk, src []float32) []float32 {
	dst, w := o.between(0, c), o.m.Width
	copy(dst, src)
	for s := c.from; s < c.to; s++ {
		first, n := o.seqs.At(s)
		for j := range n {
			kernel.Add(dst[(first-c.lo+j)*w:(first-c.lo+j+1)*w], o.position(j))
		}
	}
	return dst
}

// between is the memory of the tokens that enter block i.
func (o *blocksOp) between(i int, c chunk) []float32 {
	w := o.m.Width
	if o.record {
		return o.tapes[i].x[c.lo*w : (c.lo+c.rows)*w]
	}
	return o.place[i&1][:c.rows*w]
}

// reach computes the positions of the longest sequence, so that goroutines only
// read them.
func (o *blocksOp) reach() {
	if !o.m.Positions {
		return
	}
	for s := range o.seqs.Keys {
		if _, n := o.seqs.At(s); n > 0 {
			o.position(n - 1)
		}
	}
}

// position is the code of place j: sin and cos of j/10000^(2k/W) in turn.
func (o *blocksOp) position(j int) []float32 {
	w := o.m.Width
	for n := len(o.places) / w; n <= j; n++ {
		for k := range w {
			angle := float64(n) / math.Pow(10000, float64(k/2*2)/float64(w))
			if k%2 == 0 {
				o.places = append(o.places, float32(math.Sin(angle)))
			} else {
				o.places = append(o.places, float32(math.Cos(angle)))
			}
		}
	}
	return o.places[j*w : (j+1)*w]
}

// reserve makes room for rows rows and scores attention weights in every tape.
func (o *blocksOp) reserve(rows, scores int) {
	w, wide := o.m.Width, o.m.Heads*o.m.Width
	if o.tapes == nil {
		o.tapes = make([]tape, 1)
		if o.record {
			o.tapes = make([]tape, o.m.Depth)
		}
	}
	for i := range o.tapes {
		t := &o.tapes[i]
		if o.record {
			t.x = room(t.x, rows*w)
		}
		t.u, t.o, t.a = room(t.u, rows*wide), room(t.o, rows*wide), room(t.a, scores)
		t.p, t.y, t.g = room(t.p, rows*w), room(t.y, rows*w), room(t.g, rows*w)
		t.f = room(t.f, rows*o.m.FF)
		t.mean1, t.rstd1 = room(t.mean1, rows), room(t.rstd1, rows)
		t.mean2, t.rstd2 = room(t.mean2, rows), room(t.rstd2, rows)
	}
	if !o.record {
		o.place[0], o.place[1] = room(o.place[0], rows*w), room(o.place[1], rows*w)
	}
}

// at is the part of block i's tape that belongs to a chunk. Its x is set by
// Forward, and by Backward where it is not the operation's input.
func (o *blocksOp) at(i int, c chunk) tape {
	lo, scores := c.lo, c.scores
	if !o.record {
		i, lo, scores = 0, 0, 0
	}
	t, n, w, wide := o.tapes[i], c.rows, o.m.Width, o.m.Heads*o.m.Width
	cut := func(x []float32, cols int) []float32 { return x[lo*cols : (lo+n)*cols] }
	return tape{
		u: cut(t.u, wide), a: t.a[scores:], o: cut(t.o, wide),
		p: cut(t.p, w), y: cut(t.y, w), f: cut(t.f, o.m.FF), g: cut(t.g, w),
		mean1: cut(t.mean1, 1), rstd1: cut(t.rstd1, 1), mean2: cut(t.mean2, 1), rstd2: cut(t.rstd2, 1),
	}
}

// forward computes block i for a chunk; t.x is its input.
func (o *blocksOp) forward(i int, c chunk, t *tape, seg, out []float32, h *hand) {
	f, n, w, wide, ff := &o.weights[i], c.rows, o.m.Width, o.m.Heads*o.m.Width, o.m.FF
	kernel.GemmPacked(n, t.x, w, &f.cOut, false, t.u, wide, &h.scratch)
	o.attend(c, t, &h.scratch)
	kernel.GemmBiasAct(n, t.o, wide, &f.mOut, o.m.of(seg, i, atUnifyBias), ActNone, t.p, w, &h.scratch)
	kernel.Add(t.p, t.x)
	kernel.LayerNormRows(n, w, t.p, o.m.of(seg, i, atNorm1), o.m.of(seg, i, atNorm1Bias), layerNormEps, t.y, t.mean1, t.rstd1)
	kernel.GemmBiasAct(n, t.y, w, &f.ff1Out, o.m.of(seg, i, atFF1Bias), ActReLU, t.f, ff, &h.scratch)
	kernel.GemmBiasAct(n, t.f, ff, &f.ff2Out, o.m.of(seg, i, atFF2Bias), ActNone, t.g, w, &h.scratch)
	kernel.Add(t.g, t.y)
	kernel.LayerNormRows(n, w, t.g, o.m.of(seg, i, atNorm2), o.m.of(seg, i, atNorm2Bias), layerNormEps, out, t.mean2, t.rstd2)
}

// attend averages the tokens of each sequence with the weights of every head.
func (o *blocksOp) attend(c chunk, t *tape, scratch *kernel.Scratch) {
	w, scores := o.m.Width, 0
	for s := c.from; s < c.to; s++ {
		first, n := o.seqs.At(s)
		rows, keys := n*o.m.Heads, o.seqs.Keys[s]
		lo, ld := first-c.lo, scoreStride(keys)
		x, wide := t.x[lo*w:(lo+keys)*w], lo*o.m.Heads*w
		a := t.a[scores : scores+rows*ld]
		kernel.Gemm(kernel.NT, rows, keys, w, t.u[wide:], w, x, w, false, a, ld, scratch)
		kernel.SoftmaxRows(rows, keys, a, ld)
		kernel.Gemm(kernel.NN, rows, w, keys, a, ld, x, w, false, t.o[wide:], w, scratch)
		scores += rows * ld
	}
}
