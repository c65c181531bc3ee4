package configs

import (
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Habits are names that users bring from PyMARL, EPyMARL and the official
// MACPro code, each with a sentence that says what does the same here.
type Habits struct {
	Keys    map[string]string `yaml:"keys"`    // keys of the configuration, dotted
	Flags   map[string]string `yaml:"flags"`   // flags, without dashes
	Plugins map[string]string `yaml:"plugins"` // names of environments, learners and algorithms
}

// PyMARL reads the file pymarl.yaml. A file that cannot be read is a slip in the
// program and panics.
var PyMARL = sync.OnceValue(func() Habits {
	var h Habits
	if err := yaml.Unmarshal(Read("pymarl.yaml"), &h); err != nil {
		panic(fmt.Sprintf("configs/pymarl.yaml: %v", err))
	}
	return h
})
