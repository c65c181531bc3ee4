package remote

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"

	"macpro/core"
	"macpro/core/names"
	"macpro/registry/remote/process"
	"macpro/registry/remote/wire"
)

// The kinds of plugins.
const (
	KindEnv      = "env"
	KindLearner  = "learner"
	KindMethod   = "method"
	KindAblation = "ablation"
)

// Kinds lists the kinds of plugins.
func Kinds() []string { return []string{KindEnv, KindLearner, KindMethod, KindAblation} }

// Launch says how to start a plugin and what is known of it before that.
type Launch struct {
	Kind string
	Info core.Info
	Algs []string // of an ablation
	// Command is the program with its arguments, run in the folder Dir with Env
	// on top of this process's environment.
	Command []string
	Dir     string
	Env     []string
	// Check, if not nil, is asked before the process is started. It returns the
	// SHA-256 (hex) of the plugin's files, and may refuse them.
	Check func() (hash string, err error)
	// StartTimeout and CallTimeout are those of process.Command.
	StartTimeout, CallTimeout time.Duration
}

// Plugin is a plugin in a process of its own. It also has the methods of its
// kind's contract in package core.
type Plugin interface {
	Info() core.Info
	Kind() string
	// Hash is the SHA-256 (hex) of the files of a plugin that has been started, ""
	// for a built-in one.
	Hash() string
	// Limit sets Launch.CallTimeout of a plugin that has not been started.
	Limit(call time.Duration)
	// Expect sets the Hash that the plugin must have; "" is any. One that has
	// another is not started, or not used any more.
	Expect(hash string) error
	// Start starts the process, which any use of the plugin does as well.
	Start() error
	// Close ends the process.
	Close()
}

// New makes a plugin; its process is started when it is first used. It must
// then describe itself as Info says.
func New(l Launch) (Plugin, error) {
	if len(l.Command) == 0 {
		return nil, fmt.Errorf("plugin %s/%s has no command to start it", l.Kind, l.Info.Name)
	}
	return newHost(l).typed()
}

// Discover starts a plugin of which nothing but the command is known and lets
// it describe itself.
func Discover(l Launch) (Plugin, error) {
	h := newHost(l)
	h.unknown = true
	if err := h.Start(); err != nil {
		return nil, err
	}
	p, err := h.typed()
	if err != nil {
		h.Close()
	}
	return p, err
}

// host is what all kinds have in common.
type host struct {
	launch  Launch
	unknown bool // the description is still to come

	mu        sync.Mutex
	proc      *process.Process
	abilities []string
	hash      string
	expected  string
	err       error // of a start that failed; it is not tried again
}

func newHost(l Launch) *host { return &host{launch: l} }

// typed gives the host the methods of its kind's contract.
func (h *host) typed() (Plugin, error) {
	switch h.launch.Kind {
	case KindEnv:
		return &envPlugin{h}, nil
	case KindLearner:
		return &learnerPlugin{h}, nil
	case KindMethod:
		return &methodPlugin{h}, nil
	case KindAblation:
		return &ablationPlugin{h}, nil
	}
	return nil, fmt.Errorf("plugin %s: %q is not one of the kinds %v", h.launch.Info.Name, h.launch.Kind, Kinds())
}

func (h *host) Info() core.Info { return h.launch.Info }
func (h *host) Kind() string    { return h.launch.Kind }

func (h *host) Hash() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hash
}

func (h *host) Limit(call time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.launch.CallTimeout = call
}

func (h *host) Expect(hash string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expected = hash
	if h.proc == nil {
		return nil
	}
	return h.changed()
}

// changed says that the plugin's files are not those that are expected, if so.
func (h *host) changed() error {
	l := &h.launch
	if h.expected == "" || h.expected == h.hash {
		return nil
	}
	return fmt.Errorf("plugin %s/%s in %s has changed: its sha256 is %s, and %s is wanted (plugins.sha256)", l.Kind, l.Info.Name, l.Dir, h.hash, h.expected)
}

func (h *host) Start() error {
	_, err := h.started()
	return err
}

// Close ends the process, if there is one; a later use starts it again.
func (h *host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.proc != nil {
		h.proc.Close()
		h.proc = nil
		running.Delete(h)
	}
}

