// Package sweeps tests sweeps: that they end with their cells, whatever is killed,
// and what plans, searches and estimates say.
package sweeps_test

import (
	"testing"

	"macpro/cmd/macpro/tests/program"
)

func TestMain(m *testing.M) { program.Main(m) }

func TestScripts(t *testing.T) { program.Scripts(t) }
