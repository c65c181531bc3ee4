package main

import (
	"strings"
	"testing"
)

// Encodings are those of LLVM's assembler, for registers with every bit of their
// numbers set and not.
func TestEncode(t *testing.T) {
	for in, want := range map[string]string{
		"\tVDPBF16PS      Z1, Z2, Z0":    "62 f2 6e 48 52 c1",
		"\tVDPBF16PS      Z31, Z17, Z9":  "62 12 76 40 52 cf",
		"\tVCVTNE2PS2BF16 Z10, Z30, Z24": "62 42 0f 40 72 c2",
	} {
		var text []string
		for _, b := range strings.Fields(want) {
			text = append(text, "BYTE $0x"+b)
		}
		line := "\t" + strings.Join(text, "; ") + " // " + strings.Join(strings.Fields(in), " ")
		if got := encode(in); got != line {
			t.Errorf("%q becomes\n%q, want\n%q", in, got, line)
		}
	}
	if other := "\tVADDPS Z1, Z2, Z0"; encode(other) != other {
		t.Errorf("%q is changed", other)
	}
}
