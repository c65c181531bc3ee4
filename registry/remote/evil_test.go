package remote_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/registry/remote/process"
	"macpro/registry/remote/wire"
)

// evil is a mini-environment that misbehaves from its hundredth step on.
type evil struct {
	mini.Env
	name string
	do   func(f *core.Frame) error
}

const evilFrom = 100

func (e evil) Info() core.Info {
	i := e.Env.Info()
	i.Name = e.name
	return i
}

func (e evil) Open(task string, lanes int, s core.Settings) (core.Env, error) {
	x, err := e.Env.Open(task, lanes, s)
	return &evilEnv{x, e.do, 0}, err
}

type evilEnv struct {
	core.Env
	do    func(f *core.Frame) error
	steps int
}

func (e *evilEnv) Step(lanes []int, actions []int32, f *core.Frame) error {
	if err := e.Env.Step(lanes, actions, f); err != nil {
		return err
	}
	if e.steps++; e.steps < evilFrom {
		return nil
	}
	return e.do(f)
}

// evils are the plugins that misbehave while they are used.
func evils() map[string]any {
	all := map[string]any{"env/teller": teller{}}
	for name, do := range map[string]func(f *core.Frame) error{
		"panics":   func(*core.Frame) error { panic("out of cheese") },
		"crashes":  func(*core.Frame) error { go func() { panic("out of cheese, elsewhere") }(); select {} },
		"hangs":    func(*core.Frame) error { select {} },
		"stops":    func(*core.Frame) error { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP); select {} },
		"exits":    func(*core.Frame) error { fmt.Fprintln(os.Stderr, "no more money"); os.Exit(3); return nil },
		"blinds":   func(f *core.Frame) error { f.Obs[len(f.Obs)-1] = float32(math.NaN()); return nil },
		"binds":    func(f *core.Frame) error { clear(f.Avail); return nil },
		"shortens": func(f *core.Frame) error { f.Reward = f.Reward[:0]; return nil },
		"chatters": chatter,
		"forks":    fork,
	} {
		all["env/"+name] = evil{name: name, do: do}
	}
	return all
}

// chatter writes a megabyte without a line's end to the real standard output.
func chatter(*core.Frame) error {
	_, err := syscall.Write(1, bytes.Repeat([]byte("x"), 1<<20))
	return err
}

// fork leaves a child behind that keeps all pipes open, and dies.
func fork(*core.Frame) error {
	c := exec.Command("sleep", "1000")
	c.Stdout, c.Stderr = os.NewFile(1, "stdout"), os.NewFile(2, "stderr")
	if err := c.Start(); err != nil {
		return err
	}
	fmt.Fprintln(os.NewFile(2, "stderr"), "child", c.Process.Pid)
	os.Exit(4)
	return nil
}

// teller lists what it knows of its process as the constants of a task.
type teller struct{ mini.Env }

func (teller) Info() core.Info {
	return core.Info{Name: "teller", Summary: "tells about its process", Version: "1"}
}

// MaxLanes is the setting of that name.
func (teller) MaxLanes(s core.Settings) int { return s["most"].(int) }

func (teller) Tasks(core.Settings) (core.TaskList, error) {
	return core.TaskList{Params: map[string][]core.Param{"self": {
		{Name: "pid", Value: strconv.Itoa(os.Getpid())}, {Name: "group", Value: strconv.Itoa(syscall.Getpgrp())},
		{Name: "sockets", Value: os.Getenv("PLUGIN_UNIX_SOCKET_DIR")},
	}}}, nil
}

// beforeServing lets some plugins fail before they could be served properly.
func beforeServing(name string) {
	_, what, _ := strings.Cut(name, "/")
	switch what {
	case "import":
		fmt.Fprintln(os.Stderr, "Traceback (most recent call last):\nImportError: No module named 'maze'")
		os.Exit(1)
	case "paints":
		fmt.Fprintln(os.Stderr, "\x1b[31mred words")
		os.Exit(1)
	case "babbles":
		babble()
	case "prints":
		fmt.Println("Loading the maze ...")
		time.Sleep(time.Hour)
	case "sleeps":
		time.Sleep(time.Hour)
	case "mute", "red", "spaced", "kindless", "blinking", "giant", "newer", "shapes", "huge", "flags":
		serveRaw(what)
	}
}

// babble listens where its handshake says, and answers something else than gRPC.
func babble() {
	socket := filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		os.Exit(1)
	}
	fmt.Printf("1|1|unix|%s|grpc\n", socket)
	for {
		if c, err := l.Accept(); err == nil {
			fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
			c.Close()
		}
	}
}

// serveRaw serves an environment below the level at which shapes are checked.
func serveRaw(what string) {
	h := process.Handshake
	if what == "newer" {
		h.ProtocolVersion = 9
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: h, Logger: hclog.NewNullLogger(), GRPCServer: plugin.DefaultGRPCServer,
		Plugins: process.Set(func(s *grpc.Server, _ *plugin.GRPCBroker) error {
			wire.RegisterPluginServer(s, raw{what})
			wire.RegisterEnvServer(s, rawEnv{what: what})
			return nil
		}),
	})
	os.Exit(0)
}

type raw struct{ what string }

// strange are descriptions that a manifest could not have.
var strange = map[string]*wire.Description{
	"red":      {Kind: "env", Name: "\x1b[31mred", Summary: "x", Version: "1"},
	"spaced":   {Kind: "env", Name: "a b", Summary: "x", Version: "1"},
	"kindless": {Kind: "\x1b[31menvy", Name: "x", Summary: "x", Version: "1"},
	"blinking": {Kind: "ablation", Name: "x", Summary: "x", Version: "1", Algs: []string{"\x1b[5m"}},
}

func (r raw) Describe(context.Context, *wire.Empty) (*wire.Description, error) {
	if r.what == "mute" {
		select {}
	}
	if d := strange[r.what]; d != nil {
		return d, nil
	}
	return &wire.Description{Kind: "env", Name: r.what, Summary: "raw", Version: "1"}, nil
}

type rawEnv struct {
	wire.EnvServer
	what string
}

func (r rawEnv) Open(_ context.Context, q *wire.OpenRequest) (*wire.Opened, error) {
	if r.what == "giant" {
		return giantSpec(q)
	}
	return &wire.Opened{Env: 1, Spec: &wire.Spec{Env: "raw", Task: q.Task, Agents: 1, Actions: 1, ObsWidth: 1, StateWidth: 1, Limit: 9, Score: "return", MaxReturn: 1}}, nil
}

func (r rawEnv) Reset(context.Context, *wire.ResetRequest) (*wire.Frames, error) {
	return &wire.Frames{Obs: make([]byte, 4), State: make([]byte, 4), Avail: []byte{1}}, nil
}

func (r rawEnv) Step(context.Context, *wire.StepRequest) (*wire.Frames, error) {
	f := &wire.Frames{Obs: make([]byte, 4), State: make([]byte, 4), Avail: []byte{1}, Reward: make([]byte, 4), Flags: []byte{0}}
	switch r.what {
	case "shapes":
		f.Obs = make([]byte, 12)
	case "huge":
		f.Obs = make([]byte, process.MaxMessage+1)
	case "flags":
		f.Flags[0] = 3
	}
	return f, nil
}

func (rawEnv) Close(context.Context, *wire.EnvRef) (*wire.Empty, error) { return &wire.Empty{}, nil }
