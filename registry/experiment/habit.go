package experiment

import (
	"fmt"
	"slices"

	"macpro/configs"
	"macpro/registry"
	"macpro/registry/remote"
)

// Habit says where a name belongs that is no plugin of a kind: to another kind,
// or to another program's vocabulary. It is "" if nothing is known of it.
func Habit(kind, name string) string {
	for _, c := range registry.All() {
		if c.Kind() == kind || !slices.Contains(c.Names(), name) {
			continue
		}
		flag := c.Kind()
		if flag == remote.KindMethod {
			flag = "alg"
		}
		return fmt.Sprintf("%s is %s %s: --%s %s", name, article(c.Kind()), c.Kind(), flag, name)
	}
	return configs.PyMARL().Plugins[name]
}

func article(word string) string {
	if word[0] == 'e' || word[0] == 'a' {
		return "an"
	}
	return "a"
}
