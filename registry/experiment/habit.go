package experiment

import (
	"fmt"
	"slices"

	"macpro/configs"
	"macpro/registry"
)

// pluginFlags are the flags that choose a plugin, by the word for its kind.
var pluginFlags = []struct {
	kind, flag string
	names      func() []string
}{
	{"env", "--env", registry.Envs.Names},
	{"learner", "--learner", registry.Learners.Names},
	{"method", "--alg", registry.Methods.Names},
	{"ablation", "--ablation", registry.Ablations.Names},
}

// Habit says where a name belongs that is no plugin of a kind: to another kind,
// or to another program's vocabulary. It is "" if nothing is known of it.
func Habit(kind, name string) string {
	for _, p := range pluginFlags {
		if p.kind != kind && slices.Contains(p.names(), name) {
			return fmt.Sprintf("%s is %s %s: %s %s", name, article(p.kind), p.kind, p.flag, name)
		}
	}
	return configs.PyMARL().Plugins[name]
}

func article(word string) string {
	if word[0] == 'e' || word[0] == 'a' {
		return "an"
	}
	return "a"
}
