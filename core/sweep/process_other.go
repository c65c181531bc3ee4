//go:build !linux

package sweep

import (
	"os/exec"
	"syscall"
)

// tie makes a process lead a group of its own, so that a Ctrl-C reaches it only
// through us.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
