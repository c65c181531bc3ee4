package config

import (
	"math/big"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/core"
)

// SameValue says whether a value that someone wrote is the recorded one. The kind
// follows from the recorded value: numbers are compared as numbers, truth values
// and lists as such, anything else as text.
func SameValue(recorded, written string) bool {
	written = strings.TrimSpace(written)
	if recorded == written {
		return true
	}
	if x, err := parseBool(recorded); err == nil {
		y, err := parseBool(written)
		return err == nil && x == y
	}
	if x, ok := exact(recorded); ok {
		y, ok := exact(written)
		return ok && x.Cmp(y) == 0
	}
	x, ok := list(recorded)
	if !ok {
		text, err := textNode(written)
		return err == nil && text.Kind == yaml.ScalarNode && text.Value == recorded // it may be quoted
	}
	y, ok := list(written)
	return ok && slices.EqualFunc(x, y, SameValue)
}

// exact is the value of a number.
func exact(text string) (*big.Rat, bool) {
	digits, err := digits(text, core.Float)
	if err != nil {
		return nil, false
	}
	return new(big.Rat).SetString(digits)
}

// list reads a list in one line.
func list(text string) ([]string, bool) {
	if !strings.HasPrefix(text, "[") {
		return nil, false
	}
	n, err := textNode(text)
	if err != nil || n.Kind != yaml.SequenceNode {
		return nil, false
	}
	out := []string{}
	for _, e := range n.Content {
		out = append(out, e.Value)
	}
	return out, true
}
