package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Layers in the order in which they win over each other; see the package
// comment.
const (
	LayerDefault     = "default"
	LayerEnv         = "env"
	LayerAlg         = "alg"
	LayerLearner     = "learner"
	LayerProfile     = "profile"
	LayerCompat      = "compat"
	LayerAblation    = "ablation"
	LayerFile        = "file"
	LayerEnvironment = "environment"
	LayerCommand     = "command line"
)

// Prefix is what environment variables that set a key start with.
const Prefix = "MACPRO_"

// layer is a list of keys that win over those of earlier layers.
type layer struct {
	name string
	keys []raw
	// lenient layers may mention keys of plugins that are not part of the run:
	// they are written once for all combinations.
	lenient bool
}

// typed gives the keys of a layer their values.
func (l layer) typed(fs *fieldSet, ps *problems) []entry {
	var out []entry
	for _, r := range gather(l.keys, fs, ps) {
		f, ok := fs.byKey[r.key]
		if !ok {
			switch _, other := fs.known[r.key]; {
			case other && l.lenient:
			case ps.full():
				ps.more++
			default:
				ps.add(r.at, "%s", fs.explain(r.key))
			}
			continue
		}
		v, err := r.value(f)
		if err != nil {
			ps.add(r.at, "%s: %v", r.key, err)
			continue
		}
		out = append(out, entry{key: r.key, value: v, at: r.at, list: r.list})
	}
	return out
}

// fromEnviron reads the variables that start with Prefix.
func fromEnviron(environ []string, ps *problems) []raw {
	var out []raw
	for _, kv := range environ {
		name, value, ok := strings.Cut(kv, "=")
		word, ours := strings.CutPrefix(name, Prefix)
		if !ok || !ours {
			continue
		}
		at := Origin{Layer: LayerEnvironment, Source: name}
		if word != strings.ToUpper(word) {
			ps.add(at, "variables are in upper case: %s", Prefix+strings.ToUpper(word))
			continue
		}
		key := strings.ToLower(strings.ReplaceAll(word, "__", "."))
		out = append(out, raw{key: key, text: value, at: at})
	}
	return out
}

// fromCommand reads flags and arguments of the form key=value. A key that is
// set twice with one call of the program is an error.
func fromCommand(u User, ps *problems) []raw {
	var out []raw
	seen := map[string]bool{}
	add := func(key, value, source string) {
		at := Origin{Layer: LayerCommand, Source: source}
		if seen[key] {
			ps.add(at, "%s is set twice on the command line", key)
			return
		}
		seen[key] = true
		out = append(out, raw{key: key, text: value, at: at})
	}
	for _, key := range slices.Sorted(maps.Keys(u.Flags)) {
		add(key, u.Flags[key], fmt.Sprintf("--%s %s", strings.ReplaceAll(key, "_", "-"), u.Flags[key]))
	}
	for _, s := range u.Sets {
		key, value, ok := strings.Cut(s, "=")
		key = strings.TrimSpace(key)
		source := cmp.Or(u.Written[key], "--set "+s)
		if !ok || key == "" {
			ps.add(Origin{Layer: LayerCommand, Source: source}, "want key=value, such as lr=0.0005")
			continue
		}
		add(key, strings.TrimSpace(value), source)
	}
	return out
}

// builtin names a file that is part of the binary.
func builtin(folder, name string) string { return fmt.Sprintf("configs/%s/%s.yaml", folder, name) }
