package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever a file holds, Load answers with problems that have a place, or with
// a configuration whose YAML form gives the same configuration again.
func FuzzFile(f *testing.F) {
	for _, c := range brokenFiles {
		f.Add([]byte(c.text))
	}
	f.Add([]byte("lr: 1e-4\ntasks: [\"a\\u0085b\", 'it''s', '# x', \"\\t\"]\nenv_args: {cells: [0x1]}\n"))
	path := filepath.Join(f.TempDir(), "my.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(request(path))
		if err != nil {
			if !strings.Contains(err.Error(), path+":") {
				t.Fatalf("no place in %v", err)
			}
			return
		}
		sameAgain(t, c, path)
	})
}

// The same for the text of --set.
func FuzzSet(f *testing.F) {
	for _, s := range []string{"lr=1e-4", "lr=0.0005x", "tasks=[a, \"b\"]", "tasks=[", "env_args.cells=[1,2]",
		"on_switch='keep'", "on_switch=\"", "seed=1_000", "a.b.c=", ".=", "env_args.=1", "double_q=true"} {
		f.Add(s)
	}
	path := filepath.Join(f.TempDir(), "my.yaml")
	f.Fuzz(func(t *testing.T, set string) {
		c, err := Load(request("", set))
		if err != nil {
			if !strings.Contains(err.Error(), "--set "+set+":") {
				t.Fatalf("no place in %v", err)
			}
			return
		}
		sameAgain(t, c, path)
	})
}

func sameAgain(t *testing.T, c *Config, path string) {
	t.Helper()
	text := c.YAML()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Load(request(path))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if again.Hash() != c.Hash() || !bytes.Equal(again.YAML(), text) {
		t.Fatalf("%s\nbecame\n%s", text, again.YAML())
	}
}
