package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"macpro/core"
	"macpro/core/names"
)

// fieldSet is the set of keys that a run may set.
type fieldSet struct {
	byKey map[string]core.Field
	owner map[string]string // key -> who declares it, as in "method ewc"
	// known has the keys of plugins that are not part of the run.
	known map[string]string
	// hints has sentences about names that other programs use.
	hints map[string]string
}

func newFieldSet(known, hints map[string]string) *fieldSet {
	return &fieldSet{byKey: map[string]core.Field{}, owner: map[string]string{}, known: known, hints: hints}
}

// add takes the keys of one owner.
func (fs *fieldSet) add(owner string, fields []core.Field, ps *problems) {
	for _, f := range fields {
		at := Origin{Source: owner}
		if other, taken := fs.owner[f.Key]; taken {
			ps.add(at, "key %q is declared by %s, too", f.Key, other)
			continue
		}
		if !validKey(f.Key) {
			ps.add(at, "key %q does not consist of lower-case words joined by dots", f.Key)
			continue
		}
		var err error
		if err := checkOnly(f.Only); err != nil {
			ps.add(at, "key %q: %v", f.Key, err)
			continue
		}
		if f.Neutral, err = neutral(f); err != nil {
			ps.add(at, "key %q: %v", f.Key, err)
			continue
		}
		fs.byKey[f.Key], fs.owner[f.Key] = f, owner
	}
}

func (fs *fieldSet) keys() []string { return slices.Sorted(maps.Keys(fs.byKey)) }

// section says whether some keys lie below key.
func (fs *fieldSet) section(key string) bool {
	for k := range fs.byKey {
		if strings.HasPrefix(k, key+".") {
			return true
		}
	}
	return false
}

// maxKey bounds what is searched for a similar key.
const maxKey = 80

func (fs *fieldSet) explain(key string) string {
	if owner, ok := fs.known[key]; ok {
		return fmt.Sprintf("key %q belongs to %s, which is not part of this run", key, owner)
	}
	if fs.section(key) {
		return fmt.Sprintf("%q is a section; set the keys below it: %s", key, strings.Join(fs.below(key), ", "))
	}
	if parent := key[:max(0, strings.LastIndex(key, "."))]; parent != "" {
		if f, ok := fs.byKey[parent]; ok {
			return fmt.Sprintf("%q is %s and has no keys below it", parent, kindName(f.Kind))
		}
	}
	if len(key) > maxKey {
		return fmt.Sprintf("%q... is no key", key[:maxKey])
	}
	msg := fmt.Sprintf("unknown key %q", key)
	if hint := fs.hint(key); hint != "" {
		return msg + ": " + hint
	}
	if near := nearest(key, append(fs.keys(), slices.Sorted(maps.Keys(fs.known))...)); near != "" {
		msg += fmt.Sprintf(", did you mean %q?", near)
		if owner, other := fs.known[near]; other {
			msg += fmt.Sprintf(" (that key belongs to %s, which is not part of this run)", owner)
		}
		return msg
	}
	return msg + "; --dry-run lists the keys of a run"
}

// hint is what is known of a name, or of the section that it stands in.
func (fs *fieldSet) hint(key string) string {
	for ; key != ""; key = key[:max(0, strings.LastIndex(key, "."))] {
		if h, ok := fs.hints[key]; ok {
			return h
		}
	}
	return ""
}

// nearest is the key that was meant: one of the same name elsewhere, or else the one
// whose name is nearest. A section that both are in says nothing about their names.
func nearest(key string, all []string) string {
	section := key[:strings.LastIndex(key, ".")+1]
	var here []string
	for _, k := range all {
		if k[strings.LastIndex(k, ".")+1:] == key[len(section):] {
			return k
		}
		if section != "" && strings.HasPrefix(k, section) {
			here = append(here, k[len(section):])
		}
	}
	if section == "" || here == nil {
		return names.Nearest(key, all)
	}
	if near := names.Nearest(key[len(section):], here); near != "" {
		return section + near
	}
	return ""
}

func (fs *fieldSet) below(section string) []string {
	var keys []string
	for _, k := range fs.keys() {
		if strings.HasPrefix(k, section+".") {
			keys = append(keys, k)
		}
	}
	return keys
}
