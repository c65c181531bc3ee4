package process

import (
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"macpro/core/janitor"
)

// command is a script that was started and has ended.
func command(t *testing.T, script string) *child {
	t.Helper()
	j, err := newJanitor()
	if err != nil {
		t.Fatal(err)
	}
	c := newChild(exec.Command("/bin/sh", "-c", script), j, &janitor.Tail{Most: 1})
	t.Cleanup(c.end)
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-c.ended
	return c
}

// All that a process has written is read, however late, and then the output ends, even
// if a fork holds it open or goes on writing.
func TestLastWordsAreKept(t *testing.T) {
	for name, script := range map[string]string{
		"no fork":           "echo no licence >&2",
		"a silent fork":     "sleep 1000 & echo no licence >&2",
		"a fork that talks": "echo no licence >&2; yes >&2 &",
		"much":              "echo no licence >&2; head -c 60000 /dev/zero >&2; sleep 1000 &",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := command(t, script)
			time.Sleep(time.Second) // as on a busy machine
			b, err := io.ReadAll(c.Stderr())
			if err != nil || !strings.HasPrefix(string(b), "no licence\n") || name == "much" && len(b) < 60000 {
				t.Errorf("%d bytes, %.20q, %v", len(b), b, err)
			}
		})
	}
}

// A command that ends by itself just when it is to be killed was not killed.
func TestEndedOrKilled(t *testing.T) {
	for script, want := range map[string]bool{"exit 3": false, "kill -SEGV $$": false, "kill -KILL $$": true} {
		c := command(t, script)
		c.ending.Store(true)
		if got := c.killed(); got != want {
			t.Errorf("%s: killed %v, want %v: %s", script, got, want, c.how())
		}
	}
}
