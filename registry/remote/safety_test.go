package remote_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/registry/remote"
)

// patience bounds the time from a plugin's misdeed to the end of its run, whatever it is.
// A call that has no answer is to end after slow, any other time-out is never to come.
const (
	patience = time.Minute
	slow     = 5 * time.Second
	never    = 10 * time.Minute
)

// limits are the time-outs of a plugin whose error is to be that of a time-out, or not.
func limits(l *remote.Launch, says string) {
	l.StartTimeout, l.CallTimeout = never, never
	if strings.Contains(says, "within 5s") {
		l.CallTimeout = slow
	}
}

// within fails the test if f takes too long.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("not done within %v", limit)
	}
}

// wants checks that an error says all of some things.
func wants(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("the error does not say %q:\n%v", p, err)
		}
	}
}

// A plugin that misbehaves in the middle of a run ends that run, with an error
// that names plugin, call and step; checkpoints from before are there.
func TestEvilEnvironmentsEndTheirRun(t *testing.T) {
	t.Parallel()
	for name, says := range map[string][]string{
		"panics":   {"Step: panic: out of cheese; its last words:\npanic: out of cheese\n", "evil_test.go:"},
		"crashes":  {"Step: the process has ended with exit status 2", "panic: out of cheese, elsewhere"},
		"hangs":    {"Step: no answer within 5s"},
		"stops":    {"Step: no answer within 5s"},
		"exits":    {"Step: the process has ended with exit status 3", "no more money"},
		"blinds":   {"Step: lane 0: number 5 of the observation is not finite"},
		"binds":    {"Step: lane 0, agent 0 has no available action"},
		"shortens": {"Step: the frame has 0 values in Reward, want"},
		"forks":    {"Step: the process has ended with exit status 4", "child "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := launch("env/" + name)
			limits(&l, says[0])
			p, err := remote.New(l)
			if err != nil {
				t.Fatal(err)
			}
			o := cast()
			o.Env = p.(core.EnvPlugin)
			o.Settings = mini.Settings("checkpoint_interval", 20)
			within(t, patience, func() { err = playEvil(t, o); p.Close() })
			wants(t, err, append(says, "plugin env/"+name, "step ", "mini ")...)
			if name == "forks" {
				goneSoon(t, numberAfter(t, err.Error(), "child "))
			}
		})
	}
}

// playEvil plays a run that fails and returns its error.
func playEvil(t *testing.T, o continual.Options) error {
	rec := &conform.Record{}
	r, err := rec.Runner(o)
	if err != nil {
		return err
	}
	if _, err = r.Run(context.Background()); err != nil && len(rec.Checkpoints) == 0 {
		t.Error("there is no checkpoint from before")
	}
	if closing := r.Close(); closing != nil {
		t.Errorf("closing says once more: %v", closing)
	}
	return err
}

// Garbage on standard output after the handshake does no harm.
func TestChatter(t *testing.T) {
	t.Parallel()
	o := cast()
	want, got := &conform.Record{}, &conform.Record{}
	playCast(t, o, want, nil)
	o.Env = isolated[core.EnvPlugin](t, "env/chatters")
	within(t, patience, func() { playCast(t, o, got, nil) })
	if err := conform.SameRows(want.Rows, got.Rows); err != nil {
		t.Error(err)
	}
}

// What does not start properly is refused with the reason.
func TestEvilStarts(t *testing.T) {
	t.Parallel()
	for name, says := range map[string][]string{
		"import":  {"start: it ended at once with exit status 1", "ImportError: No module named 'maze'"},
		"mute":    {"Describe: no answer within 5s, so it was ended"},
		"babbles": {"Describe: ", "it was ended"},
		"paints":  {"start: it ended at once with exit status 1", `\x1b[31mred words`},
		"prints":  {"start: its first line of output is \"Loading the maze ...\""},
		"sleeps":  {"start: it printed nothing within 5s"},
		"newer":   {"start: it speaks version 9 of the protocol, this program 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := launch("env/" + name)
			l.Info = core.Info{Name: name, Version: "1"}
			limits(&l, says[0])
			if name == "sleeps" {
				l.StartTimeout = slow
			}
			within(t, patience, func() { wants(t, start(t, l), append(says, "plugin env/"+name)...) })
		})
	}
	l := remote.Launch{Kind: "env", Info: core.Info{Name: "ghost"}, Command: []string{"/nowhere/ghost"}}
	wants(t, start(t, l), "plugin env/ghost: start: it cannot be started", "/nowhere/ghost")
	l = launch("env/mini")
	l.Info.Version = "2"
	wants(t, start(t, l), `plugin env/mini: Describe: the process serves version "1" where "2" was expected`)
	l = launch("env/mini")
	l.Info.Config = []byte("old: 1\n")
	wants(t, start(t, l), `the process describes another configuration than plugin.yaml, which "macpro plugin check DIR --write" writes anew`, "old: 1")
	l = launch("env/mini")
	l.Info.Schema = append(l.Info.Schema[:len(l.Info.Schema):len(l.Info.Schema)], core.Field{Key: "old", Kind: core.Int})
	wants(t, start(t, l), `the process describes other keys than plugin.yaml`, "old (int)")
}

