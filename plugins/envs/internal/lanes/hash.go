package lanes

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"macpro/core"
)

// Hash is a task's fingerprint (core.EnvSpec.Hash): the SHA-256 of the family's
// name and version, the task's name and its constants. The version stands for
// the rules themselves, so constants must name everything else that can change
// a result.
func Hash(info core.Info, task string, constants []core.Param) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", info.Name, info.Version, task)
	for _, p := range constants {
		fmt.Fprintf(h, "%q = %q\n", p.Name, p.Value)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Number prints a constant in the shortest form that reads back to the same
// float64.
func Number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
