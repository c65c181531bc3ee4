// Package exe writes programs that tests start.
package exe

import (
	"os"
	"syscall"
	"testing"
)

// Write writes a program. Nothing is forked meanwhile: a child that has the file open
// for writing, until its own exec, would keep the program from being started ("text
// file busy").
func Write(t testing.TB, name string, data []byte, mode os.FileMode) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(name, data, mode)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}
