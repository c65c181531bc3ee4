package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"macpro/core"
	"macpro/core/files"
)

// Overlay is a named built-in file; the zero Overlay changes nothing.
type Overlay struct {
	Name string
	YAML []byte
}

// User is what the user sets.
type User struct {
	File    string   // path of a YAML file, or ""
	Environ []string // NAME=value, as from os.Environ
	Sets    []string // key=value
	// Written says, by key, how the user wrote what Sets has, if not as --set key=value.
	Written map[string]string
	// Flags are the keys that have a flag of their own, such as --seed 7.
	Flags map[string]string

	kept *content // see Keep
}

// content is what was read from a file.
type content struct {
	data []byte
	err  error
}

// Keep reads the file now and once for all: File may be a pipe, such as
// /dev/stdin. The layers report an error of reading when they are used.
func (u *User) Keep() {
	if u.File != "" {
		u.kept = readContent(u.File)
	}
}

func readContent(name string) *content {
	data, err := files.ReadMost(name, maxDocument)
	return &content{data, err}
}

// layers reads the user's layers; they are strict about every key.
func (u User) layers(ps *problems) []layer {
	var file []raw
	if u.File != "" {
		at := Origin{Layer: LayerFile, Source: u.File}
		c := u.kept
		if c == nil {
			c = readContent(u.File)
		}
		if c.err != nil {
			ps.add(at, "cannot be read: %v", c.err)
		}
		file = parseDocument(c.data, at, ps)
	}
	return []layer{
		{name: LayerFile, keys: file},
		{name: LayerEnvironment, keys: fromEnviron(u.Environ, ps)},
		{name: LayerCommand, keys: fromCommand(u, ps)},
	}
}

// Request is everything that a configuration is made of.
type Request struct {
	Env, Alg, Learner         core.Info
	Shared                    []core.Field // keys of every run
	Default                   []byte       // YAML with the default of each of them
	Profile, Compat, Ablation Overlay
	Choices                   map[string]Chosen // see Choose
	User                      User
	// Known maps the keys of all other plugins to their owner, as in
	// "method ewc". Built-in layers may mention them. A user who does gets an
	// error that names the owner.
	Known map[string]string
	// Hints maps names that users bring from other programs to a sentence that
	// says what does the same here.
	Hints map[string]string
}

// Stem is a request whose built-in layers have been read: what runs of the same
// choices have in common. It never changes.
type Stem struct {
	fields  *fieldSet
	keys    []string     // sorted
	merged  *koanf.Koanf // the values of the layers
	history map[string][]Step
	text    map[string]string
	wrong   problems
}

// Load merges the layers. The error is an *Error that lists all problems.
func Load(r Request) (*Config, error) { return Prepare(r).Load(r.Choices, r.User) }

// Prepare reads the layers below the user's. What is wrong with them Load says.
func Prepare(r Request) *Stem {
	s := &Stem{fields: newFieldSet(r.Known, r.Hints), merged: koanf.New("."), history: map[string][]Step{}, text: map[string]string{}}
	s.fields.add("every run", choiceFields(), &s.wrong)
	s.fields.add("every run", r.Shared, &s.wrong)
	s.fields.add("env "+r.Env.Name, r.Env.Schema, &s.wrong)
	s.fields.add("method "+r.Alg.Name, r.Alg.Schema, &s.wrong)
	s.fields.add("learner "+r.Learner.Name, r.Learner.Schema, &s.wrong)
	s.keys = s.fields.keys()
	for _, l := range r.layers(&s.wrong) {
		values := map[string]any{}
		for _, e := range l.typed(s.fields, &s.wrong) {
			if v, ok := e.over(s.history[e.key]); ok {
				values[e.key] = v
				s.history[e.key] = append(s.history[e.key], Step{v, e.at})
			}
		}
		if err := over(s.merged, values); err != nil {
			s.wrong.add(Origin{Source: l.name}, "%v", err)
		}
	}
	for key, h := range s.history {
		s.text[key] = flow(h[len(h)-1].Value)
	}
	return s
}

// Load puts the user's layers over the stem. The error is an *Error that lists all
// problems.
func (s *Stem) Load(choices map[string]Chosen, u User) (*Config, error) {
	ps := problems{slices.Clone(s.wrong.list), s.wrong.more}
	c := &Config{stem: s, user: map[string]any{}, history: maps.Clone(s.history), text: maps.Clone(s.text)}
	for _, l := range u.layers(&ps) {
		c.merge(l.typed(s.fields, &ps))
	}
	c.merge(choiceLayer(choices))
	if ps.none() {
		c.complete(&ps)
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	return c, nil
}

// over puts the values of a layer, by dotted key, over those that are there.
func over(k *koanf.Koanf, values map[string]any) error {
	if err := k.Load(confmap.Provider(values, "."), nil); err != nil {
		return fmt.Errorf("the layer cannot be merged: %w", err)
	}
	return nil
}

// layers lists the layers below the user's, the weakest first.
func (r Request) layers(ps *problems) []layer {
	at := Origin{Layer: LayerDefault, Source: "configs/default.yaml"}
	shared := layer{name: LayerDefault, keys: parseDocument(r.Default, at, ps)}
	envOwn, env := pluginLayers(LayerEnv, "envs", r.Env, ps)
	algOwn, alg := pluginLayers(LayerAlg, "algs", r.Alg, ps)
	learnerOwn, learner := pluginLayers(LayerLearner, "learners", r.Learner, ps)
	all := []layer{shared, envOwn, algOwn, learnerOwn, env, alg, learner}
	for _, o := range []struct {
		name, folder string
		Overlay
	}{{LayerProfile, "profiles", r.Profile}, {LayerCompat, "compat", r.Compat}} {
		at := Origin{Layer: o.name, Source: builtin(o.folder, o.Name)}
		all = append(all, layer{name: o.name, lenient: true, keys: overlay(o.YAML, at, r.Env.Name, r.Alg.Name, ps)})
	}
	at = Origin{Layer: LayerAblation, Source: builtin("ablations", r.Ablation.Name)}
	return append(all, layer{name: LayerAblation, keys: parseDocument(r.Ablation.YAML, at, ps)})
}

// merge puts a layer over the ones before it. The steps of the stem are its own.
func (c *Config) merge(layer []entry) {
	for _, e := range layer {
		if v, ok := e.over(c.history[e.key]); ok {
			c.user[e.key] = v
			c.history[e.key] = append(slices.Clip(c.history[e.key]), Step{v, e.at})
			c.text[e.key] = flow(v)
		}
	}
}

func (c *Config) complete(ps *problems) {
	for _, key := range c.stem.keys {
		if len(c.history[key]) == 0 {
			ps.add(Origin{Source: c.stem.fields.owner[key]}, "key %q is declared without a default", key)
		}
	}
}
