package remote_test

import (
	"context"
	"testing"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"macpro/registry/remote"
)

// brokers hands out the brokers of both ends of a connection.
type brokers struct {
	plugin.NetRPCUnsupportedPlugin
	here, there chan *plugin.GRPCBroker
}

func (b brokers) GRPCServer(broker *plugin.GRPCBroker, _ *grpc.Server) error {
	b.there <- broker
	return nil
}

func (b brokers) GRPCClient(_ context.Context, broker *plugin.GRPCBroker, _ *grpc.ClientConn) (any, error) {
	b.here <- broker
	return nil, nil
}

// A host that takes long to say where it serves what it lends is waited for.
func TestLateHostsAreReached(t *testing.T) {
	t.Parallel()
	b := brokers{here: make(chan *plugin.GRPCBroker, 1), there: make(chan *plugin.GRPCBroker, 1)}
	client, _ := plugin.TestPluginGRPCConn(t, false, map[string]plugin.Plugin{"brokers": b})
	defer client.Close() // has the server stop
	if _, err := client.Dispense("brokers"); err != nil {
		t.Fatal(err)
	}
	here, there := <-b.here, <-b.there
	id := here.NextId()
	go func() {
		time.Sleep(7 * time.Second) // longer than the five of go-plugin
		here.AcceptAndServe(id, func(o []grpc.ServerOption) *grpc.Server {
			s := grpc.NewServer(o...)
			grpc_health_v1.RegisterHealthServer(s, health.NewServer())
			return s
		})
	}()
	conn, err := remote.Dial(there, id)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Error(err)
	}
}
