package nn

import (
	"fmt"
	"unsafe"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Value is a node of a Graph: rows of Width floats, as many as its Extent says
// in a given run; or, where the Extent is nil, one row (a parameter segment, or
// a scalar if the width is 1).
type Value struct {
	graph *Graph
	name  string
	ext   *Extent
	width int
	node  *gorgonia.Node

	net    *Network // of a segment of parameters, else nil
	mem    *memory  // nil for the result of a stock node
	param  *param   // set for a parameter
	learns bool     // a gradient may flow into it
}

// Name is the name that errors use.
func (v *Value) Name() string { return v.name }

// Extent is the number of rows, nil for a single one.
func (v *Value) Extent() *Extent { return v.ext }

// Width is the number of floats in a row.
func (v *Value) Width() int { return v.width }

// Data is the value's N rows. For an input it is what the next run reads, to be
// filled after the Extent was set; for a result it is what the last run wrote.
// It stays valid until the next run. For the result of a stock node it is nil
// before the first run.
func (v *Value) Data() []float32 {
	if v.mem != nil {
		v.mem.touch()
		return v.mem.mat().Data
	}
	if v.graph.program == nil {
		return nil
	}
	m, err := matOf(v.graph.program.value(v.node), v.ext, v.width)
	if err != nil {
		return nil
	}
	return m.Data
}

// memory is a matrix of as many rows as an Extent has room for. Rows from N on
// are kept zero, so that stock nodes, which see all of them, never meet
// leftovers of a larger batch.
type memory struct {
	ext   *Extent
	width int
	data  []float32
	dirty int            // rows that may differ from zero
	value gorgonia.Value // header over data
}

// newMemory makes the matrix; data is nil to allocate it. Without an Extent a
// scalar (width 1) is meant if scalar is set.
func newMemory(ext *Extent, width int, scalar bool, data []float32) *memory {
	rows := 1
	if ext != nil {
		rows = ext.Cap
	}
	if data == nil {
		data = make([]float32, rows*width)
	}
	m := &memory{ext: ext, width: width, data: data}
	if scalar {
		m.value = (*gorgonia.F32)(&data[0])
	} else {
		m.value = tensor.New(tensor.WithShape(rows, width), tensor.WithBacking(data))
	}
	return m
}

// mat is the matrix of the current run's rows.
func (m *memory) mat() Mat {
	n := rowsOf(m.ext)
	return Mat{Rows: n, Cols: m.width, Data: m.data[: n*m.width : n*m.width]}
}

// touch notes that the current rows are being written.
func (m *memory) touch() { m.dirty = max(m.dirty, rowsOf(m.ext)) }

// settle clears what earlier, longer runs left behind the current rows.
func (m *memory) settle() {
	if n := rowsOf(m.ext); m.ext != nil && m.dirty > n {
		clear(m.data[n*m.width : m.dirty*m.width])
		m.dirty = n
	}
}

func rowsOf(ext *Extent) int {
	if ext == nil {
		return 1
	}
	return ext.N
}

// matOf reads the current rows of a tensor or scalar that Gorgonia computed.
func matOf(v gorgonia.Value, ext *Extent, width int) (Mat, error) {
	switch v := v.(type) {
	case *gorgonia.F32:
		return Mat{1, 1, unsafe.Slice((*float32)(v), 1)}, nil
	case *tensor.Dense:
		if v.Dtype() != tensor.Float32 {
			return Mat{}, fmt.Errorf("tensor of %v, want float32", v.Dtype())
		}
		if v.RequiresIterator() {
			v = v.Materialize().(*tensor.Dense)
		}
		n, data := rowsOf(ext), v.Float32s()
		if len(data) < n*width {
			return Mat{}, fmt.Errorf("tensor of shape %v, want %d rows of %d", v.Shape(), n, width)
		}
		return Mat{n, width, data[: n*width : n*width]}, nil
	}
	return Mat{}, fmt.Errorf("no value of type %T, want a float32 matrix", v)
}
