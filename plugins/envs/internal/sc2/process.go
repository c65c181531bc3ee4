package sc2

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// process is a running game program and the shell that leads its group.
type process struct {
	port  int
	cmd   *exec.Cmd
	out   tail
	ended chan struct{} // closed when the program has ended

	leader *exec.Cmd
	pipe   io.Closer // the leader's input: closing it ends the group
	dir    string    // of temporary files
}

// leaderScript ignores what a terminal may send, waits for the end of its input,
// removes the folder and kills the group that it leads, itself included.
const leaderScript = `trap '' HUP INT TERM; read -r _; rm -rf -- "$1"; kill -9 0`

// start runs the game on a free port. It returns as soon as the program runs, which
// is long before it answers.
func start(in *install, extra []string) (*process, error) {
	dir, err := os.MkdirTemp("", "macpro-sc2-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the game's temporary files: %w", err)
	}
	p := &process{dir: dir, ended: make(chan struct{})}
	if err := p.lead(); err != nil {
		_ = os.RemoveAll(dir) // empty; the first error is the one to report
		return nil, err
	}
	if p.port, err = reserve(); err == nil {
		err = p.run(in, extra)
	}
	if err != nil {
		close(p.ended)
		p.end()
		return nil, err
	}
	return p, nil
}

func (p *process) lead() error {
	p.leader = exec.Command("/bin/sh", "-c", leaderScript, "macpro-sc2", p.dir)
	p.leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := p.leader.StdinPipe()
	if err != nil {
		return err
	}
	p.pipe = pipe
	if err := p.leader.Start(); err != nil {
		return fmt.Errorf("the shell that watches over the game: %w", err)
	}
	return nil
}

func (p *process) run(in *install, extra []string) error {
	p.cmd = exec.Command(in.binary, arguments(runtime.GOOS, in, p.port, p.dir, extra)...)
	libraries := filepath.Join(in.root, "Libs") + "/"
	if before := os.Getenv("LD_LIBRARY_PATH"); before != "" {
		libraries += ":" + before
	}
	p.cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+libraries)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: p.leader.Process.Pid}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.WaitDelay = 10 * time.Second // for what it started and left behind with its output open
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("starting StarCraft II: %w", err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in cmd.ProcessState
		close(p.ended)
	}()
	return nil
}

// arguments are those of a game on an operating system. On a Mac the game cannot do
// without a window, which is small.
func arguments(system string, in *install, port int, dir string, extra []string) []string {
	args := []string{
		"-listen", host, "-port", strconv.Itoa(port),
		"-dataDir", in.root + "/", "-tempDir", dir + "/",
	}
	if hash, ok := data[in.build]; ok {
		args = append(args, "-dataVersion", hash)
	}
	if system == "darwin" {
		args = append(args, "-displayMode", "0", "-windowwidth", "640", "-windowheight", "480", "-windowx", "50", "-windowy", "50")
	}
	return append(args, extra...)
}

// gone reports whether the program has ended, after waiting for it at most d.
func (p *process) gone(d time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(d):
	}
	select {
	case <-p.ended: // just now, or both had come
		return true
	default:
		return false
	}
}

// how says how the program ended, with its last words.
func (p *process) how() string {
	s := "it ended with " + p.cmd.ProcessState.String()
	if words := p.out.String(); words != "" {
		s += "; its last words: " + words
	}
	return s
}

// end kills the group, if it is still there, and removes its files.
func (p *process) end() {
	_ = p.pipe.Close()      // closed twice by a second call, which is harmless
	_ = p.leader.Wait()     // killed by itself
	_ = os.RemoveAll(p.dir) // in case that somebody killed the leader
	<-p.ended
	release(p.port)
}
