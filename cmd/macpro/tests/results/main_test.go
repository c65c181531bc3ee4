// Package results tests what is done with runs that have ended: tests of networks,
// exports, tables, figures and rows.
package results_test

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
