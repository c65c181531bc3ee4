package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"macpro/core/names"
)

// raw is one key of a layer with its value as it was written: a YAML node, or
// plain text if the node is nil.
type raw struct {
	key  string
	node *yaml.Node
	text string
	at   Origin
	list kind // what a list does to those of weaker layers
}

// maxDocument bounds a configuration file; real ones have a few kilobytes.
const maxDocument = 1 << 20

// parseDocument reads the YAML file of a layer and lists its keys with dotted
// paths, in the order of the file. at names the layer and the file.
func parseDocument(data []byte, at Origin, ps *problems) []raw {
	if len(data) > maxDocument {
		ps.add(at, "the file has %d bytes; a configuration has at most %d", len(data), maxDocument)
		return nil
	}
	if at.Line = unreadable(data); at.Line > 0 {
		ps.add(at, "the line holds bytes that are not text in UTF-8")
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if !errors.Is(err, io.EOF) {
			addSyntax(ps, at, err)
		}
		return nil
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		at.Line = second.Line
		ps.add(at, "a second document starts here; a configuration is one document")
		return nil
	case !errors.Is(err, io.EOF):
		addSyntax(ps, at, err)
		return nil
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" && root.Value == "" {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		at.Line = root.Line
		ps.add(at, "a configuration consists of lines of the form key: value")
		return nil
	}
	d := flattener{at: at, ps: ps, seen: map[string]int{}}
	d.section("", root)
	return d.out
}

// unreadable returns the first line with bytes that are not text, or 0.
func unreadable(data []byte) int {
	for line := 1; len(data) > 0; {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 || unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) {
			return line
		}
		if r == '\n' {
			line++
		}
		data = data[size:]
	}
	return 0
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// addSyntax reports an error of the YAML parser at its line.
func addSyntax(ps *problems, at Origin, err error) {
	msg := names.YAML(strings.TrimPrefix(err.Error(), "yaml: "))
	at.Line = 1 // the parser names every other line
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		at.Line, _ = strconv.Atoi(m[1])
		msg = strings.Replace(msg, m[0], "", 1)
	}
	ps.add(at, "not valid YAML: %s", msg)
}

type flattener struct {
	at   Origin
	ps   *problems
	seen map[string]int // key -> line
	out  []raw
}

func (d *flattener) section(prefix string, m *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		k, v := m.Content[i], m.Content[i+1]
		at := d.at
		at.Line = k.Line
		if k.Kind != yaml.ScalarNode || k.Value == "" || k.ShortTag() == "!!merge" || k.Anchor != "" {
			d.ps.add(at, "a key is a plain word")
			continue
		}
		key := prefix + k.Value
		if line, dup := d.seen[key]; dup {
			d.ps.add(at, "%s is set twice, first in line %d", key, line)
			continue
		}
		d.seen[key] = k.Line
		if v.Kind == yaml.MappingNode && len(v.Content) > 0 && v.Anchor == "" {
			d.section(key+".", v)
			continue
		}
		d.out = append(d.out, raw{key: key, node: v, at: at})
	}
}

// plainScalar returns the text of a scalar node; wantText says that the key
// takes text, so that quotes are welcome.
func plainScalar(n *yaml.Node, wantText bool) (string, error) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return "", errors.New("anchors and aliases are not supported; write the value out")
	case n.Style&yaml.TaggedStyle != 0:
		return "", fmt.Errorf("the tag %s is not supported; write the value alone", n.Tag)
	case n.Kind == yaml.SequenceNode:
		return "", errors.New("a list stands where a single value belongs")
	case n.Kind == yaml.MappingNode:
		return "", errors.New("a section stands where a single value belongs")
	case n.ShortTag() == "!!null":
		return "", errors.New("the value is missing (null)")
	case !wantText && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		return "", fmt.Errorf("%q is in quotes and thus a text; write it without them", n.Value)
	}
	return n.Value, nil
}
