package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Main runs a package's tests with the program on the path under the name macpro.
// It is for TestMain.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "macpro-program-")
	if err == nil {
		err = build(filepath.Join(dir, "macpro"))
	}
	if err == nil {
		err = os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		built = true
		code = m.Run()
	}
	_ = os.RemoveAll(dir) // it is below the temporary folder
	os.Exit(code)
}

// Scripts runs the scripts of a package.
func Scripts(t *testing.T) {
	t.Parallel()
	UsesSources(t)
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}

// build copies the program from the cache of the go command, which links it there
// if the sources are new. "go build" would link it for every test package.
func build(to string) error {
	cmd := exec.Command("go", "run", "-ldflags=-s -w", "-exec=cp", "macpro/cmd/macpro", to)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building macpro: %w\n%s", err, out)
	}
	return nil
}

var (
	built   bool // by Main
	sources sync.Once
)

// UsesSources tells the go command that the test depends on the program's sources,
// which the test binary does not import: it looks at each file. So results of tests
// are not taken from the cache after a change.
func UsesSources(t testing.TB) {
	t.Helper()
	if !built {
		return // the test binary is the program
	}
	sources.Do(func() {
		for _, top := range []string{"go.mod", "cmd", "configs", "core", "plugins", "registry", "results", "sdk"} {
			err := filepath.WalkDir(filepath.Join(Repository(t), top), func(name string, d fs.DirEntry, err error) error {
				if err == nil && d.Name() == "testdata" {
					return filepath.SkipDir
				}
				if err == nil && !strings.HasSuffix(name, "_test.go") {
					_, err = os.Stat(name)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Repository is the folder of the sources.
func Repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			err = errors.New("no go.mod above this folder")
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal(err)
	return ""
}
