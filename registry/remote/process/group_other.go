//go:build !linux

package process

import "syscall"

// member puts a process into a group.
func member(group int) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true, Pgid: group} }
