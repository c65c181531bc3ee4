package config

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// flow writes a value in one line of YAML, as it is written in a file.
func flow(v any) string {
	b, err := yaml.Marshal(valueNode(v))
	if err != nil {
		panic(err) // a list or a scalar always has a form
	}
	return strings.TrimSuffix(string(b), "\n")
}

// valueNode turns a typed value into a YAML node. Floats keep a point or an
// exponent, so that they look like what they are.
func valueNode(v any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch v := v.(type) {
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	case int:
		n.Tag, n.Value = "!!int", strconv.Itoa(v)
	case float64:
		n.Tag, n.Value = "!!float", number(v)
		if !strings.ContainsAny(n.Value, ".e") {
			n.Value += ".0"
		}
	case string:
		n.SetString(v)
	case []string:
		n = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, s := range v {
			n.Content = append(n.Content, valueNode(s))
		}
	case []int:
		n = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, i := range v {
			n.Content = append(n.Content, valueNode(i))
		}
	}
	return n
}

// mapping is a YAML section that is filled by dotted keys.
type mapping struct {
	node     *yaml.Node
	sections map[string]*mapping
}

func newMapping() *mapping {
	return &mapping{&yaml.Node{Kind: yaml.MappingNode}, map[string]*mapping{}}
}

// put adds a key at its place; keys arrive in order.
func (m *mapping) put(key string, v *yaml.Node) {
	head, rest, nested := strings.Cut(key, ".")
	if !nested {
		m.node.Content = append(m.node.Content, valueNode(head), v)
		return
	}
	s, ok := m.sections[head]
	if !ok {
		s = newMapping()
		m.sections[head] = s
		m.node.Content = append(m.node.Content, valueNode(head), s.node)
	}
	s.put(rest, v)
}

// encode writes the section.
func (m *mapping) encode() []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(m.node), e.Close()); err != nil {
		panic(err) // a tree of mappings, lists and scalars always has a form
	}
	return b.Bytes()
}
