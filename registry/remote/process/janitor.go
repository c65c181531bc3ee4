package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// janitor cleans up after a plugin, whatever happens to this process.
type janitor struct {
	cmd *exec.Cmd
	end io.Closer // closing it starts the cleaning
	dir string    // the private folder
}

// script ignores what a terminal may send, waits for the end of its input,
// and then removes the folder and kills the group that it leads.
const script = `trap '' HUP INT TERM; read -r _; rm -rf -- "$1"; kill -9 0`

// newJanitor makes a private folder and the janitor that removes it.
func newJanitor() (*janitor, error) {
	dir, err := os.MkdirTemp(socketBase(), "macpro-")
	if err != nil {
		return nil, fmt.Errorf("a private folder for sockets: %w", err)
	}
	j := &janitor{dir: dir, cmd: exec.Command("/bin/sh", "-c", script, "macpro-janitor", dir)}
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	j.end, err = j.cmd.StdinPipe()
	if err == nil {
		err = j.cmd.Start()
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("the janitor of a plugin: %w", err)
	}
	return j, nil
}

func (j *janitor) group() int { return j.cmd.Process.Pid }

// clean ends the group and removes the folder; it returns when that is done.
func (j *janitor) clean() {
	_ = j.end.Close()       // closed twice by a second call, which is harmless
	_ = j.cmd.Wait()        // killed by itself
	_ = os.RemoveAll(j.dir) // in case that somebody killed the janitor
}

// socketBase is where private folders are made: the user's run-time folder or
// the one for temporary files, unless its name is too long for the path of a
// socket (about 100 bytes, of which the names below take 60).
func socketBase() string {
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()} {
		if i, err := os.Stat(dir); err == nil && i.IsDir() && len(dir) <= 40 && filepath.IsAbs(dir) {
			return dir
		}
	}
	return "/tmp"
}