// A program that says of itself what no manifest may say is refused, and nothing
// of it reaches a terminal as it is.
func TestEvilDescriptions(t *testing.T) {
	for name, says := range map[string]string{
		"red": `the name "\x1b[31mred" holds`, "spaced": `the name "a b" must be one word`,
		"kindless": `unknown kind "\x1b[31menvy"`, "blinking": `algs: the name "\x1b[5m" holds`,
	} {
		l := launch("env/" + name)
		p, err := remote.Discover(l)
		if err == nil {
			p.Close()
		}
		wants(t, err, "Describe: ", says)
		if strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("%s: an escape code in %q", name, err)
		}
	}
}

func start(t *testing.T, l remote.Launch) error {
	p, err := remote.New(l)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	return p.Start()
}

// Answers of another shape are refused before they reach the caller's memory.
func TestEvilAnswers(t *testing.T) {
	for name, says := range map[string]string{
		"shapes": "Step: observations of 1 lanes have 12 bytes, want 4",
		"huge":   "Step: a message is larger than 256 MiB",
		"flags":  "Step: lane 0: the flags 0b11 say terminated and truncated",
	} {
		t.Run(name, func(t *testing.T) {
			l := launch("env/" + name)
			l.Info = core.Info{Name: name, Version: "1"}
			p, err := remote.New(l)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			e, err := p.(core.EnvPlugin).Open("x", 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			f := core.NewFrame(e.Spec(), 1)
			if err := e.Reset([]int{0}, []uint64{1}, f); err != nil {
				t.Fatal(err)
			}
			f.Reward[0] = 7
			within(t, patience, func() { wants(t, e.Step([]int{0}, []int32{0}, f), "plugin env/"+name, says) })
			if f.Reward[0] != 7 {
				t.Error("a refused answer changed the frame")
			}
		})
	}
}

// told is what a process says of itself.
func told(t *testing.T, p core.EnvPlugin) (pid, group int, sockets string) {
	t.Helper()
	l, err := p.Tasks(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := l.Params["self"]
	pid, _ = strconv.Atoi(v[0].Value)
	group, _ = strconv.Atoi(v[1].Value)
	return pid, group, v[2].Value
}

// Signals of the terminal do not reach a plugin, its sockets are private, and
// nothing is left when it is closed.
func TestGroupAndSockets(t *testing.T) {
	p := isolated[core.EnvPlugin](t, "env/teller")
	pid, group, sockets := told(t, p)
	if group == syscall.Getpgrp() || group == pid {
		t.Errorf("the plugin %d is in group %d, this process in %d", pid, group, syscall.Getpgrp())
	}
	i, err := os.Stat(sockets)
	if err != nil || i.Mode().Perm() != 0o700 {
		t.Errorf("the folder of the sockets: %v, %v", i, err)
	}
	p.(remote.Plugin).Close()
	goneSoon(t, pid)
	if _, err := os.Stat(sockets); !os.IsNotExist(err) {
		t.Errorf("the sockets' folder is still there: %v", err)
	}
}

// A limit of lanes crosses the border; a plugin without one has none.
func TestMaxLanes(t *testing.T) {
	limited, free := isolated[core.LaneLimiter](t, "env/teller"), isolated[core.LaneLimiter](t, "env/mini")
	if a, b := limited.MaxLanes(core.Settings{"most": 3}), free.MaxLanes(core.Settings{"most": 3}); a != 3 || b != 0 {
		t.Errorf("limits of %d and %d lanes, want 3 and none", a, b)
	}
}

// goneSoon wants a process to end within a minute.
func goneSoon(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(b), ") Z ") {
			return
		}
	}
	t.Errorf("process %d is still there", pid)
}

func numberAfter(t *testing.T, text, word string) int {
	t.Helper()
	_, rest, _ := strings.Cut(text, word)
	var n int
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatalf("no number after %q in %q", word, text)
	}
	return n
}
