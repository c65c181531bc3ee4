// Package bits tests that the bits of results stay: those of earlier versions, of
// runs that are extended, of long sequences, and of runs that are tortured.
package bits_test

import (
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
)

func TestMain(m *testing.M) { program.Main(m) }

// words splits a command line at blanks; tests need no quotes.
func words(line string) []string { return strings.Fields(line) }
