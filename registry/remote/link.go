package remote

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"macpro/core/rng"
	"macpro/registry/remote/process"
)

// link makes calls to the other side and words their errors.
type link interface {
	do(call string, f func(context.Context) error) error
	// fault is the error for an answer that breaks the contract.
	fault(call string, reason error) error
}

// keeper is a link for an object with calls that cannot return an error: it
// keeps the first such error, and every call from then on returns it.
type keeper struct {
	link
	err error
}

func (k *keeper) do(call string, f func(context.Context) error) error {
	if k.err != nil {
		return k.err
	}
	return k.link.do(call, f)
}

// note keeps the first error that could not be returned.
func (k *keeper) note(err error) {
	if k.err == nil {
		k.err = err
	}
}

// ask makes one call with one answer.
func ask[Q, A any](l link, name string, call func(context.Context, Q, ...grpc.CallOption) (A, error), q Q) (A, error) {
	var a A
	err := l.do(name, func(ctx context.Context) (err error) {
		a, err = call(ctx, q)
		return err
	})
	return a, err
}

// position encodes where a source of random streams stands.
func position(s rng.Source) []byte {
	b, _ := s.MarshalBinary() // which has no errors
	return b
}

// toPlugin leads to a plugin's process, which may come back through the gate.
type toPlugin struct {
	proc *process.Process
	gate *process.Gate // nil for plugins that are lent nothing
}

func (l toPlugin) do(call string, f func(context.Context) error) error {
	return l.proc.Call(call, l.gate, f)
}

func (l toPlugin) fault(call string, reason error) error { return l.proc.Fault(call, reason) }

// introducing leads to a plugin that is being started.
type introducing struct{ toPlugin }

func (l introducing) do(call string, f func(context.Context) error) error {
	return l.proc.First(call, f)
}

// toHost leads from a method to the run that it is a part of.
type toHost struct{}

func (toHost) do(_ string, f func(context.Context) error) error {
	err := f(context.Background())
	if err == nil {
		return nil
	}
	return errors.New(status.Convert(err).Message())
}

func (toHost) fault(_ string, reason error) error { return reason }
