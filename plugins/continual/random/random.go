// Package random is MACPro with a random choice among its heads in tests, the
// baseline "Random" of the paper. It is trained exactly like MACPro, bit for bit,
// and is built on it by nature; only the order of the test modes differs.
package random

import (
	"macpro/core"
	"macpro/plugins/continual/macpro"
)

// Plugin registers the method.
type Plugin struct{}

var variant = macpro.Variant{
	Name: "random", Mode: macpro.ModeRandom,
	Summary: "MACPro, tested with heads drawn at random",
}

// Info describes the method.
func (Plugin) Info() core.Info { return variant.Info() }

// TaskFree says that the method finds borders by itself.
func (Plugin) TaskFree() bool { return true }

// New makes the method.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) { return variant.New(s, sv) }

// Match refuses tasks that the encoders cannot serve together.
func (Plugin) Match(p core.Pairing) error { return variant.Match(p) }

var (
	_ core.MethodPlugin = Plugin{}
	_ core.Matcher      = Plugin{}
)
