package process

import "syscall"

// member puts a process into a group and lets the kernel kill it when the
// thread that starts it ends, which child.run makes sure is not before the
// process itself.
func member(group int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pgid: group, Pdeathsig: syscall.SIGKILL}
}
