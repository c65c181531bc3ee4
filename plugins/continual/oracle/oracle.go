// Package oracle is the upper bound "Oracle" of the paper: MACPro that knows in
// tests which task it plays. The head that the task was trained with acts. Oracle
// is built on MACPro and trained exactly like it, bit for bit. Only the order of
// the test modes differs.
package oracle

import "macpro/plugins/continual/macpro"

// Plugin is the method.
var Plugin = macpro.Variant{
	Name: "oracle", Mode: macpro.ModeOracle,
	Summary: "MACPro, tested with the head that each task was trained with",
}
