package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A folder that results can be written to is one in which something was written, or
// could be made. Nothing stays of the trial.
func TestDoctorTriesTheDisk(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{dir: "", filepath.Join(dir, "a", "b"): "", file: "not a directory", filepath.Join(file, "x"): "not a directory"}
	if runtime.GOOS == "linux" {
		cases["/proc/results"] = "results cannot be written to /proc/results"
	}
	for out, want := range cases {
		var b strings.Builder
		err := doctorDisk(&b, out)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", out, err, want)
		}
		if says := strings.Contains(b.String(), "writable"); says != (want == "") {
			t.Errorf("%s: it says %q", out, b.String())
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v is left, %v", left, err)
	}
}
