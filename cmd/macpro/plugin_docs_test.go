package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const shortRun = " --alg finetuning --profile smoke --quiet --set steps_per_task=60 --set test_interval=30 --set test_nepisode=2"

var (
	command    = regexp.MustCompile(`(?m)^    macpro (.*)$`)
	pythonCode = regexp.MustCompile("(?s)```python\n(.*?)```")
	remark     = regexp.MustCompile(`   +[^ ].*$`) // behind three spaces
)

// debianPython puts the Python of Debian's packages first on the path, or skips.
func debianPython(t *testing.T) string {
	t.Helper()
	python := "/usr/bin/python3"
	if exec.Command(python, "-c", "import grpc, google.protobuf, numpy").Run() != nil {
		t.Skip("no Python with grpc, protobuf and numpy here (Debian: python3-grpcio python3-protobuf python3-numpy)")
	}
	first := t.TempDir()
	if err := os.Symlink(python, filepath.Join(first, "python3")); err != nil {
		t.Fatal(err)
	}
	return "PATH=" + first + ":" + os.Getenv("PATH")
}

// section is a document's part from one text to another.
func section(t *testing.T, file, from, to string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository(t), file))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), from)
	part, _, ends := strings.Cut(rest, to)
	if !found || !ends {
		t.Fatalf("%s has no part from %q to %q", file, from, to)
	}
	return part
}

// follow calls the commands of a document as they are printed; runs are made short.
func follow(t *testing.T, dir string, environ []string, text string) []outcome {
	t.Helper()
	var out []outcome
	for _, m := range command.FindAllStringSubmatch(text, -1) {
		line := remark.ReplaceAllString(m[1], "")
		if strings.HasPrefix(line, "run ") {
			short := shortRun
			if strings.Contains(line, "--alg ") {
				short = strings.Replace(shortRun, " --alg finetuning", "", 1)
			}
			line += short
		}
		out = append(out, must(t, dir, environ, words(line)...))
	}
	return out
}

// The first commands of docs/plugins.md work as printed: what was accepted runs by
// its name, and no longer once it has changed.
func TestPluginCommandsOfTheDocs(t *testing.T) {
	t.Parallel()
	dir, environ := t.TempDir(), append(private(t), debianPython(t))
	out := follow(t, dir, environ, section(t, "docs/plugins.md", "# Plugins", "## An environment in Python"))
	if len(out) != 6 || !strings.Contains(out[5].stdout, "env/maze") || !strings.Contains(out[5].stdout, "accepted") {
		t.Fatalf("%d commands, the last of which printed %q", len(out), out[len(out)-1].stdout)
	}
	if o := must(t, dir, environ, "list", "envs"); !strings.Contains(o.stdout, "maze") {
		t.Errorf("list envs does not know it:\n%s", o.stdout)
	}
	file := filepath.Join(dir, "maze", "plugin.py")
	if err := os.WriteFile(file, []byte("raise SystemExit(7)"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := macpro(t, dir, environ, words("run --env maze"+shortRun)...)
	if o.code == exitOK || !strings.Contains(o.stderr, "has changed since it was accepted") {
		t.Errorf("a changed plugin: exit %d, %s", o.code, o.stderr)
	}
	if err := os.RemoveAll(filepath.Join(dir, "maze")); err != nil {
		t.Fatal(err)
	}
	must(t, dir, environ, words("run --env lbf"+shortRun)...)
}

// The environment that docs/plugins.md prints passes the suite and trains, by the
// commands beside it; the kit's README prints the same.
func TestPythonExampleOfTheDocs(t *testing.T) {
	t.Parallel()
	dir, environ := t.TempDir(), append(private(t), debianPython(t))
	text := section(t, "docs/plugins.md", "## An environment in Python", "## An environment in Go")
	code := pythonCode.FindStringSubmatch(text)
	if code == nil {
		t.Fatal("there is no code")
	}
	before, after, _ := strings.Cut(text, "```python")
	follow(t, dir, environ, before)
	if err := os.WriteFile(filepath.Join(dir, "coins", "plugin.py"), []byte(code[1]), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := follow(t, dir, environ, after); len(out) != 2 {
		t.Errorf("%d commands follow the code, want a check and a run", len(out))
	}
	readme := pythonCode.FindStringSubmatch(section(t, "sdk/python/README.md", "# macpro-plugin", "`adapters.Parallel`"))
	if readme == nil || readme[1] != code[1] {
		t.Error("the kit's README prints another example")
	}
}

var goCode = regexp.MustCompile("(?s)```go\n(.*?)```")

// The method that docs/plugins.md prints is as short as it says, builds, passes
// the suite and trains.
func TestGoMethodOfTheDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	repo, dir, environ := repository(t), t.TempDir(), private(t)
	code := goCode.FindStringSubmatch(section(t, "docs/plugins.md", "### A method in forty lines", "### What a method may do"))
	if code == nil {
		t.Fatal("there is no code")
	}
	_, body, _ := strings.Cut(code[1], "func main()")
	if n := codeLines(body); n > 42 {
		t.Errorf("%d lines that are not imports or blank", n)
	}
	must(t, dir, environ, "plugin", "new", "method", "shrink", "--source", repo)
	folder := filepath.Join(dir, "shrink")
	sum, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"main.go": []byte(code[1]), "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build(t, folder, "shrink")
	must(t, dir, environ, "plugin", "check", "shrink", "--write")
	short := strings.Replace(shortRun, "--alg finetuning", "--alg shrink --env-plugin shrink", 1)
	must(t, dir, environ, words("run --env lbf"+short)...)
}

// codeLines counts the lines of a text that are not blank.
func codeLines(text string) (n int) {
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// The same method in Python is as short, passes the suite and trains, by the
// commands beside it.
func TestPythonMethodOfTheDocs(t *testing.T) {
	t.Parallel()
	dir, environ := t.TempDir(), append(private(t), debianPython(t))
	text := section(t, "docs/plugins.md", "### The same in Python", "### What a method may do")
	code := pythonCode.FindStringSubmatch(text)
	if code == nil {
		t.Fatal("there is no code")
	}
	if n := codeLines(code[1]); n > 40 {
		t.Errorf("%d lines that are not blank", n)
	}
	before, after, _ := strings.Cut(text, "```python")
	follow(t, dir, environ, before)
	if err := os.WriteFile(filepath.Join(dir, "shrink", "plugin.py"), []byte(code[1]), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := follow(t, dir, environ, after); len(out) != 2 {
		t.Errorf("%d commands follow the code, want a check and a run", len(out))
	}
	readme := pythonCode.FindStringSubmatch(section(t, "sdk/python/README.md", "## Methods and learners", "| To write |"))
	if readme == nil || readme[1] != code[1] {
		t.Error("the kit's README prints another method")
	}
}
