package nn

import (
	"fmt"

	"macpro/core/nn/internal/kernel"
)

// Acting never runs a graph: a step of a few rows takes microseconds, less than
// a machine needs to start. The types here apply modules to rows with packed
// weights, which are packed again when the network's version has changed. Their
// results are bit for bit those of the modules' operations in a graph.
// Each serves one goroutine at a time and does not allocate once it has grown.

// Dense applies an MLP to rows.
type Dense struct {
	m       MLP
	kept    kept // of weights, without a network if they are loaded
	loaded  bool
	weights weightsOf
	acts    [2][]float32
	x, y    []float32 // rows gathered for ApplyRows
}

// NewDense makes the inference of m on the parameters of net. With net nil the
// parameters are given by Load.
func NewDense(net *Network, m MLP) *Dense { return &Dense{m: m, kept: kept{net: net}} }

// Load packs parameters that are kept outside of a network, such as a saved
// head: a copy of the module's segment. They are copied.
func (d *Dense) Load(segment []float32) error {
	if len(segment) != d.m.Len {
		return fmt.Errorf("MLP %s: %d parameters, the module has %d", d.m.Name, len(segment), d.m.Len)
	}
	d.weights.pack(d.m, segment)
	d.loaded = true
	return nil
}

// Apply computes y [rows,Out] from x [rows,In].
func (d *Dense) Apply(rows int, x, y []float32) error {
	if err := needRows("MLP", d.m.Name, rows, x, d.m.In(), y, d.m.Out()); err != nil {
		return err
	}
	if net := d.kept.net; net == nil && !d.loaded {
		return fmt.Errorf("MLP %s: applied before its parameters were loaded", d.m.Name)
	} else if net != nil && !d.kept.fresh() {
		d.weights.pack(d.m, d.m.Of(net.Params))
	}
	for lo := 0; lo < rows; lo += blockRows {
		d.block(min(blockRows, rows-lo), x[lo*d.m.In():], y[lo*d.m.Out():])
	}
	return nil
}

// ApplyRows computes the rows of y that are named in rows from the same rows of
// x and leaves the others as they are, as when several heads share a batch.
func (d *Dense) ApplyRows(rows []int32, x, y []float32) error {
	in, out := d.m.In(), d.m.Out()
	d.x, d.y = room(d.x, len(rows)*in), room(d.y, len(rows)*out)
	for i, r := range rows {
		if r < 0 || len(x) < int(r+1)*in || len(y) < int(r+1)*out {
			return fmt.Errorf("MLP %s: row %d of %d inputs and %d outputs", d.m.Name, r, len(x), len(y))
		}
		copy(d.x[i*in:(i+1)*in], x[int(r)*in:])
	}
	if err := d.Apply(len(rows), d.x, d.y); err != nil {
		return err
	}
	for i, r := range rows {
		copy(y[int(r)*out:int(r+1)*out], d.y[i*out:])
	}
	return nil
}

func (d *Dense) block(rows int, x, y []float32) {
	last := d.m.layers() - 1
	for i := range last {
		next := room(d.acts[i&1], rows*d.m.Widths[i+1])
		d.acts[i&1] = next
		d.weights.layer(i, rows, x, ActReLU, next)
		x = next
	}
	d.weights.layer(last, rows, x, d.m.Last, y)
}

func needRows(kind, name string, rows int, x []float32, in int, y []float32, out int) error {
	if rows < 0 || len(x) < rows*in || len(y) < rows*out {
		return fmt.Errorf("%s %s: %d rows need %d inputs and %d outputs, got %d and %d", kind, name, rows, rows*in, rows*out, len(x), len(y))
	}
	return nil
}

// Cell applies one step of a GRU to rows.
type Cell struct {
	m        GRU
	kept     kept // of wIH and wHH
	wIH, wHH kernel.Packed
	gx, gh   []float32
	r, z, n  []float32
	scratch  kernel.Scratch
}

// NewCell makes the inference of m on the parameters of net.
func NewCell(net *Network, m GRU) *Cell { return &Cell{m: m, kept: kept{net: net}} }

// Step replaces the hidden states h [rows,Hidden] by their successors after the
// inputs x [rows,In].
func (c *Cell) Step(rows int, x, h []float32) error {
	if err := needRows("GRU", c.m.Name, rows, x, c.m.In, h, c.m.Hidden); err != nil {
		return err
	}
	in, w := c.m.In, c.m.Hidden
	seg := c.m.Of(c.kept.net.Params)
	if !c.kept.fresh() {
		c.m.pack(&c.wIH, true, in, 3*w, c.m.wIH(seg), in)
		c.m.pack(&c.wHH, true, w, 3*w, c.m.wHH(seg), w)
	}
	c.gx, c.gh = room(c.gx, rows*3*w), room(c.gh, rows*3*w)
	c.r, c.z, c.n = room(c.r, rows*w), room(c.z, rows*w), room(c.n, rows*w)
	kernel.GemmBiasAct(rows, x, in, &c.wIH, c.m.bIH(seg), ActNone, c.gx, 3*w, &c.scratch)
	kernel.GemmBiasAct(rows, h, w, &c.wHH, c.m.bHH(seg), ActNone, c.gh, 3*w, &c.scratch)
	kernel.GRUGates(rows, w, c.gx, c.gh, h, c.r, c.z, c.n, h)
	return nil
}

// Recurrent is the feature extractor phi of a recurrent agent: an MLP followed
// by a GRU whose hidden state is the feature.
type Recurrent struct {
	dense *Dense
	cell  *Cell
	x     []float32
}

// NewRecurrent joins an MLP and a GRU of one network.
func NewRecurrent(net *Network, m MLP, g GRU) (*Recurrent, error) {
	if m.Out() != g.In {
		return nil, fmt.Errorf("MLP %s has %d outputs, GRU %s reads %d", m.Name, m.Out(), g.Name, g.In)
	}
	return &Recurrent{dense: NewDense(net, m), cell: NewCell(net, g)}, nil
}

// Step advances the hidden states h [rows,Hidden] by the observations x
// [rows,In].
func (r *Recurrent) Step(rows int, x, h []float32) error {
	r.x = room(r.x, rows*r.cell.m.In)
	if err := r.dense.Apply(rows, x, r.x); err != nil {
		return err
	}
	return r.cell.Step(rows, r.x, h)
}
