package names

import (
	"os/exec"
	"strings"
	"testing"
)

// A word in a hint is what the shell reads when the hint is pasted, and no word
// steers the terminal.
func TestShellWord(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("needs bash, to read what ShellWord quotes: %v", err)
	}
	for _, c := range []struct{ in, want string }{
		{"results/runs/a-1", "results/runs/a-1"},
		{"my results/runs", "'my results/runs'"},
		{"it's", `'it'\''s'`},
		{"$HOME;`x`", "'$HOME;`x`'"},
		{"", "''"},
		{"a\x1b[31m'b\\\n", `$'a\x1b[31m\'b\\\n'`},
	} {
		got := ShellWord(c.in)
		read, err := exec.Command(bash, "-c", "printf %s "+got+"x").Output()
		if got != c.want || Plain(got) != got || err != nil || strings.TrimSuffix(string(read), "x") != c.in {
			t.Errorf("ShellWord(%q) = %s, which is read as %q (%v); want %s", c.in, got, read, err, c.want)
		}
	}
}
