//go:build !linux

package janitor

import "syscall"

// Member puts a process into a group, 0 for one that it leads: a Ctrl-C does not reach
// it. On Linux it gets a signal when the thread that starts it ends.
func Member(group int, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pgid: group}
}
