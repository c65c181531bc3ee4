// Package results holds the numbers that the MACPro paper printed, as part of
// the binary: tables show them beside those of your own runs.
package results

import _ "embed"

// Paper is paper.json: the paper's tables, protocol and claims.
//
//go:embed paper.json
var Paper []byte
