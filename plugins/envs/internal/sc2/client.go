package sc2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coder/websocket"

	"macpro/plugins/envs/internal/sc2/api"
)

// client is a connection to a game. A request is one message in one frame, which is
// all that the game accepts; answers come in order.
type client struct {
	ws     *websocket.Conn
	last   uint32     // id of the last request
	status api.Status // of the game, as of its last answer
}

// maxMessage bounds an answer. Replays are the largest.
const maxMessage = 64 << 20

// errSlow marks an answer that did not come in time.
var errSlow = errors.New("no answer in time")

// dial makes one attempt to connect.
func dial(port int, limit time.Duration) (*client, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ws, answer, err := websocket.Dial(ctx, fmt.Sprintf("ws://%s:%d/sc2api", host, port), nil)
	if err != nil {
		if answer != nil && answer.Body != nil {
			_ = answer.Body.Close() // holds nothing of interest
		}
		return nil, err
	}
	ws.SetReadLimit(maxMessage)
	return &client{ws: ws}, nil
}

func (c *client) close() { _ = c.ws.CloseNow() } // the game does not say goodbye

type refusal struct {
	command string
	status  api.Status
	reasons []string
}

func (r *refusal) Error() string {
	why := cmp.Or(strings.Join(r.reasons, "; "), "without a reason")
	return fmt.Sprintf("StarCraft II refused %s in state %v: %s", r.command, r.status, why)
}

// call sends a request and waits for its answer. After any error but a refusal the
// connection is of no use.
func (c *client) call(q *api.Request, limit time.Duration) (*api.Response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c.last++
	q.ID = c.last
	b, err := c.exchange(ctx, api.Marshal(q))
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %v have passed", errSlow, limit)
		}
		return nil, fmt.Errorf("StarCraft II, %s: %w", q.Command(), err)
	}
	r := new(api.Response)
	if err := api.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("StarCraft II, answer to %s: %w", q.Command(), err)
	}
	if r.ID != 0 && r.ID != q.ID {
		return nil, fmt.Errorf("StarCraft II, %s: got the answer to request %d instead of %d", q.Command(), r.ID, q.ID)
	}
	c.status = r.Status
	if !r.Answers(q) {
		return nil, &refusal{q.Command(), r.Status, r.Errors}
	}
	return r, nil
}

func (c *client) exchange(ctx context.Context, b []byte) ([]byte, error) {
	if err := c.ws.Write(ctx, websocket.MessageBinary, b); err != nil {
		return nil, err
	}
	kind, answer, err := c.ws.Read(ctx)
	if err == nil && kind != websocket.MessageBinary {
		err = errors.New("the answer is text")
	}
	return answer, err
}
