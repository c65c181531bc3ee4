package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/creack/pty"

	"macpro/cmd/macpro/tests/program"
)

// What is drawn is erased whole when the terminal has become narrower meanwhile.
func TestScreenErasesWhatItDrew(t *testing.T) {
	t.Parallel()
	control, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	defer tty.Close()
	var written strings.Builder
	read := make(chan struct{})
	go func() {
		defer close(read)
		part := make([]byte, 4096)
		for !strings.Contains(written.String(), "END") {
			n, err := control.Read(part)
			if err != nil {
				return
			}
			written.Write(part[:n])
		}
	}()
	size := func(cols uint16) {
		if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: cols}); err != nil {
			t.Fatal(err)
		}
	}
	size(40)
	s := newScreen(tty)
	s.show(func(columns int) []string { return []string{strings.Repeat("x", columns), "short"} })
	fmt.Fprintln(s, "first")
	size(20)
	fmt.Fprintln(s, "second")
	s.close()
	fmt.Fprintln(s, "END")
	<-read
	// At 20 columns the first line of 40 takes two rows.
	if want := "\x1b[3A\x1b[J" + "second"; !strings.Contains(written.String(), want) {
		t.Errorf("%q has no %q", written.String(), want)
	}
	if got := program.Emulate(written.String()[strings.Index(written.String(), "second"):], 20); strings.Join(got, "|") != "second|END|" {
		t.Errorf("the screen is %q", got)
	}
}
