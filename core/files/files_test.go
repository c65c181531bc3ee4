package files

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestReadsAreBounded(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Read("/dev/zero"); err == nil || !strings.Contains(err.Error(), "/dev/zero is larger than 67108864 bytes") {
		t.Errorf("a file without an end: %v", err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 8*Most {
		t.Errorf("took %d bytes", taken)
	}
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadMost(name, 5); string(got) != "12345" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := ReadMost(name, 4); err == nil {
		t.Error("5 bytes pass for 4")
	}
	want := sha256.Sum256([]byte("12345"))
	if got, err := Sum(name); string(got) != string(want[:]) || err != nil {
		t.Errorf("%x, %v", got, err)
	}
}

func TestOnlyFilesAreOpened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/dev/zero", pipe} {
		if f, err := Open(name); err == nil || !strings.Contains(err.Error(), name+": it is a device or a pipe") {
			t.Errorf("%s: %v, %v", name, f, err)
		}
		if _, err := Sum(name); err == nil {
			t.Errorf("%s has a sum", name)
		}
	}
	if _, err := Open(pipe + "x"); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// Other packages read through this one, so that no file is read without a bound.
func TestNobodyReadsWithoutABound(t *testing.T) {
	bounded := []string{filepath.Join("core", "files"), filepath.Join("core", "store", "osfs.go"), "sc2test"}
	for _, top := range []string{"cmd", "core", "plugins", "registry", "results"} {
		err := filepath.WalkDir(filepath.Join("..", "..", top), func(path string, e fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
				slices.ContainsFunc(bounded, func(b string) bool { return strings.Contains(path, b) }) {
				return err
			}
			text, err := os.ReadFile(path)
			for _, call := range []string{"os.ReadFile(", "os.Open(", "io.ReadAll(file)", "ioutil."} {
				if strings.Contains(string(text), call) {
					t.Errorf("%s calls %s: use core/files", path, call)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
