package export

import (
	"encoding/binary"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields and enumerations in onnx.proto.
const (
	irVersion    = 7
	opsetVersion = 13

	modelIRVersion, modelProducer, modelGraph, modelOpset, modelMeta = 1, 2, 7, 8, 14
	graphNode, graphName, graphInitializer, graphInput, graphOutput  = 1, 2, 5, 11, 12
	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute           = 1, 2, 3, 4, 5
	attributeName, attributeInt, attributeType, attributeTypeInt     = 1, 3, 20, 2
	tensorDims, tensorType, tensorName, tensorRaw                    = 1, 2, 8, 9
	typeFloat, typeInt64                                             = 1, 7
)

// graph is an ONNX graph under construction. Values are known by name.
type graph struct {
	body message // nodes and initializers
	ends message // inputs and outputs
}

func (g *graph) tensor(name string, data []float32, shape ...int) string {
	g.constant(name, typeFloat, littleEndian(data), shape)
	return name
}

func (g *graph) sizes(name string, v ...int) string {
	var raw []byte
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(x))
	}
	g.constant(name, typeInt64, raw, []int{len(v)})
	return name
}

func (g *graph) constant(name string, kind int64, raw []byte, shape []int) {
	var t message
	for _, d := range shape {
		t.int(tensorDims, int64(d))
	}
	t.int(tensorType, kind)
	t.text(tensorName, name)
	t.bytes(tensorRaw, raw)
	g.body.bytes(graphInitializer, t)
}

// attribute is an integer attribute of a node.
type attribute struct {
	name  string
	value int64
}

// node adds an operation that computes the value out, or several.
func (g *graph) node(op string, in, out []string, attributes ...attribute) {
	var n message
	for _, v := range in {
		n.text(nodeInput, v)
	}
	for _, v := range out {
		n.text(nodeOutput, v)
	}
	n.text(nodeName, out[0])
	n.text(nodeOp, op)
	for _, a := range attributes {
		var m message
		m.text(attributeName, a.name)
		m.int(attributeInt, a.value)
		m.int(attributeType, attributeTypeInt)
		n.bytes(nodeAttribute, m)
	}
	g.body.bytes(graphNode, n)
}

// apply adds an operation with one result and returns its name.
func (g *graph) apply(out, op string, in ...string) string {
	g.node(op, in, []string{out})
	return out
}

// linear adds y = x W' + b.
func (g *graph) linear(out, x, weight, bias string) string {
	g.node("Gemm", []string{x, weight, bias}, []string{out}, attribute{"transB", 1})
	return out
}

// end declares an input or output of float rows: [batch, width].
func (g *graph) end(field protowire.Number, name string, width int) {
	var batch, cols, shape, tensor, kind, v message
	batch.text(2, "batch") // dim_param
	cols.int(1, int64(width))
	shape.bytes(1, batch)
	shape.bytes(1, cols)
	tensor.int(1, typeFloat)
	tensor.bytes(2, shape)
	kind.bytes(1, tensor) // tensor_type
	v.text(1, name)
	v.bytes(2, kind)
	g.ends.bytes(field, v)
}

func (g *graph) model(name, producer string, meta map[string]string) []byte {
	var body, opset, m message
	body = append(body, g.body...)
	body.text(graphName, name)
	body = append(body, g.ends...)
	opset.text(1, "")
	opset.int(2, opsetVersion)
	m.int(modelIRVersion, irVersion)
	m.text(modelProducer, producer)
	m.bytes(modelGraph, body)
	m.bytes(modelOpset, opset)
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		var entry message
		entry.text(1, key)
		entry.text(2, meta[key])
		m.bytes(modelMeta, entry)
	}
	return m
}
