package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/core"
)

// gather turns the keys of a layer that stand below a key with a list for them
// (core.Field.Below) into one value of that list, whose entries join those of weaker
// layers. A layer that sets the key itself takes those away: it means every name that
// it does not list. A section in an argument or a variable, as in key={a: 1}, counts
// like the keys in it. Values are checked as those of the key above them.
func gather(keys []raw, fs *fieldSet, ps *problems) (out []raw) {
	var whole []raw // lists for names below a key that is set itself
	lists := map[string]*raw{}
	list := func(key string, at Origin) *raw {
		if lists[key] == nil {
			lists[key] = &raw{key: key, node: &yaml.Node{Kind: yaml.SequenceNode}, at: at, list: joins}
		}
		return lists[key]
	}
	add := func(f core.Field, name string, r raw) {
		v, err := r.value(f)
		if err != nil {
			ps.add(r.at, "%s: %v", r.key, err)
			return
		}
		l := list(f.Below, r.at)
		l.node.Content = append(l.node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: name + "=" + flow(v)})
	}
	for _, r := range keys {
		parent, name, nested := strings.Cut(r.key, ".")
		f, ok := fs.byKey[parent]
		switch {
		case !ok || f.Below == "":
			out = append(out, r)
			continue
		case !nested && !strings.HasPrefix(r.text, "{"):
			out = append(out, r)
			whole = append(whole, raw{key: f.Below, at: r.at})
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
		whole = slices.DeleteFunc(whole, func(w raw) bool { return w.key == r.key })
		if l := lists[r.key]; l != nil {
			ps.add(l.at, "%s is set twice: by itself and by keys below another one", r.key)
			delete(lists, r.key)
		}
	}
	for _, w := range whole {
		l := list(w.key, w.at)
		l.list = replaces
		if len(l.node.Content) == 0 {
			l.list = clears
		}
	}
	for _, l := range lists {
		out = append(out, *l)
	}
	return out
}

// kind says what a list does to those of weaker layers.
type kind int

const (
	replaces kind = iota
	joins         // its entries take the places of entries with their names only
	clears        // it is empty, and nothing if they are
)

// over is the value of an entry after the steps of weaker layers, false for none.
func (e entry) over(weaker []Step) (v any, ok bool) {
	if e.list == replaces {
		return e.value, true
	}
	var all []string
	if len(weaker) > 0 {
		all, _ = weaker[len(weaker)-1].Value.([]string)
	}
	if e.list == clears {
		return e.value, len(all) > 0
	}
	own, _ := e.value.([]string)
	all = slices.DeleteFunc(slices.Clone(all), func(old string) bool {
		return slices.ContainsFunc(own, func(n string) bool { return nameOf(n) == nameOf(old) })
	})
	return append(all, own...), true
}

func nameOf(e string) string {
	name, _, _ := strings.Cut(e, "=")
	return strings.TrimSpace(name)
}