// started returns the running process and starts it if need be.
func (h *host) started() (*process.Process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.proc != nil || h.err != nil {
		return h.proc, h.err
	}
	l := &h.launch
	name := l.Kind + "/" + l.Info.Name
	if h.unknown {
		name = l.Command[0]
	}
	if l.Check != nil {
		h.hash, h.err = l.Check()
	}
	if h.err == nil {
		h.err = h.changed()
	}
	if h.err != nil {
		return nil, h.err
	}
	p, err := process.Start(process.Command{
		Plugin: name, Args: l.Command, Dir: l.Dir, Env: l.Env, StartTimeout: l.StartTimeout, CallTimeout: l.CallTimeout,
	})
	if err == nil {
		if err = h.introduce(p); err != nil {
			p.Close()
		}
	}
	if err != nil {
		h.err = err
		return nil, err
	}
	h.proc = p
	running.Store(h, true)
	return p, nil
}

// introduce asks a new process what it serves.
func (h *host) introduce(p *process.Process) error {
	d, err := ask(introducing{toPlugin{proc: p}}, "Describe", wire.NewPluginClient(p.Conn()).Describe, &wire.Empty{})
	if err != nil {
		return err
	}
	l := &h.launch
	if err := checkDescription(d); err != nil {
		return p.Fault("Describe", err)
	}
	if h.unknown {
		l.Kind, l.Info, l.Algs, h.unknown = d.Kind, wire.ToInfo(d), d.Algs, false
	} else if err := l.matches(d); err != nil {
		return p.Fault("Describe", err)
	}
	h.abilities = d.Abilities
	return nil
}

// checkDescription is the test that a manifest has to pass as well.
func checkDescription(d *wire.Description) error {
	if !slices.Contains(Kinds(), d.Kind) {
		return names.Unknown("kind", d.Kind, Kinds())
	}
	for _, alg := range d.Algs {
		if err := names.Check(alg); err != nil {
			return fmt.Errorf("algs: %w", err)
		}
	}
	return wire.ToInfo(d).Check()
}

// matches compares what a process says of itself with what was known before.
func (l *Launch) matches(d *wire.Description) error {
	now := wire.ToInfo(d)
	for _, c := range []struct {
		what       string
		known, now any
	}{
		{"kind", l.Kind, d.Kind}, {"name", l.Info.Name, now.Name}, {"version", l.Info.Version, now.Version},
	} {
		if c.known != c.now {
			return fmt.Errorf("the process serves %s %q where %q was expected", c.what, c.now, c.known)
		}
	}
	for _, c := range []struct{ what, known, now string }{
		{"another configuration", string(l.Info.Config), string(now.Config)},
		{"other keys", keys(l.Info.Schema), keys(now.Schema)},
		{"other methods of an ablation", strings.Join(l.Algs, ", "), strings.Join(d.Algs, ", ")},
	} {
		if c.known != c.now {
			return fmt.Errorf("the process describes %s than plugin.yaml, which \"macpro plugin check %s --write\" writes anew:\n%s\ninstead of\n%s", c.what,
				names.ShellWord(cmp.Or(l.Dir, "DIR")), orNothing(c.now), orNothing(c.known))
		}
	}
	if !slices.EqualFunc(l.Info.Schema, now.Schema, func(a, b core.Field) bool { return reflect.DeepEqual(a, b) }) {
		return fmt.Errorf("the process gives its keys %s other bounds or texts than plugin.yaml, which \"macpro plugin check --write\" writes anew", keys(now.Schema))
	}
	return nil
}

func orNothing(text string) string { return cmp.Or(strings.TrimSpace(text), "nothing") }

func keys(fields []core.Field) string {
	var out []string
	for _, f := range fields {
		out = append(out, fmt.Sprintf("%s (%s)", f.Key, f.Kind))
	}
	return strings.Join(out, ", ")
}

// can tells whether the plugin answers an optional call.
func (h *host) can(ability string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.abilities, ability)
}

// match asks a learner's or a method's plugin whether it fits into a run.
func (h *host) match(p core.Pairing, service func(*grpc.ClientConn) matchCall) error {
	proc, err := h.started()
	if err != nil || !h.can(abilityMatch) {
		return err
	}
	q, err := wire.FromPairing(p)
	if err != nil {
		return err
	}
	_, err = ask(toPlugin{proc: proc}, "Match", service(proc.Conn()), q)
	return err
}

// running holds the plugins whose processes run, as *host.
var running sync.Map

// CloseAll ends the processes of all plugins; a program calls it before it
// ends. If it does not come to that the processes end with it all the same.
func CloseAll() {
	var wg sync.WaitGroup
	for h := range running.Range {
		wg.Go(h.(*host).Close)
	}
	wg.Wait()
}
