package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"macpro/core/record"
)

// onScreen is short with its progress shown.
var onScreen = strings.Replace(short, " --quiet", "", 1)

// A run on a terminal: the block and the lines fit, and Ctrl-C leaves a screen on which
// the hint stands alone.
func TestRunOnTerminal(t *testing.T) {
	t.Parallel()
	for _, cols := range []int{80, 50} {
		t.Run(fmt.Sprint(cols), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := onTerminal(t, dir, cols, nil, words(strings.Replace(onScreen, "steps_per_task=1000", "steps_per_task=8000", 1))...)
			p.await("2 of 2")
			time.Sleep(time.Second) // until some of it is drawn
			drawn := p.raw()
			p.key("\x03")
			if code := p.wait(); code != 130 {
				t.Errorf("exit code %d", code)
			}
			for _, want := range []string{`task\S*  +bottom, 2 of 2`, `steps\S* +\[.*#.*\.\] +[5-9][0-9] %,\s+\d+ of 16000,`, `loss 0\.\d+, epsilon 0\.\d+,`, `\d+ steps/s`, `return\S* +right \d\.\d\d,`} {
				if !regexp.MustCompile(want).MatchString(drawn) {
					t.Errorf("the block has no %s:\n%s", want, strings.Join(emulate(drawn, cols), "\n"))
				}
			}
			if bad := tooWide(p.raw(), cols); bad != nil {
				t.Errorf("%d columns: %q", cols, bad)
			}
			rec := onlyRun(t, dir)
			shown := emulate(p.raw(), cols)
			text := strings.Join(shown, "\n")
			if rec.Status != record.Interrupted || strings.Contains(text, "^C") || strings.Contains(text, "level=") || strings.Contains(text, "\x1b") {
				t.Errorf("%s, the screen is\n%s", rec.Status, text)
			}
			if strings.Contains(text, "[#") || slices.Index(shown, "seed     5") < 0 {
				t.Errorf("the block stays, or what stood above it is gone:\n%s", text)
			}
			c, _, err := rec.LatestCheckpoint()
			if err != nil || c == nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("stopped, saved at step %d of 16000; go on with:\r\n  macpro resume results/runs/%s\r\n", c.TEnv, rec.Manifest.ID); !strings.HasSuffix(unfolded(p.raw()), want) {
				t.Errorf("ends with %q instead of %q", p.raw()[max(0, len(p.raw())-300):], want)
			}
		})
	}
}

// unfolded joins the lines of a sentence that was broken.
func unfolded(text string) string { return strings.ReplaceAll(text, "\r\n    ", " ") }

// Two signals in a row: the program is gone at once and says how to go on.
func TestSecondSignalOnTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	line := strings.Replace(onScreen, "steps_per_task=1000", "steps_per_task=100000", 1)
	p := onTerminal(t, dir, 80, nil, words(line)...)
	p.await("epsilon")
	// A process that is stopped gets both before it can go on.
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCONT} {
		if err := p.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	code := p.wait()
	shown := emulate(p.raw(), 80)
	hint := "  macpro resume results/runs/" + onlyRun(t, dir).Manifest.ID
	if (code != 128+int(syscall.SIGINT) && code != 128+int(syscall.SIGTERM)) || !slices.Contains(shown, hint) {
		t.Errorf("exit code %d\n%s", code, strings.Join(shown, "\n"))
	}
}

// Colours depend on NO_COLOR and TERM, drawing on TERM alone.
func TestColoursOfTerminal(t *testing.T) {
	t.Parallel()
	color, cursor := regexp.MustCompile(`\x1b\[[0-9;]*m`), regexp.MustCompile(`\x1b\[\d*[AJ]`)
	for _, c := range []struct {
		environ        []string
		colour, cursor bool
	}{
		{nil, true, true},
		{[]string{"NO_COLOR=1"}, false, true},
		{[]string{"TERM=dumb"}, false, false},
		{[]string{"TERM="}, false, false},
	} {
		t.Run(strings.Join(c.environ, ","), func(t *testing.T) {
			t.Parallel()
			p := onTerminal(t, t.TempDir(), 80, c.environ, words(onScreen)...)
			code := p.wait()
			text := p.raw()
			if code != 0 || color.MatchString(text) != c.colour || cursor.MatchString(text) != c.cursor {
				t.Errorf("exit code %d, colours %v, cursor %v: %q", code, color.MatchString(text), cursor.MatchString(text), text)
			}
			if !strings.Contains(text, "right begins, task 1 of 2") || !strings.Contains(text, "bottom ends: return right ") {
				t.Errorf("no lines of tasks: %s", text)
			}
		})
	}
}

// A terminal that says no size, as that of a session without a window, gets lines all the same.
func TestTerminalWithoutSize(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, t.TempDir(), 0, nil, words(onScreen)...)
	if code := p.wait(); code != 0 || !strings.Contains(p.raw(), "epsilon") {
		t.Errorf("exit code %d: %q", code, p.raw())
	}
}

// A sweep shows what cells differ in, with percent. What becomes of them stays.
func TestSweepOnTerminal(t *testing.T) {
	t.Parallel()
	for _, cols := range []int{80, 50} {
		t.Run(fmt.Sprint(cols), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			line := "sweep --name lr --alg finetuning --env lbf --profile smoke --seeds 1 --jobs 2 --grid lr=0.001,0.002 " +
				"--set test_nepisode=2 --set batch_size=8 --set steps_per_task=200000 --set log_interval=100"
			p := onTerminal(t, dir, cols, nil, words(line)...)
			p.await("steps/s")
			p.key("\x03")
			if code := p.wait(); code != 130 {
				t.Errorf("exit code %d", code)
			}
			drawn := p.raw()
			for _, want := range []string{`lr=0\.001 s1\s+\[`, `lr=0\.002 s1\s+\[`, `\] +\d+ %  \d+ steps/s`, `0 of 2 cells done, 2 cells running,`, `interrupted\S* lr=0.00[12] s1 \(0 of 2\)`} {
				if !regexp.MustCompile(want).MatchString(drawn) {
					t.Errorf("no %s in\n%s", want, drawn)
				}
			}
			if bad := tooWide(drawn, cols); bad != nil {
				t.Errorf("%d columns: %q", cols, bad)
			}
			shown := emulate(drawn, cols)
			text := strings.Join(shown, "\n")
			if !strings.HasSuffix(text, "\nstopped; go on with:\n  macpro sweep resume lr\n") || strings.Contains(text, "^C") || strings.Contains(text, "level=") {
				t.Errorf("the screen is\n%s", text)
			}
		})
	}
}

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
	if got := emulate(written.String()[strings.Index(written.String(), "second"):], 20); strings.Join(got, "|") != "second|END|" {
		t.Errorf("the screen is %q", got)
	}
}
