// Command halfbatch is an ablation plugin: it trains on half as many episodes a
// step.
package main

import (
	"macpro/core"
	"macpro/registry/remote"
)

func main() { remote.Serve(Plugin{}) }

// Plugin is the ablation "halfbatch".
type Plugin struct{}

var _ core.AblationPlugin = Plugin{}

// Info holds the overlay.
func (Plugin) Info() core.Info {
	return core.Info{Name: "halfbatch", Summary: "half of the batch", Version: "1", Config: []byte("batch_size: 16\n")}
}

// Algs: every method has the key.
func (Plugin) Algs() []string { return nil }
