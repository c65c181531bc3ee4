package sc2test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"macpro/core/conform/exe"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// Build is the build number of the installed stand-in: that of 4.6.2.
const Build = 69232

// Install makes a folder that looks like an installed game with all maps, and
// returns its path. When the test ends no process that was started from it may be
// left, nor any of its temporary files.
func Install(t testing.TB, s Settings) string {
	t.Helper()
	root := t.TempDir()
	s.Build = cmp.Or(s.Build, Build)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// With the race detector a program sleeps for a second before it exits.
	script := fmt.Sprintf("#!/bin/sh\n%s='%s' GORACE=atexit_sleep_ms=0 exec '%s' \"$@\"\n", variable, s.encode(), program)
	Write(t, filepath.Join(root, "Versions", fmt.Sprintf("Base%d", Build), "SC2_x64"), script, 0o755)
	for _, m := range battle.Every {
		Write(t, filepath.Join(root, "Maps", "SMAC_Maps", m.Name+".SC2Map"), "MPQ\x1b"+m.Name, 0o644)
	}
	t.Cleanup(func() { checkLeftovers(t, root) })
	return root
}

// Write makes a file and the folders above it.
func Write(t testing.TB, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	exe.Write(t, path, []byte(content), mode)
}

// Start tells how a stand-in was started.
type Start struct {
	Pid  int
	Args []string
	Env  map[string]string
}

// TempDir is the folder that it was given for temporary files.
func (s Start) TempDir() string { return s.arg("-tempDir") }

func (s Start) arg(name string) string {
	for i, a := range s.Args[:len(s.Args)-1] {
		if a == name {
			return s.Args[i+1]
		}
	}
	return ""
}

// Starts lists all starts from a folder.
func Starts(t testing.TB, root string) []Start {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "starts"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var all []Start
	for line := range strings.Lines(string(text)) {
		var s Start
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// note appends this process to the list of starts.
func note(root string, args []string) error {
	s := Start{Pid: os.Getpid(), Args: args, Env: map[string]string{"LD_LIBRARY_PATH": os.Getenv("LD_LIBRARY_PATH")}}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(root, "starts"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(b, '\n')); err != nil {
		return err
	}
	return f.Close()
}

// Left lists what is there of the started processes and their files.
func Left(t testing.TB, root string) (left []string) {
	t.Helper()
	for _, s := range Starts(t, root) {
		if syscall.Kill(s.Pid, 0) == nil {
			left = append(left, fmt.Sprintf("process %d", s.Pid))
		}
		if _, err := os.Stat(s.TempDir()); err == nil {
			left = append(left, s.TempDir())
		}
	}
	return left
}

// Gone waits until nothing is left, at most a minute.
func Gone(t testing.TB, root string) error {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		left := Left(t, root)
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("left behind: %v", left)
		}
	}
}

func checkLeftovers(t testing.TB, root string) {
	if err := Gone(t, root); err != nil {
		t.Error(err)
	}
}
