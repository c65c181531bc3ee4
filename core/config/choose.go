package config

import (
	"cmp"
	"sync"

	"macpro/core"
)

// Choice lists the keys that say which plugins and overlays make up a run. They
// are set like any other key.
type Choice struct {
	Env      string `cfg:"env" help:"environment"`
	Alg      string `cfg:"alg" help:"continual method"`
	Learner  string `cfg:"learner" help:"team learner"`
	Profile  string `cfg:"profile" help:"budget of the run"`
	Compat   string `cfg:"compat" help:"deviations to follow: default, official or paper"`
	Ablation string `cfg:"ablation" help:"ablation, or none"`
}

// Chosen is the value of a choice and where it came from.
type Chosen struct {
	Value string
	At    Origin
}

// Choose finds the values of the keys of Choice in the user's layers, or else
// in the fallback. Keys with neither are absent from the result. Other keys are
// not looked at: Load checks them. The error tells what is wrong with the
// choices and with the form of the layers, such as a file that cannot be read.
func Choose(u User, fallback map[string]string) (map[string]Chosen, error) {
	out := map[string]Chosen{}
	for key, v := range fallback {
		out[key] = Chosen{v, Origin{Layer: LayerDefault, Source: "default"}}
	}
	err := u.each(choiceFields(), func(key string, v any, at Origin) { out[key] = Chosen{v.(string), at} })
	return out, err
}

var choiceFields = sync.OnceValue(func() []core.Field { return Schema(Choice{}) })

// choiceLayer turns choices into the last layer of a configuration. It holds
// the names themselves, so that whatever a layer says, the record is right.
func choiceLayer(chosen map[string]Chosen) []entry {
	var out []entry
	for _, f := range choiceFields() {
		c, ok := chosen[f.Key]
		if !ok {
			c = Chosen{"none", Origin{Layer: LayerDefault, Source: "default"}}
		}
		out = append(out, entry{key: f.Key, value: c.Value, at: c.At})
	}
	return out
}

// pluginLayers splits a plugin's file: keys that the plugin declares itself are
// defaults, all others override keys of the run at the plugin's layer.
func pluginLayers(name, folder string, info core.Info, ps *problems) (own, over layer) {
	at := Origin{Layer: name, Source: cmp.Or(info.ConfigFile, builtin(folder, info.Name))}
	declared := map[string]bool{}
	for _, f := range info.Schema {
		declared[f.Key] = true
	}
	own = layer{name: LayerDefault, lenient: true}
	over = layer{name: name, lenient: true}
	for _, r := range parseDocument(info.Config, at, ps) {
		if declared[r.key] {
			r.at.Layer = LayerDefault
			own.keys = append(own.keys, r)
		} else {
			over.keys = append(over.keys, r)
		}
	}
	return own, over
}
