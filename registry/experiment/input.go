package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"macpro/configs"
	"macpro/registry"
	"macpro/registry/remote"
)

// InputError is a mistake of the caller: nothing was started.
type InputError struct{ Err error }

// Error is that of what is wrong.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *InputError) Unwrap() error { return e.Err }

// Input marks an error as the caller's mistake; nil stays nil.
func Input(err error) error {
	if err == nil {
		return nil
	}
	return &InputError{err}
}

// Habit says where a name belongs that is no plugin of a kind: to another kind,
// or to another program's vocabulary, as the whole name or as its first word
// (Foraging-8x8-2p-1f-v3). It is "" if nothing is known of it.
func Habit(kind, name string) string {
	lower := strings.ToLower(name)
	for _, c := range registry.All() {
		if c.Kind() == kind && slices.Contains(c.Names(), lower) {
			return "" // the case of its letters is wrong
		}
		if c.Kind() == kind || !slices.Contains(c.Names(), lower) {
			continue
		}
		flag := c.Kind()
		if flag == remote.KindMethod {
			flag = "alg"
		}
		return fmt.Sprintf("%s is %s %s: --%s %s", lower, article(c.Kind()), c.Kind(), flag, lower)
	}
	known := configs.PyMARL().Plugins
	word := lower[:len(lower)-len(strings.TrimLeft(lower, "abcdefghijklmnopqrstuvwxyz_"))]
	return cmp.Or(known[name], known[lower], known[word])
}

func article(word string) string {
	if word[0] == 'e' || word[0] == 'a' {
		return "an"
	}
	return "a"
}
