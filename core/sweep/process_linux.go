package sweep

import (
	"os/exec"
	"syscall"
)

// tie makes a process lead a group of its own, so a Ctrl-C reaches it only through
// us. It asks for a SIGTERM when the thread that starts it is gone. So a cell does
// not outlive a worker that was killed, and still saves its state.
func tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
