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

// What the user types into a terminal moves the cursor. A block below which a line was
// typed stays as it is, and goes on below. One that is not left is erased whole.
func TestScreenLeavesBlocksThatWereTypedBelow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typed []string // before each drawing but the first
		want  string
	}{
		"nothing":        {[]string{"", ""}, "a 3|b 3|END|"},
		"Enter":          {[]string{"\n", ""}, "a 1|b 1||a 3|b 3|END|"},
		"Enter later":    {[]string{"", "\n"}, "a 2|b 2||a 3|b 3|END|"},
		"Enter twice":    {[]string{"\n", "\n"}, "a 1|b 1||a 2|b 2||a 3|b 3|END|"},
		"Enter held":     {[]string{"\n\n\n", ""}, "a 1|b 1||||a 3|b 3|END|"},
		"a command":      {[]string{"ls\n", ""}, "a 1|b 1|ls|a 3|b 3|END|"},
		"half a command": {[]string{"ls", ""}, "a 3|b 3|END|"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			control, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer control.Close()
			defer tty.Close()
			text, got := "", make([]byte, 4096)
			until := func(end string) { // what is written, or what the terminal echoes
				for from := len(text); !strings.HasSuffix(text[from:], end); {
					n, err := control.Read(got)
					if err != nil {
						t.Fatal(err)
					}
					text += string(got[:n])
				}
			}
			s := &screen{file: tty, end: make(chan struct{})}
			number := 0
			s.foot = func(int) []string { return []string{fmt.Sprint("a ", number), fmt.Sprint("b ", number)} }
			for _, typed := range append([]string{""}, c.typed...) {
				if _, err := control.WriteString(typed); err != nil {
					t.Fatal(err)
				}
				until(strings.ReplaceAll(typed, "\n", "\r\n"))
				number++
				if err := s.draw(nil); err != nil {
					t.Fatal(err)
				}
				until(fmt.Sprintf("b %d\r\n", number))
			}
			fmt.Fprintln(tty, "END")
			until("END\r\n")
			if got := strings.Join(program.Emulate(text, 20), "|"); got != c.want {
				t.Errorf("the screen is %q, want %q", got, c.want)
			}
		})
	}
}
