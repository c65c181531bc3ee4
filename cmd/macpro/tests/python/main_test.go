// Package python tests what needs a Python: plugins in Python, the commands of
// docs/plugins.md, the examples of analyses.
package python_test

import (
	"testing"

	"macpro/cmd/macpro/tests/program"
)

func TestMain(m *testing.M) { program.Main(m) }
