package config

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/knadh/koanf/v2"

	"macpro/core"
	"macpro/core/names"
)

// Config is the resolved configuration of a run. It never changes.
type Config struct {
	stem    *Stem
	user    map[string]any // the values of the user's layers, by key
	once    sync.Once
	merged  *koanf.Koanf      // all values; see values
	history map[string][]Step // by key; the last step holds
	text    map[string]string // the values as flow writes them, by key
}

// Step is one value that a key was given on the way, the weakest first.
type Step struct {
	Value any
	At    Origin
}

// Get returns the value of a key, whose Go type is that of its kind (see
// core.Settings), and whether the key exists. A list is the caller's own.
func (c *Config) Get(key string) (any, bool) {
	if _, ok := c.stem.fields.byKey[key]; !ok {
		return nil, false
	}
	return own(c.values().Get(key)), true
}

// values merges the user's layers over the stem when a value is first asked for:
// most configurations of a large sweep are only hashed.
func (c *Config) values() *koanf.Koanf {
	c.once.Do(func() {
		c.merged = c.stem.merged.Copy()
		if err := over(c.merged, c.user); err != nil {
			panic(err) // every key and value has been checked
		}
	})
	return c.merged
}

// Text is the value of a key as it is written in a file, "" if there is no such key.
func (c *Config) Text(key string) string { return c.text[key] }

// own copies a list and returns anything else as it is.
func own(v any) any {
	switch v := v.(type) {
	case []string:
		return slices.Clone(v)
	case []int:
		return slices.Clone(v)
	}
	return v
}

// Keys lists all keys in alphabetical order.
func (c *Config) Keys() []string { return slices.Clone(c.stem.keys) }

// Settings returns all values by key; the map is the caller's own.
func (c *Config) Settings() core.Settings {
	s := core.Settings{}
	for _, key := range c.stem.keys {
		s[key], _ = c.Get(key)
	}
	return s
}

// Origin says where the value of a key came from.
func (c *Config) Origin(key string) Origin {
	h := c.history[key]
	if len(h) == 0 {
		return Origin{}
	}
	return h[len(h)-1].At
}

// History lists the values that layers gave to a key; the last one holds.
func (c *Config) History(key string) []Step { return slices.Clone(c.history[key]) }

// noEffect lists the keys that cannot change a result: resources, upkeep, where
// plugins live (a run's record has their hashes), and the names of overlays,
// whose keys count themselves.
var noEffect = []string{
	"threads", "checkpoint_interval", "checkpoint_keep", "profile", "compat", "ablation",
	"plugins.isolate", "plugins.paths", "plugins.dirs", "plugins.sha256", "plugins.call_timeout",
}

// Counts says whether a key can change a result.
func Counts(key string) bool { return !slices.Contains(noEffect, key) }

// Hash is a SHA-256 (hex) over all keys that can change a result, but for those at
// their neutral value. Two runs of one program with equal hashes give equal results.
func (c *Config) Hash() string { return c.hash(noEffect) }

// GroupHash is Hash without the seed: it is common to the runs that a table
// averages over.
func (c *Config) GroupHash() string { return c.hash(append([]string{"seed"}, noEffect...)) }

// Overridden lists the keys to which the user gave another value than the built-in
// files and overlays do; see Overridable.
func (c *Config) Overridden() []string {
	out := []string{}
	for _, key := range c.stem.keys {
		if Overridable(key) && c.changed(key) {
			out = append(out, key)
		}
	}
	return out
}

// Overridable says whether tables name a key if its value is not the profile's.
// Such a key can change a result. The seed, the tasks and the names of plugins and
// overlays do not count: they say which experiment this is.
func Overridable(key string) bool {
	isChoice := slices.ContainsFunc(choiceFields(), func(f core.Field) bool { return f.Key == key })
	return Counts(key) && !isChoice && !slices.Contains([]string{"seed", "tasks", "sequence", "sequence_repeat", "sequence_shuffle", "sequence_seed"}, key)
}

// Unhashed lists the keys that Hash leaves out because they have their neutral
// value.
func (c *Config) Unhashed() []string {
	out := []string{}
	for _, key := range c.stem.keys {
		if c.text[key] == c.stem.fields.byKey[key].Neutral {
			out = append(out, key)
		}
	}
	return out
}

func (c *Config) hash(without []string) string {
	return hash(c.text, append(c.Unhashed(), without...))
}

// hash covers the values of all keys but some; values are in one line of YAML.
func hash(values map[string]string, without []string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(without, key) {
			b.WriteString(key + "=" + values[key] + "\n")
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))
}

// Print writes one line a key: its value, where it came from, and the values
// that it replaced.
func (c *Config) Print(w io.Writer) error {
	var b strings.Builder
	for _, key := range c.stem.keys {
		h := c.history[key]
		last := h[len(h)-1]
		fmt.Fprintf(&b, "%-36s # %s", key+": "+c.text[key], last.At.describe())
		for _, s := range slices.Backward(h[:len(h)-1]) {
			if s.At.Source != last.At.Source {
				fmt.Fprintf(&b, ", instead of %s (%s)", flow(s.Value), s.At)
			}
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, names.PlainLines(b.String()))
	return err
}

// describe is the layer and the source.
func (o Origin) describe() string {
	if o.Layer == o.Source {
		return o.Layer
	}
	return o.Layer + ": " + o.String()
}

// YAML is the configuration as a file: sorted keys, env_args as a section.
// Loaded as the user's file it gives the same values again.
func (c *Config) YAML() []byte {
	var b bytes.Buffer
	var open []string // the sections around the last key
	for _, key := range c.stem.keys {
		words := strings.Split(key, ".")
		depth := 0
		for depth < min(len(open), len(words)-1) && open[depth] == words[depth] {
			depth++
		}
		for ; depth < len(words)-1; depth++ {
			fmt.Fprintf(&b, "%*s%s:\n", 2*depth, "", flow(words[depth]))
		}
		open = words[:depth]
		text := c.text[key]
		if strings.Contains(text, "\n") {
			v, _ := c.Get(key)
			text = quoted(v.(string)) // a list is always one line
		}
		fmt.Fprintf(&b, "%*s%s: %s\n", 2*depth, "", flow(words[depth]), text)
	}
	return b.Bytes()
}
