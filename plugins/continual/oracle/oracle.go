// Package oracle is the upper bound "Oracle" of the paper: MACPro that knows in
// tests which task it plays. The head that the task was trained with acts. Oracle
// is built on MACPro and trained exactly like it, bit for bit. Only the order of
// the test modes differs.
package oracle

import (
	"macpro/core"
	"macpro/plugins/continual/macpro"
)

// Plugin registers the method.
type Plugin struct{}

var variant = macpro.Variant{
	Name: "oracle", Mode: macpro.ModeOracle,
	Summary: "MACPro, tested with the head that each task was trained with",
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
