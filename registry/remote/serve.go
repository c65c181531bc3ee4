package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"macpro/core"
	"macpro/registry/remote/process"
	"macpro/registry/remote/wire"
)

// Serve is the main function of a plugin's program. It serves p, an
// implementation of core.EnvPlugin, core.LearnerPlugin, core.MethodPlugin or
// core.AblationPlugin, until macpro is done with it. Then it ends the program.
// Nothing may be written to standard output before. If a user starts the program by
// hand, it prints what it is.
func Serve(p any) { serve(p) }

// serve is Serve with further options of the server, for tests of what a host does
// with other answers.
func serve(p any, more ...grpc.ServerOption) {
	d, err := describe(p)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go watchParent()
	words := os.Stderr
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: process.Handshake,
		Logger:          hclog.NewNullLogger(),
		Plugins: process.Set(func(s *grpc.Server, b *plugin.GRPCBroker) error {
			register(s, b, p, described{d: d, words: words})
			return nil
		}),
		GRPCServer: func(o []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(slices.Concat(o, serverOptions(func(f func() error) error { return f() }), more)...)
		},
	})
	os.Exit(0)
}

func describe(p any) (*wire.Description, error) {
	var kind string
	switch p.(type) {
	case core.EnvPlugin:
		kind = KindEnv
	case core.LearnerPlugin:
		kind = KindLearner
	case core.MethodPlugin:
		kind = KindMethod
	case core.AblationPlugin:
		kind = KindAblation
	default:
		return nil, fmt.Errorf("a %T is no plugin: it implements none of core.EnvPlugin, core.LearnerPlugin, core.MethodPlugin, core.AblationPlugin", p)
	}
	d := wire.FromInfo(p.(interface{ Info() core.Info }).Info())
	d.Kind, d.Abilities = kind, abilitiesOf(p)
	if a, ok := p.(core.AblationPlugin); ok {
		d.Algs = a.Algs()
	}
	return d, nil
}

func register(s *grpc.Server, b *plugin.GRPCBroker, p any, d described) {
	wire.RegisterPluginServer(s, d)
	switch p := p.(type) {
	case core.EnvPlugin:
		wire.RegisterEnvServer(s, &envServer{plugin: p, envs: newTable[*servedEnv]("environment")})
	case core.LearnerPlugin:
		wire.RegisterLearnerServer(s, &learnerServer{plugin: p, learners: newTable[core.Learner]("learner")})
	case core.MethodPlugin:
		wire.RegisterMethodServer(s, &methodServer{
			plugin: p, broker: b, methods: newTable[*servedMethod]("method"), steppers: newTable[core.HeadStepper]("plan of heads"),
		})
	}
}

type described struct {
	d     *wire.Description
	words *os.File
}

// Describe is a host's first call. go-plugin has put a pipe in the place of
// standard error by then, whose end is lost when the process dies; the real one
// is put back.
func (s described) Describe(context.Context, *wire.Empty) (*wire.Description, error) {
	os.Stderr = s.words
	return s.d, nil
}

// serverOptions let every call pass through a function, and turn a panic into an
// error that the caller sees, with its trace.
func serverOptions(pass func(func() error) error) []grpc.ServerOption {
	guard := func(f func() error) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = status.Errorf(codes.Internal, "panic: %v%spanic: %v\n%s", v, process.Trace, v, raised(debug.Stack()))
			}
		}()
		err = pass(f)
		var n *core.NotFiniteError
		if errors.As(err, &n) {
			err = status.Error(process.NotFinite, err.Error())
		}
		return err
	}
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(process.MaxMessage),
		grpc.InitialWindowSize(process.Window), grpc.InitialConnWindowSize(process.Window), grpc.WriteBufferSize(process.Window), grpc.ReadBufferSize(process.Window),
		grpc.UnaryInterceptor(func(ctx context.Context, q any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (a any, err error) {
			err = guard(func() (err error) {
				a, err = h(ctx, q)
				return err
			})
			return a, err
		}),
		grpc.StreamInterceptor(func(s any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) error {
			return guard(func() error { return h(s, ss) })
		}),
	}
}

// raised is the part of a stack that led to a panic, the innermost call first.
func raised(stack []byte) []byte {
	const most = 2 << 10 // bytes
	if _, rest, ok := bytes.Cut(stack, []byte("\npanic(")); ok {
		for range 2 { // the call of panic and its place
			_, rest, _ = bytes.Cut(rest, []byte("\n"))
		}
		stack = rest
	}
	return stack[:min(len(stack), most)]
}

// watchParent ends a process whose parent has died.
func watchParent() {
	for parent := os.Getppid(); os.Getppid() == parent; {
		time.Sleep(500 * time.Millisecond)
	}
	os.Exit(1)
}
