package config

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"macpro/core/cputime"
)

// lines writes n lines of a file.
func lines(n int, form func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(form(i))
	}
	return b.String()
}

// Work that grows with the square of a configuration's size takes longer than this.
// The linear work takes a small part of a second, and some seconds under the race
// detector on a busy machine.
const linear = 10 * time.Second

// Whatever the size of a configuration, it is read or refused in little time.
func TestAnySizeIsLinear(t *testing.T) {
	key := func(i int) string { return fmt.Sprintf("key%d: 1\n", i) }
	for name, c := range map[string]struct {
		r    Request
		want string
	}{
		"20,000 unknown keys":           {request(write(t, lines(20_000, key))), "and 19980 more"},
		"70,000 unknown keys":           {request(write(t, lines(70_000, key))), "and 69980 more"},
		"100,000 unknown keys":          {request(write(t, lines(100_000, key))), "is larger than 1048576 bytes"},
		"50,000 unknown keys below one": {request(write(t, "env_args:\n"+lines(50_000, func(i int) string { return "  " + key(i) }))), "and 49980 more"},
		"100,000 times the same key":    {request(write(t, lines(100_000, func(int) string { return "lr: 1\n" }))), "and 99979 more"},
		"20,000 unknown arguments":      {request("", strings.Fields(lines(20_000, func(i int) string { return fmt.Sprintf("key%d=1\n", i) }))...), "and 19980 more"},
		"100,000 tasks":                 {request(write(t, "tasks: ["+lines(100_000, func(int) string { return "right, " })+"]\n")), "the list has 100000 entries; at most 1000 are read"},
		"100,000 tasks as an argument":  {request("", "tasks=["+lines(100_000, func(int) string { return "a," })+"]"), "at most 1000 are read"},
		"a value of 900,000 letters":    {request(write(t, "lr: "+strings.Repeat("x", 900_000)+"\n")), "xxx..."},
		"9,000 sections in each other":  {request(write(t, strings.Repeat("{a: ", 9000)+"1"+strings.Repeat("}", 9000)+"\n")), "is no key"},
		"a file without an end":         {request("/dev/zero"), "is larger than 1048576 bytes"},
	} {
		from := cputime.Used()
		_, err := Load(c.r)
		took := cputime.Used() - from
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 20_000 {
			t.Errorf("%s: %.300v, want %q", name, err, c.want)
		}
		if took > linear {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// A file that can be read only once is enough for all that look at it.
func TestKeptFileIsReadOnce(t *testing.T) {
	pipe := t.TempDir() + "/pipe"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- os.WriteFile(pipe, []byte("lr: 0.25\nalg: ewc\n"), 0) }()
	r := request(pipe)
	r.User.Keep()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for range 2 {
		chosen, err := Choose(r.User, nil)
		if err != nil || chosen["alg"].Value != "ewc" {
			t.Fatal(chosen, err)
		}
		if got, _ := load(t, r).Get("lr"); got != 0.25 {
			t.Errorf("lr is %v", got)
		}
	}
	r = request("no/such.yaml")
	r.User.Keep()
	if _, err := Load(r); err == nil || !strings.Contains(err.Error(), "no/such.yaml: cannot be read") {
		t.Error(err)
	}
}
