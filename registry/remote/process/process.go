package process

import (
	"errors"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"macpro/core/janitor"
)

// Command says how a plugin is started.
type Command struct {
	Plugin string   // name for messages, such as "env/corridor"
	Args   []string // the program and its arguments
	Dir    string   // working folder, "" for this process's own
	Env    []string // added to this process's environment
	// StartTimeout bounds the time to the handshake, CallTimeout that of one
	// call; 0 is no bound for a call and a minute for a start.
	StartTimeout, CallTimeout time.Duration
}

// startLimit is the time that a start may take.
func (c Command) startLimit() time.Duration {
	if c.StartTimeout > 0 {
		return c.StartTimeout
	}
	return time.Minute
}

// Process is a running plugin. Its methods may be called at the same time.
type Process struct {
	name    string
	timeout time.Duration // of a call
	start   time.Duration // of the start
	client  *plugin.Client
	child   *child
	line    *line
	out     janitor.Tail

	mu    sync.Mutex
	fatal error // why the process is of no use any more
}

// grace is the time that a plugin gets to end by itself.
const grace = 2 * time.Second

// Start starts a plugin and shakes hands.
func Start(c Command) (*Process, error) {
	j, err := newJanitor()
	if err != nil {
		return nil, &Error{Plugin: c.Plugin, Call: "start", Reason: err}
	}
	p := &Process{name: c.Plugin, timeout: c.CallTimeout, start: c.startLimit(), out: janitor.Tail{Most: 8 << 10}}
	args, private, err := uncached(c.Args, j.Dir)
	if err != nil {
		j.Clean()
		return nil, &Error{Plugin: c.Plugin, Call: "start", Reason: err}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = c.Dir
	p.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  Handshake,
		Plugins:          Set(nil),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		StartTimeout:     c.startLimit(),
		Logger:           hclog.NewNullLogger(),
		Stderr:           &p.out, SyncStdout: &p.out, SyncStderr: &p.out,
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: j.Dir},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxMessage)),
			grpc.WithInitialWindowSize(Window), grpc.WithInitialConnWindowSize(Window), grpc.WithWriteBufferSize(Window), grpc.WithReadBufferSize(Window),
		},
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, _ string) (runner.Runner, error) {
			cmd.Env = slices.Concat(spec.Env, c.Env, private)
			p.child = newChild(cmd, j, &p.out)
			return p.child, nil
		},
	})
	if err := p.connect(); err != nil {
		err = p.explainStart(err, c.startLimit())
		if p.child == nil {
			j.Clean()
		}
		p.Close()
		return nil, err
	}
	return p, nil
}

// connect starts the process and gets hold of its connection.
func (p *Process) connect() error {
	if _, err := p.client.Start(); err != nil {
		return err
	}
	first, _ := p.child.head.first()
	if err := handshakeFault(first); err != nil {
		return err
	}
	if err := reach(first); err != nil {
		return err
	}
	rpc, err := p.client.Client()
	if err != nil {
		return err
	}
	raw, err := rpc.Dispense(setName)
	if err != nil {
		return err
	}
	p.line = raw.(*line)
	return nil
}

// Conn is the connection to the plugin's services.
func (p *Process) Conn() *grpc.ClientConn { return p.line.conn }

// Broker opens further connections, in either direction.
func (p *Process) Broker() *plugin.GRPCBroker { return p.line.broker }

// Close ends the process: it is asked to, and killed if it does not within a
// moment.
func (p *Process) Close() {
	p.fail(errors.New("the process was closed"))
	if p.child == nil {
		return
	}
	force := time.AfterFunc(grace, p.child.end)
	p.client.Kill()
	force.Stop()
	p.child.end()
}

// gone waits for the process's end, and for the last of its output.
func (p *Process) gone(patience time.Duration) bool {
	select {
	case <-p.child.ended:
		p.heard()
		return true
	case <-time.After(patience):
		return false
	}
}

// heard waits until all is read that the process, which has ended, has written.
func (p *Process) heard() {
	for end := time.Now().Add(30 * time.Second); !p.client.Exited() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}
