package memory

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTotal(t *testing.T) {
	if n := Total(); n < 64<<20 {
		t.Errorf("the machine has %d bytes", n)
	}
	if err := Fits("three floats", 12); err != nil {
		t.Error(err)
	}
	err := Fits("the weights", 1e9*1e9*4)
	if err == nil || !strings.Contains(err.Error(), "the weights need 3553 PiB, and this machine has ") {
		t.Errorf("the error is %v", err)
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[float64]string{0: "0 bytes", 1023: "1023 bytes", 1536: "1.5 KiB", 5 << 30: "5 GiB", 772e9: "719 GiB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%g bytes are %q, want %q", bytes, got, want)
		}
	}
}

// The least limit of a group and of those above it holds.
func TestLimited(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	own := write("own", "12:memory:/old\n0::/slurm/job_1\n")
	if n := limited(own, root); n != math.MaxInt64 {
		t.Errorf("without a limit: %d", n)
	}
	write("slurm/memory.max", "5000\n")
	write("slurm/job_1/memory.max", "max\n")
	if n := limited(own, root); n != 5000 {
		t.Errorf("below a group of 5000: %d", n)
	}
	write("slurm/job_1/memory.max", "4000\n")
	if n := limited(own, root); n != 4000 {
		t.Errorf("in a group of 4000: %d", n)
	}
}
