package conform

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"macpro/core"
	"macpro/core/config"
)

// Defaults returns a plugin's own keys with the defaults of its configuration
// file, as a run without any other settings would hand them over. A file that
// cannot be read or lacks a key fails the test.
func Defaults(t testing.TB, info core.Info) core.Settings {
	t.Helper()
	var file map[string]any
	if err := yaml.Unmarshal(info.Config, &file); err != nil {
		t.Fatalf("%s: %v", info.Name, err)
	}
	shared := map[string]string{} // whatever else the file sets
	for key := range file {
		shared[key] = "every run"
	}
	c, err := config.Load(config.Request{Env: info, Known: shared})
	if err != nil {
		t.Fatal(err)
	}
	s := core.Settings{}
	for _, f := range info.Schema {
		s[f.Key], _ = c.Get(f.Key)
	}
	return s
}
