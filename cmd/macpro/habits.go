package main

import (
	"fmt"
	"os"
	"strings"

	"macpro/core/names"
	"macpro/registry/experiment"
)

// configFile is the value of --config: a file, and not the name of a plugin as
// in PyMARL's --config=qmix.
type configFile string

func (f *configFile) Set(name string) error {
	if _, err := os.Stat(name); os.IsNotExist(err) {
		if hint := experiment.Habit("file", name); hint != "" {
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
		return fmt.Errorf("a run has one seed; \"macpro sweep --seeds %s\" makes a run for each", names.ShellWord(text))
	}
	*s = oneSeed(text)
	return nil
}

func (s *oneSeed) String() string { return string(*s) }

// Type is the word that the help shows.
func (s *oneSeed) Type() string { return "number" }
