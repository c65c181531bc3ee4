package export

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// This is a small reader and evaluator of ONNX models, written against the
// public schema and independent of the writer: fields are told apart by the
// numbers that onnx.proto gives them.

// field is one field of a message.
type field struct {
	number uint64
	value  uint64
	data   []byte
}

func parse(b []byte) ([]field, error) {
	var out []field
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errors.New("a broken tag")
		}
		b = b[n:]
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errors.New("a broken number")
		}
		b = b[n:]
		f := field{number: tag >> 3, value: v}
		switch tag & 7 {
		case 0:
		case 2:
			if v > uint64(len(b)) {
				return nil, errors.New("bytes beyond the end")
			}
			f.data, b = b[:v], b[v:]
		default:
			return nil, fmt.Errorf("wire type %d", tag&7)
		}
		out = append(out, f)
	}
	return out, nil
}

// array is a tensor of one or two dimensions.
type array struct {
	shape []int
	x     []float64
}

// node is an operation.
type node struct {
	op      string
	in, out []string
	ints    map[string]int64
}

// onnxModel is what the evaluator needs of a file.
type onnxModel struct {
	ir, opset       uint64
	meta            map[string]string
	nodes           []node
	constants       map[string]array
	inputs, outputs []string
	widths          map[string]uint64 // of inputs and outputs
	free            map[string]string // name of the first axis
}

func readModel(b []byte) (*onnxModel, error) {
	m := &onnxModel{meta: map[string]string{}, constants: map[string]array{}, widths: map[string]uint64{}, free: map[string]string{}}
	fields, err := parse(b)
	for _, f := range fields {
		switch f.number {
		case 1:
			m.ir = f.value
		case 7:
			err = errors.Join(err, m.graph(f.data))
		case 8:
			opset, e := parse(f.data)
			err = errors.Join(err, e)
			for _, g := range opset {
				if g.number == 2 {
					m.opset = g.value
				}
			}
		case 14:
			entry, e := parse(f.data)
			err = errors.Join(err, e)
			m.meta[string(entry[0].data)] = string(entry[1].data)
		}
	}
	return m, err
}

func (m *onnxModel) graph(b []byte) error {
	fields, err := parse(b)
	for _, f := range fields {
		switch f.number {
		case 1:
			err = errors.Join(err, m.node(f.data))
		case 5:
			err = errors.Join(err, m.constant(f.data))
		case 11, 12:
			name, e := m.end(f.data)
			err = errors.Join(err, e)
			if f.number == 11 {
				m.inputs = append(m.inputs, name)
			} else {
				m.outputs = append(m.outputs, name)
			}
		}
	}
	return err
}

func (m *onnxModel) node(b []byte) error {
	n := node{ints: map[string]int64{}}
	fields, err := parse(b)
	for _, f := range fields {
		switch f.number {
		case 1:
			n.in = append(n.in, string(f.data))
		case 2:
			n.out = append(n.out, string(f.data))
		case 4:
			n.op = string(f.data)
		case 5:
			attribute, e := parse(f.data)
			err = errors.Join(err, e)
			name, kind := "", uint64(0)
			for _, a := range attribute {
				switch a.number {
				case 1:
					name = string(a.data)
				case 3:
					n.ints[name] = int64(a.value)
				case 20:
					kind = a.value
				}
			}
			if kind != 2 {
				err = errors.Join(err, fmt.Errorf("attribute %s has type %d, want INT", name, kind))
			}
		}
	}
	m.nodes = append(m.nodes, n)
	return err
}

