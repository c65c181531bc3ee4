package conform

import (
	"testing"

	"macpro/core"
	"macpro/core/config"
)

// Defaults returns a plugin's own keys with the defaults of its configuration
// file, as a run without any other settings would hand them over. A file that
// cannot be read or lacks a key fails the test.
func Defaults(t testing.TB, info core.Info) core.Settings {
	t.Helper()
	s, err := config.Defaults(info.Name, info.Config, info.Schema)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
