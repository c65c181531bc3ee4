package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

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

// habit says where a name belongs that is no plugin of a kind: to another kind,
// or to another program's vocabulary. It is "" if nothing is known of it.
func habit(kind, name string) string {
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

// configFile is the value of --config: a file, and not the name of a plugin as
// in PyMARL's --config=qmix.
type configFile string

func (f *configFile) Set(name string) error {
	if _, err := os.Stat(name); os.IsNotExist(err) {
		if hint := habit("file", name); hint != "" {
			return fmt.Errorf("there is no such file, and --config wants a YAML file of keys; %s", hint)
		}
	}
	*f = configFile(name)
	return nil
}

func (f *configFile) String() string { return string(*f) }

// Type is the word that the help shows.
func (f *configFile) Type() string { return "file" }

// oneSeed is the value of --seed: a single number, which the configuration
// reads, and not a list or a range.
type oneSeed string

func (s *oneSeed) Set(text string) error {
	if strings.Contains(text, ",") || strings.Contains(text, "..") {
		return fmt.Errorf("a run has one seed; \"macpro sweep --seeds %s\" makes a run for each", text)
	}
	*s = oneSeed(text)
	return nil
}

func (s *oneSeed) String() string { return string(*s) }

// Type is the word that the help shows.
func (s *oneSeed) Type() string { return "number" }
