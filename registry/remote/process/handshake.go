package process

import (
	"context"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// Protocol is the version of the protocol that this program speaks. A plugin
// that speaks another one is refused with both numbers.
const Protocol = 1

// MaxMessage bounds one message, in bytes.
const MaxMessage = 256 << 20

// Window is the size of buffers and of HTTP/2's windows, in bytes: a batch of
// episodes goes through in one piece.
const Window = 1 << 20

// Handshake is how a plugin and this program recognise each other. The cookie
// is no secret: it keeps a user from starting a plugin by hand.
var Handshake = plugin.HandshakeConfig{
	ProtocolVersion:  Protocol,
	MagicCookieKey:   "PLUGIN_MACPRO_COOKIE",
	MagicCookieValue: "continual teams",
}

// setName is the one entry of go-plugin's set: a process serves one plugin.
const setName = "macpro"

// Set is a plugin set for both ends: register is called in the plugin's
// process with its server.
func Set(register func(*grpc.Server, *plugin.GRPCBroker) error) plugin.PluginSet {
	return plugin.PluginSet{setName: &wired{register: register}}
}

// wired hands out the bare connection: the services are ours.
type wired struct {
	plugin.NetRPCUnsupportedPlugin
	register func(*grpc.Server, *plugin.GRPCBroker) error
}

// line is what the host's side gets.
type line struct {
	conn   *grpc.ClientConn
	broker *plugin.GRPCBroker
}

func (w *wired) GRPCServer(b *plugin.GRPCBroker, s *grpc.Server) error { return w.register(s, b) }

func (w *wired) GRPCClient(_ context.Context, b *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return &line{c, b}, nil
}
