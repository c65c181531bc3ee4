package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macpro/registry/remote/manifest"
)

const good = `kind: env
name: maze
summary: a maze
version: "1"
protocol: 1
command: [python3, maze.py]
config: |
  env_args:
    width: 3
schema:
  - {key: env_args.width, kind: int, help: cells, min: 1}
`

// folder makes a plugin's folder from names and contents.
func folder(t *testing.T, files ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "maze")
	for i := 0; i < len(files); i += 2 {
		write(t, dir, files[i], files[i+1])
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir string) (*manifest.Manifest, string) {
	t.Helper()
	m, err := manifest.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := m.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return m, hash
}

func TestDigestCoversEveryFile(t *testing.T) {
	dir := folder(t, "plugin.yaml", good, "maze.py", "print(1)", "walls/one.txt", "#")
	_, first := read(t, dir)
	seen := map[string]string{first: "the original"}
	write(t, dir, "plugin.yaml", good+"sha256: \"\"\n")
	if _, h := read(t, dir); h != first {
		t.Error("the entry sha256 is part of the digest")
	}
	for _, change := range [][2]string{
		{"maze.py", "print(2)"}, {"walls/one.txt", "##"}, {"walls/two.txt", ""},
		{"plugin.yaml", strings.Replace(good, "a maze", "mazes", 1)},
	} {
		write(t, dir, change[0], change[1])
		_, h := read(t, dir)
		if what, taken := seen[h]; taken {
			t.Errorf("a change of %s has the digest of %s", change[0], what)
		}
		seen[h] = "a change of " + change[0]
	}
	_, before := read(t, dir)
	write(t, dir, "__pycache__/maze.pyc", "x")
	write(t, dir, ".git/HEAD", "x")
	if _, after := read(t, dir); after != before {
		t.Error("caches and hidden files are part of the digest")
	}
}

func TestAcceptance(t *testing.T) {
	dir := folder(t, "plugin.yaml", good, "maze.py", "print(1)")
	m, hash := read(t, dir)
	file := filepath.Join(t.TempDir(), "accepted.yaml")
	list, err := manifest.ReadAccepted(file)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, list.Allow(m, hash, false), "has not been accepted", "macpro plugin accept "+dir)
	if err := list.Allow(m, hash, true); err != nil {
		t.Errorf("a named plugin: %v", err)
	}
	data, err := list.With(m, hash).Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Dir(file), filepath.Base(file), string(data))
	if list, err = manifest.ReadAccepted(file); err != nil {
		t.Fatal(err)
	}
	if err := list.Allow(m, hash, false); err != nil {
		t.Errorf("an accepted plugin: %v", err)
	}
	write(t, dir, "maze.py", "print(2)")
	m, changed := read(t, dir)
	refused(t, list.Allow(m, changed, false), "has changed since it was accepted", changed)
	if list = list.With(m, changed); len(list) != 1 || list.State(m, changed) != manifest.StateAccepted {
		t.Errorf("after the change was accepted: %v", list)
	}
	m.SHA256 = hash
	refused(t, list.Allow(m, changed, true), "is not what its manifest says", hash, changed)
}

func refused(t *testing.T, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("the error does not say %q: %v", s, err)
		}
	}
}

func TestBrokenManifests(t *testing.T) {
	for change, says := range map[string]string{
		"kind: env|kind: envy":         `unknown kind "envy", did you mean "env"?`,
		"protocol: 1|protocol: 9":      "protocol 9, this program 1",
		"name: maze|name: a b":         "one word",
		"kind: int|kind: integer":      `of kind "integer"`,
		"summary:|sumary:":             "sumary",
		"command: [python3, maze.py]|": "command must name a program",
	} {
		from, to, _ := strings.Cut(change, "|")
		dir := folder(t, "plugin.yaml", strings.Replace(good, from, to, 1))
		_, err := manifest.Read(dir)
		refused(t, err, says, dir)
	}
	dir := folder(t, "plugin.yaml", strings.Replace(good, "[python3, maze.py]", "[true]", 1))
	m, err := manifest.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Digest()
	refused(t, err, "names no file that could be checked")
}
