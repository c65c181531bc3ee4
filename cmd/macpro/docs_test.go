package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/keys.md anew")

const keysFile = "../../docs/keys.md"

// docs/keys.md is what the program says of its keys.
func TestKeysAreCurrent(t *testing.T) {
	t.Parallel()
	// A process of its own: other tests of this one load plugins.
	now := bytes.NewBufferString(program.Must(t, t.TempDir(), program.Private(t), "docs", "keys", "--format", "md").Stdout)
	if *updateDocs {
		if err := os.WriteFile(keysFile, now.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(keysFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(old, now.Bytes()) {
		t.Error("docs/keys.md is not what the schema says: go test ./cmd/macpro -run TestKeysAreCurrent -update-docs")
	}
}

// Text, Markdown and the JSON schema have every key; no default has the comment of
// its file.
func TestKeysAreWhole(t *testing.T) {
	sections, err := keySections()
	if err != nil {
		t.Fatal(err)
	}
	var text, schema bytes.Buffer
	if err := keysText(&text, sections, 80); err != nil {
		t.Fatal(err)
	}
	if err := keysSchema(&schema, sections); err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(schema.Bytes(), &root); err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		for _, k := range s.Keys {
			if !strings.Contains(text.String(), "\n  "+k.Key) {
				t.Errorf("text lacks %s", k.Key)
			}
			if strings.Contains(k.Default, "#") {
				t.Errorf("default of %s is %q", k.Key, k.Default)
			}
			at := root
			for _, word := range strings.Split(k.Key, ".") {
				properties, _ := at["properties"].(map[string]any)
				at, _ = properties[word].(map[string]any)
			}
			if at == nil {
				t.Errorf("the JSON schema lacks %s", k.Key)
			}
		}
	}
}

// What a key needs to count is a key of the same run with a value that it can have.
func TestKeysCanCount(t *testing.T) {
	sections, err := keySections()
	if err != nil {
		t.Fatal(err)
	}
	shared := sections[0].Keys
	for _, s := range sections {
		for _, k := range s.Keys {
			for _, cond := range strings.Fields(k.Only) {
				key, value, isKey := strings.Cut(cond, "=")
				key, not := strings.CutSuffix(key, "!")
				if !isKey || key == "tasks" || key == "sequence" {
					continue
				}
				ok := slices.ContainsFunc(append(slices.Clone(shared), s.Keys...), func(o keyDoc) bool {
					return o.Key == key && (slices.Contains(o.Enum, value) || o.Kind == core.Bool && (value == "true" || value == "false") ||
						o.Kind == core.Int && o.Min != nil && value != "" || o.Kind == core.Float && o.Min != nil && not && value != "")
				})
				if !ok {
					t.Errorf("%s, %s: %s can never hold", s.Title, k.Key, cond)
				}
			}
		}
	}
}
