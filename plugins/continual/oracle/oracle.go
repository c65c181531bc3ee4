// Package oracle is MACPro that is told in tests which task it plays, the upper
// bound "Oracle" of the paper: the head acts that the task was trained with. It
// is trained exactly like MACPro, bit for bit, and is built on it by nature; only
// the order of the test modes differs.
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

// New makes the method.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) { return variant.New(s, sv) }

// Match refuses tasks that the encoders cannot serve together.
func (Plugin) Match(p core.Pairing) error { return variant.Match(p) }

var (
	_ core.MethodPlugin = Plugin{}
	_ core.Matcher      = Plugin{}
)
