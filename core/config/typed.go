package config

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/core"
)

// entry is one key of a layer with its typed and checked value.
type entry struct {
	key   string
	value any
	at    Origin
	list  kind // like raw.list
}

func (r raw) value(f core.Field) (any, error) {
	v, err := r.parse(f)
	if err != nil {
		return nil, err
	}
	return v, checkValue(f, v)
}

func (r raw) parse(f core.Field) (any, error) {
	n := r.node
	if n == nil {
		switch {
		case r.text == "":
			return nil, errors.New("the value is missing")
		case listKind(f.Kind) || f.Kind == core.String && strings.ContainsAny(r.text[:1], `"'`):
			var err error
			if n, err = textNode(r.text); err != nil {
				return nil, err
			}
		default:
			return parseScalar(f.Kind, r.text)
		}
	}
	if listKind(f.Kind) {
		return parseList(f.Kind, n)
	}
	text, err := plainScalar(n, f.Kind == core.String)
	if err != nil {
		return nil, err
	}
	return parseScalar(f.Kind, text)
}

func listKind(k core.Kind) bool { return k == core.Strings || k == core.Ints }

// textNode parses the text of an argument or a variable as YAML.
func textNode(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return nil, fmt.Errorf("%q is not a value in YAML", text)
	}
	return doc.Content[0], nil
}

// maxList bounds the entries of a list, such as the tasks of a sequence.
const maxList = 1000

func parseList(kind core.Kind, n *yaml.Node) (any, error) {
	if n.Kind != yaml.SequenceNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		if text, err := plainScalar(n, true); err == nil {
			return nil, fmt.Errorf("%q is not %s; write [%s]", text, kindName(kind), text)
		}
		return nil, fmt.Errorf("want %s, such as %s", kindName(kind), example(kind))
	}
	if len(n.Content) > maxList {
		return nil, fmt.Errorf("the list has %d entries; at most %d are read", len(n.Content), maxList)
	}
	words, numbers := make([]string, 0, len(n.Content)), make([]int, 0, len(n.Content))
	for i, item := range n.Content {
		text, err := plainScalar(item, kind == core.Strings)
		if err == nil && kind == core.Ints {
			var x int
			x, err = ParseInt(text)
			numbers = append(numbers, x)
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		words = append(words, text)
	}
	if kind == core.Ints {
		return numbers, nil
	}
	return words, nil
}
