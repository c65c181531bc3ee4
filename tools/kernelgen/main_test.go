package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCommittedOutput checks that the assembly in the kernel package is what
// this generator writes, apart from the first line, which holds the command.
func TestCommittedOutput(t *testing.T) {
	const home = "../../core/nn/internal/kernel"
	dir := t.TempDir()
	asm, stubs := filepath.Join(dir, "asm_amd64.s"), filepath.Join(dir, "asm_amd64.go")
	cmd := exec.Command("go", "run", ".", "-pkg", "kernel", "-out", asm, "-stubs", stubs)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("running the generator: %v\n%s", err, out)
	}
	for _, file := range []string{asm, stubs} {
		name := filepath.Base(file)
		if !bytes.Equal(body(t, file), body(t, filepath.Join(home, name))) {
			t.Errorf("%s is out of date: run go generate in core/nn/internal/kernel", name)
		}
	}
}

// body returns a file without its first line.
func body(t *testing.T, file string) []byte {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(data, []byte("\n"))
	return rest
}
