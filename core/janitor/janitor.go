// Package janitor ends processes that this one has started and removes their files,
// whatever happens to this one. It also keeps their last words.
package janitor

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// Janitor is a shell that waits at a pipe. Only this process holds the other end. The
// shell leads a process group, which others join. When the pipe closes, it removes a
// folder and kills the group, itself included.
type Janitor struct {
	Dir string // the folder
	cmd *exec.Cmd
	end io.Closer // closing it starts the cleaning
}

// script ignores what a terminal may send.
const script = `trap '' HUP INT TERM; read -r _; rm -rf -- "$1"; kill -9 0`

// New starts the janitor of a folder. On an error the folder is gone.
func New(dir string) (*Janitor, error) {
	j := &Janitor{Dir: dir, cmd: exec.Command("/bin/sh", "-c", script, "macpro-janitor", dir)}
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it outlives this process
	var err error
	if j.end, err = j.cmd.StdinPipe(); err == nil {
		err = j.cmd.Start()
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return j, nil
}

// Group is the id of the process group.
func (j *Janitor) Group() int { return j.cmd.Process.Pid }

// Clean kills the group and removes the folder. It returns when that is done. A second
// call is harmless.
func (j *Janitor) Clean() {
	_ = j.end.Close()       // a second call closes it twice
	_ = j.cmd.Wait()        // killed by itself
	_ = os.RemoveAll(j.Dir) // in case that somebody killed the janitor
}

// Tail keeps the end of what is written to it. Its methods may be called at the same
// time.
type Tail struct {
	Most int // bytes that are kept
	mu   sync.Mutex
	data []byte
}

func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p[max(0, len(p)-t.Most):]...)
	t.data = t.data[max(0, len(t.data)-t.Most):]
	return len(p), nil
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}
