package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// plainWord is what needs no look at the rules of YAML: it neither is a number nor, but
// for some short ones, another word for one, a truth value or nothing.
var plainWord = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// shortWords are those of the form of plainWord that YAML reads as something else.
var shortWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// flow writes a value in one line of YAML, as it is written in a file.
func flow(v any) string {
	switch v := v.(type) {
	case bool, int, float64:
		return valueNode(v).Value
	case string:
		if plainWord.MatchString(v) && !slices.Contains(shortWords, v) {
			return v
		}
	}
	return marshalled(valueNode(v))
}

// quoted is a text in one line, whatever is in it.
func quoted(s string) string {
	return marshalled(&yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: s})
}

func marshalled(n *yaml.Node) string {
	b, err := yaml.Marshal(n)
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
