package sweeps_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/configs"
)

// Every experiment that is part of the binary resolves under every profile.
func TestShippedSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range configs.Names("sweeps") {
		for _, profile := range []string{"smoke", "reduced", "paper"} {
			args := []string{"sweep", name, "--profile", profile, "--dry-run"}
			if strings.Contains(string(configs.Read("sweeps/"+name+".yaml")), "[lbf, pp, marines, sz]") {
				args = append(args, "--env", "lbf,pp")
			}
			out := program.Call(t, dir, nil, args...)
			if out.Code != 0 || strings.Count(out.Stdout, "\n") < 2 {
				t.Errorf("%s with profile %s: %s", name, profile, out.Stderr)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "results")); !os.IsNotExist(err) {
		t.Error("a dry run made files")
	}
}
