package sc2

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"macpro/plugins/envs/internal/sc2/api"
)

// The game takes a request in one binary frame only, however large: this listener
// reads the frame's header itself.
func TestARequestIsOneFrame(t *testing.T) {
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	frame := make(chan string, 1)
	go func() { frame <- firstFrame(l) }()
	c, err := dial(l.Addr().(*net.TCPAddr).Port, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	q := api.Request{CreateGame: &api.CreateGame{Map: &api.LocalMap{Data: make([]byte, 3<<20)}}}
	q.ID = 1 // as the call will set it
	want := fmt.Sprintf("final true, opcode 2, masked true, %d bytes", len(api.Marshal(&q)))
	go func() { _, _ = c.call(&q, time.Minute) }() // nobody answers
	select {
	case got := <-frame:
		if got != want {
			t.Errorf("the first frame: %s; want %s", got, want)
		}
	case <-time.After(time.Minute):
		t.Error("no frame came")
	}
}

// firstFrame shakes hands and describes the first frame, all of which it reads.
func firstFrame(l net.Listener) string {
	c, err := l.Accept()
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	r := bufio.NewReader(c)
	q, err := http.ReadRequest(r)
	if err != nil {
		return err.Error()
	}
	sum := sha1.Sum([]byte(q.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	head := make([]byte, 10)
	if _, err := io.ReadFull(r, head); err != nil {
		return err.Error()
	}
	size := int64(binary.BigEndian.Uint64(head[2:]))
	n, err := io.CopyN(io.Discard, r, size+4) // after the mask
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("final %v, opcode %d, masked %v, %d bytes", head[0]&0x80 != 0, head[0]&0xf, head[1] == 0x80|127, n-4)
}
