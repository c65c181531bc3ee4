// Package terminal tests what the program shows on a terminal.
package terminal_test

import (
	"testing"

	"macpro/cmd/macpro/tests/program"
)

func TestMain(m *testing.M) { program.Main(m) }
