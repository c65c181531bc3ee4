// Package plugins tests plugins in processes of their own: the skeletons and the
// examples in Go, and what a plugin that lies meets.
package plugins_test

import (
	"testing"

	"macpro/cmd/macpro/tests/program"
)

func TestMain(m *testing.M) { program.Main(m) }

func TestScripts(t *testing.T) { program.Scripts(t) }
