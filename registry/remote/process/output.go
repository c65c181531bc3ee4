package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// output is our end of a pipe that a process writes to. It ends when all is read that
// the process has written, even if a fork of it holds the pipe open.
type output struct {
	file  *os.File
	ended bool // the process has
	left  int  // how much more is then read at most, as a fork may go on writing
}

// mostInPipe bounds what a pipe holds, in bytes.
const mostInPipe = 1 << 20

// finish says that the process has ended. Who waits for more of its output goes on.
func (o *output) finish() { _ = o.file.SetReadDeadline(time.Unix(1, 0)) } // pipes take deadlines

func (o *output) Read(p []byte) (n int, err error) {
	if !o.ended {
		n, err = o.file.Read(p)
		if o.ended = errors.Is(err, os.ErrDeadlineExceeded); o.ended {
			o.left, err = mostInPipe, o.file.SetReadDeadline(time.Time{})
		}
	}
	if o.ended && err == nil {
		n, err = o.there(p[:min(len(p), o.left)])
		o.left -= n
	}
	if err != nil {
		_ = o.file.Close() // the error is the one to report
	}
	return n, err
}

// there reads what is in the pipe and does not wait for more.
func (o *output) there(p []byte) (n int, err error) {
	raw, err := o.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	if failed := raw.Read(func(fd uintptr) bool {
		for err = syscall.EINTR; err == syscall.EINTR; {
			n, err = syscall.Read(int(fd), p)
		}
		return true
	}); failed != nil {
		return 0, failed
	}
	if n <= 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (o *output) Close() error { return o.file.Close() }

// firstLine reads the first line of a file, or its beginning, and swallows
// whatever follows, so that a process that goes on writing never has to wait.
type firstLine struct {
	*output
	child *child
	seen  int
	over  bool
}

// longestLine bounds the first line, in bytes.
const longestLine = 4096

func (f *firstLine) Read(p []byte) (int, error) {
	if f.over {
		if _, err := io.Copy(f.child.rest, f.output); err != nil {
			return 0, err
		}
		return 0, io.EOF
	}
	n, err := f.output.Read(p[:min(len(p), longestLine)])
	if i := bytes.IndexByte(p[:n], '\n'); i >= 0 {
		_, _ = f.child.rest.Write(p[i+1 : n]) // which never fails
		f.over, n = true, i+1
	} else if f.seen += n; f.seen >= longestLine && n > 0 {
		f.over, p[n-1] = true, '\n'
	}
	f.child.head.add(p[:n])
	if err != nil && !f.child.ending.Load() {
		f.child.closed.Store(true)
	}
	return n, err
}
