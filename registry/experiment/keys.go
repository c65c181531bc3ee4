package experiment

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/qlearn"
	"macpro/registry"
	"macpro/registry/remote"
)

// SharedFields lists the keys that all runs have.
func SharedFields() []core.Field {
	return slices.Concat(continual.Schema(), config.Schema(qlearn.Config{}), remote.Schema())
}

// Kinds are the plugin kinds with keys of their own: the word that messages
// use, the folder of their files, and the plugins.
func Kinds() []Kind {
	return []Kind{
		{"env", "envs", Infos(registry.Envs)},
		{"method", "algs", Infos(registry.Methods)},
		{"learner", "learners", Infos(registry.Learners)},
	}
}

// Kind is a plugin kind, see Kinds.
type Kind struct {
	Word, Folder string
	Plugins      []core.Info
}

// Infos describes the plugins of a catalogue.
func Infos[T registry.Plugin](c *registry.Catalogue[T]) []core.Info {
	var out []core.Info
	for _, name := range c.Names() {
		if p, err := c.Get(name); err == nil {
			out = append(out, p.Info())
		}
	}
	return out
}

// IsKey says whether some run can have a key.
func IsKey(key string) bool {
	_, known := KnownKeys()[key]
	return known || slices.ContainsFunc(SharedFields(), func(f core.Field) bool { return f.Key == key })
}

// KnownKeys maps every key that is neither shared nor a key of the run's own
// plugins to its owner: first the registered plugins, then the built-in files,
// which also name the keys of plugins that this binary was built without.
func KnownKeys(run ...core.Info) map[string]string {
	known := map[string]string{}
	for _, k := range Kinds() {
		for _, p := range k.Plugins {
			for _, f := range p.Schema {
				if _, taken := known[f.Key]; !taken {
					known[f.Key] = k.Word + " " + p.Name
				}
			}
		}
	}
	for _, key := range builtinKeys() {
		if _, taken := known[key]; !taken {
			known[key] = "another plugin"
		}
	}
	for _, f := range SharedFields() {
		delete(known, f.Key)
		if f.Below != "" { // the names below it are entries, not keys
			maps.DeleteFunc(known, func(key, _ string) bool { return strings.HasPrefix(key, f.Key+".") })
		}
	}
	for _, info := range run {
		for _, f := range info.Schema {
			delete(known, f.Key)
		}
	}
	return known
}

var builtinKeys = sync.OnceValue(func() (keys []string) {
	for _, folder := range []string{"envs", "algs", "learners", "ablations", "profiles", "compat"} {
		for _, name := range configs.Names(folder) {
			keys = append(keys, Mentioned(configs.Read(folder+"/"+name+".yaml"))...)
		}
	}
	return keys
})

// Mentioned lists the keys of a built-in file, without the sections of overlays.
func Mentioned(data []byte) (keys []string) {
	for _, path := range Paths(data) {
		keys = append(keys, config.SectionOf(path).Key)
	}
	return keys
}

// Paths lists what a built-in file sets with dotted paths.
func Paths(data []byte) []string {
	var m map[string]any
	if yaml.Unmarshal(data, &m) != nil {
		return nil // loading the file reports what is wrong with it
	}
	var keys []string
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for k, v := range m {
			if sub, ok := v.(map[string]any); ok {
				walk(prefix+k+".", sub)
				continue
			}
			keys = append(keys, prefix+k)
		}
	}
	walk("", m)
	return keys
}

// TaskOrder lists each task once: the sequence "train", the other sequences,
// then the tasks that are only tested.
func TaskOrder(list core.TaskList) []string {
	all := slices.Clone(list.Sequences["train"])
	for _, s := range slices.Sorted(maps.Keys(list.Sequences)) {
		all = append(all, list.Sequences[s]...)
	}
	var out []string
	for _, t := range append(all, list.Generalization...) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
