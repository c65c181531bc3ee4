package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/core"
)

// gather turns the keys of a layer that stand below a key with a list for them
// (core.Field.Below) into one value of that list, whose entries join those of weaker
// layers. A section in an argument or a variable, as in key={a: 1}, counts like the
// keys in it. Values are checked as those of the key above them.
func gather(keys []raw, fs *fieldSet, ps *problems) (out []raw) {
	lists := map[string]*raw{}
	add := func(f core.Field, name string, r raw) {
		v, err := r.value(f)
		if err != nil {
			ps.add(r.at, "%s: %v", r.key, err)
			return
		}
		l := lists[f.Below]
		if l == nil {
			l = &raw{key: f.Below, node: &yaml.Node{Kind: yaml.SequenceNode}, at: r.at, joins: true}
			lists[f.Below] = l
		}
		l.node.Content = append(l.node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: name + "=" + flow(v)})
	}
	for _, r := range keys {
		parent, name, nested := strings.Cut(r.key, ".")
		f, ok := fs.byKey[parent]
		switch {
		case !ok || f.Below == "" || !nested && !strings.HasPrefix(r.text, "{"):
			out = append(out, r)
			continue
		case !nested:
			for _, e := range parseDocument([]byte(r.text), r.at, ps) {
				add(f, e.key, raw{key: r.key + "." + e.key, node: e.node, at: r.at})
			}
			continue
		}
		add(f, name, r)
	}
	for _, r := range out {
		if l := lists[r.key]; l != nil {
			ps.add(l.at, "%s is set twice: by itself and by keys below another one", r.key)
			delete(lists, r.key)
		}
	}
	for _, l := range lists {
		out = append(out, *l)
	}
	return out
}

// over is the value of an entry after the steps of weaker layers: what stands below a
// key takes the places of entries with its names only.
func (e entry) over(weaker []Step) any {
	own, ok := e.value.([]string)
	if !ok || !e.joins || len(weaker) == 0 {
		return e.value
	}
	old, _ := weaker[len(weaker)-1].Value.([]string)
	var all []string
	for _, o := range old {
		if !slices.ContainsFunc(own, func(n string) bool { return nameOf(n) == nameOf(o) }) {
			all = append(all, o)
		}
	}
	return append(all, own...)
}

// nameOf is the name in an entry name=value.
func nameOf(e string) string {
	name, _, _ := strings.Cut(e, "=")
	return strings.TrimSpace(name)
}
