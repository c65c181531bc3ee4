package terminal_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
)

// onScreen is short with its progress shown.
var onScreen = strings.Replace(program.Short, " --quiet", "", 1)

// A run on a terminal: the block and the lines fit, and Ctrl-C leaves a screen on which
// the hint stands alone.
func TestRunOnTerminal(t *testing.T) {
	t.Parallel()
	for _, cols := range []int{80, 50} {
		t.Run(fmt.Sprint(cols), func(t *testing.T) {
			t.Parallel()
			program.Meanwhile(t, func(dir string) (late bool) {
				p := program.OnTerminal(t, dir, cols, nil, strings.Fields(strings.Replace(onScreen, "steps_per_task=1000", "steps_per_task=8000", 1))...)
				lacks := p.AwaitAll(`task\S*  +bottom, 2 of 2`, `steps\S* +\[.*#.*\.\] +[5-9][0-9] %,\s+\d+ of 16000,`, `loss 0\.\d+, epsilon 0\.\d+,`, `\d+ steps/s`, `return\S* +right \d\.\d\d,`)
				if lacks != "" {
					t.Logf("the block never had %s:\n%s", lacks, strings.Join(program.Emulate(p.Raw(), cols), "\n"))
					return true
				}
				p.Key("\x03")
				if code := p.Wait(); code != 130 {
					if code != 0 {
						t.Errorf("exit code %d", code)
					}
					return true
				}
				if bad := program.TooWide(p.Raw(), cols); bad != nil {
					t.Errorf("%d columns: %q", cols, bad)
				}
				rec := program.OnlyRun(t, dir)
				shown := program.Emulate(p.Raw(), cols)
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
				if want := fmt.Sprintf("stopped, saved at step %d of 16000; go on with:\r\n  macpro resume results/runs/%s\r\n", c.TEnv, rec.Manifest.ID); !strings.HasSuffix(unfolded(p.Raw()), want) {
					t.Errorf("ends with %q instead of %q", p.Raw()[max(0, len(p.Raw())-300):], want)
				}
				return false
			})
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
	p := program.OnTerminal(t, dir, 80, nil, strings.Fields(line)...)
	p.Await("epsilon")
	// A process that is stopped gets both before it can go on.
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCONT} {
		p.Signal(sig)
	}
	code := p.Wait()
	shown := program.Emulate(p.Raw(), 80)
	hint := "  macpro resume results/runs/" + program.OnlyRun(t, dir).Manifest.ID
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
			p := program.OnTerminal(t, t.TempDir(), 80, c.environ, strings.Fields(onScreen)...)
			code := p.Wait()
			text := p.Raw()
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
	p := program.OnTerminal(t, t.TempDir(), 0, nil, strings.Fields(onScreen)...)
	if code := p.Wait(); code != 0 || !strings.Contains(p.Raw(), "epsilon") {
		t.Errorf("exit code %d: %q", code, p.Raw())
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
			p := program.OnTerminal(t, dir, cols, nil, strings.Fields(line)...)
			p.Await("steps/s")
			p.Key("\x03")
			if code := p.Wait(); code != 130 {
				t.Errorf("exit code %d", code)
			}
			drawn := p.Raw()
			for _, want := range []string{`lr=0\.001 s1\s+\[`, `lr=0\.002 s1\s+\[`, `\] +\d+ %  \d+ steps/s`, `0 of 2 cells done, 2 cells running,`, `interrupted\S* lr=0.00[12] s1 \(0 of 2\)`} {
				if !regexp.MustCompile(want).MatchString(drawn) {
					t.Errorf("no %s in\n%s", want, drawn)
				}
			}
			if bad := program.TooWide(drawn, cols); bad != nil {
				t.Errorf("%d columns: %q", cols, bad)
			}
			shown := program.Emulate(drawn, cols)
			text := strings.Join(shown, "\n")
			if !strings.HasSuffix(text, "\nstopped; go on with:\n  macpro sweep resume lr\n") || strings.Contains(text, "^C") || strings.Contains(text, "level=") {
				t.Errorf("the screen is\n%s", text)
			}
		})
	}
}