func (m *onnxModel) constant(b []byte) error {
	var a array
	name, kind := "", uint64(0)
	var raw []byte
	fields, err := parse(b)
	for _, f := range fields {
		switch f.number {
		case 1:
			a.shape = append(a.shape, int(f.value))
		case 2:
			kind = f.value
		case 8:
			name = string(f.data)
		case 9:
			raw = f.data
		}
	}
	for len(raw) > 0 {
		switch kind {
		case 1:
			a.x = append(a.x, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
			raw = raw[4:]
		case 7:
			a.x = append(a.x, float64(int64(binary.LittleEndian.Uint64(raw))))
			raw = raw[8:]
		default:
			return fmt.Errorf("constant %s has type %d", name, kind)
		}
	}
	m.constants[name] = a
	return err
}

func (m *onnxModel) end(b []byte) (string, error) {
	info, err := parse(b)
	if err != nil {
		return "", err
	}
	kind, err := parse(info[1].data)
	if err != nil {
		return "", err
	}
	tensor, err := parse(kind[0].data)
	if err != nil {
		return "", err
	}
	if tensor[0].value != 1 {
		return "", fmt.Errorf("elements of type %d, want FLOAT", tensor[0].value)
	}
	shape, err := parse(tensor[1].data)
	if err != nil {
		return "", err
	}
	batch, err := parse(shape[0].data)
	if err != nil {
		return "", err
	}
	cols, err := parse(shape[1].data)
	if err != nil {
		return "", err
	}
	name := string(info[0].data)
	m.free[name], m.widths[name] = string(batch[0].data), cols[0].value
	if batch[0].number != 2 || cols[0].number != 1 {
		err = fmt.Errorf("%s: want a free first axis and a fixed second one", name)
	}
	return name, err
}

// run computes all values from those of the inputs.
func (m *onnxModel) run(values map[string]array) error {
	maps.Copy(values, m.constants)
	for _, n := range m.nodes {
		var in []array
		for _, name := range n.in {
			v, ok := values[name]
			if !ok {
				return fmt.Errorf("%s reads %q before it is computed", n.op, name)
			}
			in = append(in, v)
		}
		out, err := n.apply(in)
		if err != nil {
			return err
		}
		for i, name := range n.out {
			if _, ok := values[name]; ok {
				return fmt.Errorf("%q is computed twice", name)
			}
			values[name] = out[i]
		}
	}
	return nil
}

func (n *node) apply(in []array) ([]array, error) {
	switch n.op {
	case "Gemm":
		if n.ints["transB"] != 1 {
			return nil, errors.New("Gemm without transB")
		}
		return []array{gemm(in[0], in[1], in[2])}, nil
	case "Split":
		return split(in[0], in[1], n.ints["axis"])
	case "Relu":
		return one(in[0], func(x float64) float64 { return max(x, 0) }), nil
	case "Sigmoid":
		return one(in[0], func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }), nil
	case "Tanh":
		return one(in[0], math.Tanh), nil
	case "Add":
		return two(in, func(x, y float64) float64 { return x + y })
	case "Sub":
		return two(in, func(x, y float64) float64 { return x - y })
	case "Mul":
		return two(in, func(x, y float64) float64 { return x * y })
	}
	return nil, fmt.Errorf("operation %q", n.op)
}

func gemm(x, w, b array) array {
	rows, in, out := x.shape[0], x.shape[1], w.shape[0]
	y := array{[]int{rows, out}, make([]float64, rows*out)}
	for r := range rows {
		for o := range out {
			sum := b.x[o]
			for i := range in {
				sum += x.x[r*in+i] * w.x[o*in+i]
			}
			y.x[r*out+o] = sum
		}
	}
	return y
}

func split(x, sizes array, axis int64) ([]array, error) {
	if axis != 1 {
		return nil, fmt.Errorf("Split along axis %d", axis)
	}
	var out []array
	rows, cols, from := x.shape[0], x.shape[1], 0
	for _, s := range sizes.x {
		p := array{shape: []int{rows, int(s)}}
		for r := range rows {
			p.x = append(p.x, x.x[r*cols+from:r*cols+from+int(s)]...)
		}
		from += int(s)
		out = append(out, p)
	}
	if from != cols {
		return nil, fmt.Errorf("%d of %d columns split", from, cols)
	}
	return out, nil
}

func one(x array, f func(float64) float64) []array {
	y := array{x.shape, slices.Clone(x.x)}
	for i, v := range y.x {
		y.x[i] = f(v)
	}
	return []array{y}
}

// two applies f to arrays of equal shape; a vector or a single number is
// repeated for every row.
func two(in []array, f func(x, y float64) float64) ([]array, error) {
	a, b := in[0], in[1]
	big := a
	if len(b.x) > len(a.x) {
		big = b
	}
	for _, s := range in {
		n := len(s.x)
		if !slices.Equal(s.shape, big.shape) && !(len(s.shape) == 1 && (n == 1 || n == big.shape[1])) {
			return nil, fmt.Errorf("shapes %v and %v", a.shape, b.shape)
		}
	}
	y := array{big.shape, make([]float64, len(big.x))}
	for i := range y.x {
		y.x[i] = f(a.x[i%len(a.x)], b.x[i%len(b.x)])
	}
	return []array{y}, nil
}
