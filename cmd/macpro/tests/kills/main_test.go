// Package kills tests that nothing is lost or called done falsely: runs that are
// killed, stopped, moved to other threads or kernels, and whose files are taken
// away or damaged.
package kills_test

import (
	"testing"

	"macpro/cmd/macpro/tests/program"
)

func TestMain(m *testing.M) { program.Main(m) }
