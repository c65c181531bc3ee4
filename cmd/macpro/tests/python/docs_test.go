package python_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
)

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

// follow calls the commands of a document as they are printed; runs are made short.
func follow(t *testing.T, dir string, environ []string, text string) []program.Outcome {
	t.Helper()
	var out []program.Outcome
	for _, m := range command.FindAllStringSubmatch(text, -1) {
		line := remark.ReplaceAllString(m[1], "")
		if strings.HasPrefix(line, "run ") {
			short := program.ShortRun
			if strings.Contains(line, "--alg ") {
				short = strings.Replace(program.ShortRun, " --alg finetuning", "", 1)
			}
			line += short
		}
		out = append(out, program.Must(t, dir, environ, strings.Fields(line)...))
	}
	return out
}

// The first commands of docs/plugins.md work as printed: what was accepted runs by
// its name, and no longer once it has changed.
func TestPluginCommandsOfTheDocs(t *testing.T) {
	t.Parallel()
	dir, environ := t.TempDir(), append(program.Private(t), debianPython(t))
	out := follow(t, dir, environ, program.Section(t, "docs/plugins.md", "# Plugins", "## An environment in Python"))
	if len(out) != 6 || !strings.Contains(out[5].Stdout, "env/maze") || !strings.Contains(out[5].Stdout, "accepted") {
		t.Fatalf("%d commands, the last of which printed %q", len(out), out[len(out)-1].Stdout)
	}
	if o := program.Must(t, dir, environ, "list", "envs"); !strings.Contains(o.Stdout, "maze") {
		t.Errorf("list envs does not know it:\n%s", o.Stdout)
	}
	file := filepath.Join(dir, "maze", "plugin.py")
	if err := os.WriteFile(file, []byte("raise SystemExit(7)"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := program.Call(t, dir, environ, strings.Fields("run --env maze"+program.ShortRun)...)
	if o.Code == program.OK || !strings.Contains(o.Stderr, "has changed since it was accepted") {
		t.Errorf("a changed plugin: exit %d, %s", o.Code, o.Stderr)
	}
	if err := os.RemoveAll(filepath.Join(dir, "maze")); err != nil {
		t.Fatal(err)
	}
	program.Must(t, dir, environ, strings.Fields("run --env lbf"+program.ShortRun)...)
}

// The environment that docs/plugins.md prints passes the suite and trains, by the
// commands beside it; the kit's README prints the same.
func TestPythonExampleOfTheDocs(t *testing.T) {
	t.Parallel()
	dir, environ := t.TempDir(), append(program.Private(t), debianPython(t))
	text := program.Section(t, "docs/plugins.md", "## An environment in Python", "## An environment in Go")
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
	readme := pythonCode.FindStringSubmatch(program.Section(t, "sdk/python/README.md", "# macpro-plugin", "`adapters.Parallel`"))
	if readme == nil || readme[1] != code[1] {
		t.Error("the kit's README prints another example")
	}
}

// The same method in Python is as short, passes the suite and trains, by the
// commands beside it.
func TestPythonMethodOfTheDocs(t *testing.T) {
	t.Parallel()
	dir, environ := t.TempDir(), append(program.Private(t), debianPython(t))
	text := program.Section(t, "docs/plugins.md", "### The same in Python", "### What a method may do")
	code := pythonCode.FindStringSubmatch(text)
	if code == nil {
		t.Fatal("there is no code")
	}
	if n := program.CodeLines(code[1]); n > 40 {
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
	readme := pythonCode.FindStringSubmatch(program.Section(t, "sdk/python/README.md", "## Methods and learners", "| To write |"))
	if readme == nil || readme[1] != code[1] {
		t.Error("the kit's README prints another method")
	}
}
