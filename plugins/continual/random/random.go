// Package random is MACPro with a random choice among its heads in tests, the
// baseline "Random" of the paper. It is trained exactly like MACPro, bit for bit,
// and is built on it by nature; only the order of the test modes differs.
package random

import "macpro/plugins/continual/macpro"

// Plugin is the method.
var Plugin = macpro.Variant{
	Name: "random", Mode: macpro.ModeRandom,
	Summary: "MACPro, tested with heads drawn at random",
}
