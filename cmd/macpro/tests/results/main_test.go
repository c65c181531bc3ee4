// Package results tests what is done with runs that have ended: tests of networks,
// exports, tables, figures and rows.
package results_test

import (
	"testing"

	"macpro/cmd/macpro/tests/program"
)

func TestMain(m *testing.M) { program.Main(m) }

func TestScripts(t *testing.T) { program.Scripts(t) }
