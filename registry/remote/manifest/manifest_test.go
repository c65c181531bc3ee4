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
  - {key: env_args.width, kind: int, help: cells, min: 1, only: flat}
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
		{"numpy.py", "a module that hides another"}, {"maze.cpython-311-x86_64-linux-gnu.so", "an extension that goes before maze.py"},
		{"maze.pyc", "a module without a source"}, {"sitecustomize.py", ""}, {"extra.pth", "/elsewhere"},
		{".hidden.py", "x"}, {".venv/lib/python3.11/site-packages/x.py", "x"}, {"walls/.git2/x", ""},
		{"odd\nname.py", "x"},
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
	write(t, dir, "walls/__pycache__/maze.pyc", "x")
	write(t, dir, ".git/HEAD", "x")
	if _, after := read(t, dir); after != before {
		t.Error("caches and version control are part of the digest")
	}
	// A launcher may start a Python that reads caches.
	for _, command := range []string{"[sh, maze.py]", "[./maze.py]", "[env, python3, maze.py]"} {
		write(t, dir, "plugin.yaml", strings.Replace(good, "[python3, maze.py]", command, 1))
		write(t, dir, "__pycache__/maze.pyc", "x")
		_, before := read(t, dir)
		write(t, dir, "__pycache__/maze.pyc", "y")
		if _, after := read(t, dir); after == before {
			t.Errorf("%s: a cache is no part of the digest", command)
		}
	}
}

// Links count by where they lead and by what is there.
func TestDigestOfLinks(t *testing.T) {
	dir := folder(t, "plugin.yaml", good, "maze.py", "print(1)", "lib/x.py", "1", "__pycache__/x.pyc", "1")
	outside := t.TempDir()
	write(t, outside, "one.py", "same")
	write(t, outside, "two.py", "same")
	link := func(to, name string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		_ = os.Remove(name)
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
		_, h := read(t, dir)
		return h
	}
	seen := map[string]string{}
	for _, to := range []string{"nowhere", filepath.Join(outside, "one.py"), filepath.Join(outside, "two.py"), "lib/x.py", "lib"} {
		h := link(to, "a")
		if what, taken := seen[h]; taken {
			t.Errorf("a link to %s has the digest of one to %s", to, what)
		}
		seen[h] = to
	}
	before := link(filepath.Join(outside, "one.py"), "a")
	write(t, outside, "one.py", "other")
	m, after := read(t, dir)
	if before == after {
		t.Error("what a link leads to may change")
	}
	refused(t, m.Acceptable(), "a is a link out of the plugin's folder")
	for _, to := range []string{outside, "__pycache__", ".."} {
		_ = os.Remove(filepath.Join(dir, "a"))
		if err := os.Symlink(to, filepath.Join(dir, "a")); err != nil {
			t.Fatal(err)
		}
		_, err := m.Digest()
		refused(t, err, "a is a link to a folder outside", to)
	}
}

// A plugin of which code could run unchecked is not accepted.
func TestAcceptable(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "maze.py", "print(1)")
	for command, says := range map[string]string{
		"[python3, maze.py]":                         "",
		"[python3, -m, maze]":                        "",
		"[./maze.py, --walls, walls.txt]":            "",
		"[" + outside + "/maze.py]":                  "", // hashed, and Beyond says what is not
		"[python3, " + outside + "/maze.py]":         "put it into the plugin's folder",
		"[python3, ../other/maze.py]":                "put it into the plugin's folder",
		"[python3, __pycache__/maze.pyc]":            "put it into the plugin's folder",
		"[python3, .git/maze.py]":                    "put it into the plugin's folder",
		"[sh, run.sh, ../other/maze.py, --safe=yes]": "put it into the plugin's folder",
	} {
		dir := folder(t, "plugin.yaml", strings.Replace(good, "[python3, maze.py]", command, 1), "maze.py", "", "walls.txt", "", "run.sh", "",
			"__pycache__/maze.pyc", "", ".git/maze.py", "", "../other/maze.py", "")
		m, _ := read(t, dir)
		if err := m.Acceptable(); says == "" && err != nil {
			t.Errorf("%s: %v", command, err)
		} else if says != "" {
			refused(t, err, says)
		}
	}
	dir := folder(t, "plugin.yaml", good, "maze.py", "")
	if m, _ := read(t, dir); len(m.Beyond()) != 1 || !strings.Contains(m.Beyond()[0], "python3 of your PATH") {
		t.Errorf("beyond the check: %q", m.Beyond())
	}
}

// Files and folders that others can write to are found, above the plugin's too.
func TestExposed(t *testing.T) {
	base := t.TempDir()
	above := filepath.Join(base, "shared")
	for _, c := range []struct {
		path string
		mode os.FileMode
		says string
	}{
		{"maze", 0o755, ""}, {"maze", 0o777, "maze (its group can write, everybody can write)"}, {"maze", 0o775, "maze (its group can write)"},
		{"maze/maze.py", 0o666, "maze.py (its group"}, {"maze/lib", 0o777, "lib (its group"}, {"maze/plugin.yaml", 0o646, "plugin.yaml (everybody"},
		{"maze/__pycache__", 0o777, ""}, {".", 0o777, "shared (its group"}, {".", 0o777 | os.ModeSticky, ""},
	} {
		dir := filepath.Join(above, "maze")
		for _, name := range []string{"plugin.yaml", "maze.py", "lib/x.py", "__pycache__/x.pyc"} {
			text := ""
			if name == "plugin.yaml" {
				text = good
			}
			write(t, dir, name, text)
		}
		m, _ := read(t, dir)
		if err := os.Chmod(filepath.Join(above, c.path), c.mode); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range m.Exposed() {
			if strings.HasPrefix(e, above) {
				got = append(got, e)
			}
		}
		if all := strings.Join(got, "; "); c.says == "" && all != "" || !strings.Contains(all, c.says) || len(got) > 1 {
			t.Errorf("%s %v: %q, want %q", c.path, c.mode, all, c.says)
		}
		if err := os.RemoveAll(above); err != nil {
			t.Fatal(err)
		}
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
