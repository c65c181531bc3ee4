// Package sweeps tests sweeps: that they end with their cells, whatever is killed,
// and what plans, searches and estimates say.
package sweeps_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"macpro/cmd/macpro/tests/program"
)

func TestMain(m *testing.M) { program.Main(m) }

func TestScripts(t *testing.T) {
	t.Parallel()
	program.UsesSources(t)
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}
