package remote_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"macpro/core/conform/exe"
	"macpro/registry/remote"
	"macpro/registry/remote/manifest"
)

const cachedPlugin = `
import os, sys
sys.path.insert(0, os.environ["KIT"])
from macpro_plugin import Ablation, serve
import rules
serve(Ablation("cached", "a plugin of two files", rules.VERSION, "batch_size: 16\n"))
`

// A cache beside a plugin's sources that holds other code is not run while the
// digest stays what it was, whatever starts Python: either the cache is not read,
// or it counts.
func TestPythonCachesAreNotRun(t *testing.T) {
	python := withPython(t)
	kit, err := filepath.Abs("../../sdk/python")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KIT", kit)
	t.Setenv("PYTHONPYCACHEPREFIX", "")
	for _, command := range []string{"[python3, plugin.py]", "[python3, -E, plugin.py]", "[sh, run.sh]", "[./run.sh]", "[env, python3, plugin.py]"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{
				"plugin.yaml": "kind: ablation\nname: cached\nsummary: a plugin of two files\nversion: honest\nprotocol: 1\ncommand: " + command + "\nconfig: |\n  batch_size: 16\n",
				"plugin.py":   cachedPlugin, "rules.py": "VERSION = 'honest'\n", "run.sh": "#!/bin/sh\nexec python3 -E plugin.py\n",
			} {
				exe.Write(t, filepath.Join(dir, name), []byte(text), 0o755)
			}
			before, err := startAt(t, dir)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "__pycache__")); err == nil && !strings.Contains(command, "run.sh") {
				t.Error("a start leaves caches in the plugin's folder")
			}
			// rules.py as it is, with a cache of other code that Python is told not to check.
			poison := exec.Command(python, "-c", `import py_compile, importlib.util as u
open("evil", "w").write("VERSION = 'evil'")
py_compile.compile("evil", u.cache_from_source("rules.py"), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
import os; os.remove("evil")`)
			poison.Dir = dir
			poison.Env = append(os.Environ(), "PYTHONPYCACHEPREFIX=")
			if out, err := poison.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			after, err := startAt(t, dir)
			if err != nil && before == after {
				t.Errorf("other code runs under the same digest: %v", err)
			}
			if isPython := strings.HasPrefix(command, "[python3"); isPython && (err != nil || before != after) {
				t.Errorf("a cache is read or counts: %v, %s and %s", err, before, after)
			}
		})
	}
}

// startAt starts the plugin of a folder once, and returns its digest.
func startAt(t *testing.T, dir string) (string, error) {
	t.Helper()
	m, err := manifest.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	hash := ""
	l := m.Launch(func(h string) error { hash = h; return nil })
	l.StartTimeout = 2 * time.Minute
	p, err := remote.New(l)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	err = p.Start()
	return hash, err
}
