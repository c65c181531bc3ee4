package sc2

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"macpro/core/janitor"
)

// process is a running game program.
type process struct {
	port    int
	cmd     *exec.Cmd
	out     janitor.Tail
	ended   chan struct{} // closed when the program has ended
	janitor *janitor.Janitor
}

// start runs the game on a free port. It returns as soon as the program runs, which
// is long before it answers.
func start(in *install, extra []string) (*process, error) {
	dir, err := os.MkdirTemp("", "macpro-sc2-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the game's temporary files: %w", err)
	}
	p := &process{out: janitor.Tail{Most: 2048}, ended: make(chan struct{})}
	if p.janitor, err = janitor.New(dir); err != nil {
		return nil, fmt.Errorf("the shell that watches over the game: %w", err)
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

func (p *process) run(in *install, extra []string) error {
	p.cmd = exec.Command(in.binary, arguments(runtime.GOOS, in, p.port, p.janitor.Dir, extra)...)
	libraries := filepath.Join(in.root, "Libs") + "/"
	if before := os.Getenv("LD_LIBRARY_PATH"); before != "" {
		libraries += ":" + before
	}
	p.cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+libraries)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: p.janitor.Group()}
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
	if words := strings.TrimSpace(p.out.String()); words != "" {
		s += "; its last words: " + words
	}
	return s
}

// end kills the program with all that it started, if it is still there, and removes its
// files.
func (p *process) end() {
	p.janitor.Clean()
	<-p.ended
	release(p.port)
}
