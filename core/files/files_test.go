package files

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
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
