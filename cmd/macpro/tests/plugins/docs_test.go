package plugins_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
)

var goCode = regexp.MustCompile("(?s)```go\n(.*?)```")

// The method that docs/plugins.md prints is as short as it says, builds, passes
// the suite and trains.
func TestGoMethodOfTheDocs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	repo, dir, environ := program.Repository(t), t.TempDir(), program.Private(t)
	code := goCode.FindStringSubmatch(program.Section(t, "docs/plugins.md", "### A method in forty lines", "### What a method may do"))
	if code == nil {
		t.Fatal("there is no code")
	}
	_, body, _ := strings.Cut(code[1], "func main()")
	if n := program.CodeLines(body); n > 42 {
		t.Errorf("%d lines that are not imports or blank", n)
	}
	program.Must(t, dir, environ, "plugin", "new", "method", "shrink", "--source", repo)
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
	program.Must(t, dir, environ, "plugin", "check", "shrink", "--write")
	short := strings.Replace(program.ShortRun, "--alg finetuning", "--alg shrink --env-plugin shrink", 1)
	program.Must(t, dir, environ, strings.Fields("run --env lbf"+short)...)
}
