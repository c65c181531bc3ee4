package janitor

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Cleaning ends what has joined the group, and what that has started, and removes the
// folder with what is in it.
func TestClean(t *testing.T) {
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `trap '' HUP INT TERM; echo x >"$0/file"; sleep 1000 & echo; wait`, dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: j.Group()}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	j.Clean()
	if n, err := out.Read(make([]byte, 1)); n != 0 || err == nil { // both have the pipe open while they live
		t.Errorf("read %d bytes, %v", n, err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the program came to its end")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder: %v", err)
	}
	j.Clean()
}

// Only the end is kept, of many writes and of a long one.
func TestTail(t *testing.T) {
	out := Tail{Most: 100}
	for i := range 1000 {
		fmt.Fprintf(&out, "line %d\n", i)
	}
	if s := out.String(); len(s) != out.Most || !strings.HasSuffix(s, "line 998\nline 999\n") {
		t.Errorf("kept %d bytes: %q", len(s), s)
	}
	fmt.Fprint(&out, strings.Repeat("x", 150)+"end")
	if want := strings.Repeat("x", 97) + "end"; out.String() != want {
		t.Errorf("kept %q", out.String())
	}
}
