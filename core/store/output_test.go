package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWriteOutputKeepsWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	link, target, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "target"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(target, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Fatal(err)
	}
	if err := WriteOutput(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
	if got, err := os.ReadFile(target); string(got) != "new" || err != nil {
		t.Errorf("behind the link is %q, %v", got, err)
	}

	if err := WriteOutput(dir, nil); err == nil || !strings.HasSuffix(err.Error(), "it is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if err := WriteOutput("", nil); err == nil {
		t.Error("no name is accepted")
	}

	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			read <- err.Error()
			return
		}
		b, _ := io.ReadAll(f)
		_ = f.Close()
		read <- string(b)
	}()
	if err := WriteOutput(pipe, []byte("table")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("the pipe became %v, %v", info, err)
	}
	if got := <-read; got != "table" {
		t.Errorf("the pipe got %q", got)
	}
}

// A writer that fails leaves the old content and nothing beside it.
func TestStreamOutputIsWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	for _, content := range []string{"first", strings.Repeat("second ", 10000)} {
		if err := StreamOutput(name, func(w io.Writer) error {
			_, err := io.WriteString(w, content)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		err := StreamOutput(name, func(w io.Writer) error {
			_, _ = io.WriteString(w, strings.Repeat("x", 100000))
			return errFault
		})
		if got, e := os.ReadFile(name); string(got) != content || e != nil || !errors.Is(err, errFault) {
			t.Errorf("%d bytes, %v, %v", len(got), e, err)
		}
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("%v, %v", left, err)
	}
}
