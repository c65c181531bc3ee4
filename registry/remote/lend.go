package remote

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"macpro/core"
	"macpro/core/episode"
	"macpro/registry/remote/process"
	"macpro/registry/remote/wire"
)

// lend serves a run's learner, rollouts and journal to its method's process and
// returns the broker's id for them. Calls come through the gate; those of the
// steppers of rollouts go back to the method.
func lend(b *plugin.GRPCBroker, gate *process.Gate, sv core.Services, m *method) uint32 {
	id := b.NextId()
	go b.AcceptAndServe(id, func(o []grpc.ServerOption) *grpc.Server {
		s := grpc.NewServer(append(o, serverOptions(gate.Pass)...)...)
		wire.RegisterLearnerServer(s, &learnerServer{lent: sv.Learner, edit: m.editGradient, learners: newTable[core.Learner]("learner")})
		wire.RegisterHostServer(s, &hostServer{sv, m})
		return s
	})
	return id
}

type hostServer struct {
	sv core.Services
	m  *method // that they are lent to
}

func (h *hostServer) Run(_ context.Context, q *wire.RolloutRequest) (*wire.Episodes, error) {
	r := core.RolloutRequest{Task: q.Task, Purpose: q.Purpose, Episodes: int(q.Episodes), Epsilon: q.Epsilon}
	if err := r.Source.UnmarshalBinary(q.Source); err != nil {
		return nil, err
	}
	var err error
	if r.Heads, err = wire.Optional[int32]("heads", q.Heads); err != nil {
		return nil, err
	}
	if q.Stepper != 0 {
		r.Stepper = &stepper{h.m, q.Stepper}
	}
	eps, err := h.sv.Rollouts.Run(r)
	return &wire.Episodes{Episodes: wire.FromEpisodes(eps)}, err
}

func (h *hostServer) Emit(_ context.Context, q *wire.EventRow) (*wire.Empty, error) {
	return &wire.Empty{}, h.sv.Journal.Emit(core.Event{
		Kind: q.Kind, TEnv: q.TEnv, Episode: q.Episode, Task: q.Task, Fields: wire.ToMap(q.Fields),
	})
}

// dial reaches what the other side serves. go-plugin gives up if it does not hear within
// five seconds where that is, which a busy machine may need.
func dial(b *plugin.GRPCBroker, id uint32) (conn *grpc.ClientConn, err error) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if conn, err = b.Dial(id); err == nil || time.Now().After(end) {
			return conn, err
		}
	}
}

// borrow is the other end of lend, in the method's process, where the host can
// ask the steppers.
func borrow(b *plugin.GRPCBroker, q *wire.NewMethod, steppers *table[core.HeadStepper]) (core.Services, error) {
	sv := core.Services{Threads: int(q.Threads), Tasks: wire.ToSpecs(q.Tasks)}
	if err := sv.Source.UnmarshalBinary(q.Source); err != nil {
		return sv, err
	}
	conn, err := dial(b, q.Broker)
	if err != nil {
		return sv, fmt.Errorf("the services of the run cannot be reached: %w", err)
	}
	l := &learner{link: &keeper{link: toHost{}}, calls: wire.NewLearnerClient(conn), shared: true}
	l.abilities = q.LearnerAbilities
	sv.Learner = l
	h := hostClient{wire.NewHostClient(conn), steppers}
	sv.Rollouts, sv.Journal = h, h
	return sv, nil
}

// hostClient stands for the run's rollouts and journal.
type hostClient struct {
	calls    wire.HostClient
	steppers *table[core.HeadStepper]
}

var (
	_ core.Rollouts = hostClient{}
	_ core.Journal  = hostClient{}
)

// Run plays episodes of the run's environment.
func (h hostClient) Run(r core.RolloutRequest) ([]*episode.Episode, error) {
	q := &wire.RolloutRequest{Task: r.Task, Purpose: r.Purpose, Episodes: int64(r.Episodes), Epsilon: r.Epsilon, Source: position(r.Source), Heads: wire.Present(r.Heads)}
	if r.Stepper != nil {
		q.Stepper = h.steppers.add(r.Stepper)
		defer func() { _, _ = h.steppers.drop(q.Stepper) }() // it is there
	}
	a, err := ask(toHost{}, "Run", h.calls.Run, q)
	if err != nil {
		return nil, err
	}
	return wire.ToEpisodes(a.Episodes)
}

// Emit writes a row of the run's record.
func (h hostClient) Emit(e core.Event) error {
	fields, err := wire.FromAny(e.Fields)
	if err != nil {
		return fmt.Errorf("row %s: %w", e.Kind, err)
	}
	_, err = ask(toHost{}, "Emit", h.calls.Emit, &wire.EventRow{
		Kind: e.Kind, TEnv: e.TEnv, Episode: e.Episode, Task: e.Task, Fields: fields.GetTable(),
	})
	return err
}
