package sc2test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"macpro/plugins/envs/internal/sc2/api"
)

// server is the stand-in's end of the connections.
type server struct {
	Settings
	root    string
	mu      sync.Mutex
	refused int            // connections answered with 404 so far
	count   map[string]int // requests by command
	match   match
	quit    chan int // exit code
}

// run is the program.
func run(s Settings, args []string) int {
	start := Start{Args: args}
	root := start.arg("-dataDir")
	if err := note(root, args); err != nil {
		fmt.Println(err)
		return 2
	}
	if s.DeadEnd != 0 {
		fmt.Println("no such luck")
		return s.DeadEnd
	}
	if s.Stubborn {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	if err := os.WriteFile(filepath.Join(start.TempDir(), "scratch"), []byte("x"), 0o644); err != nil {
		fmt.Println(err)
		return 2
	}
	time.Sleep(s.Deaf)
	l, err := net.Listen("tcp", net.JoinHostPort(start.arg("-listen"), start.arg("-port")))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	v := &server{Settings: s, root: root, count: map[string]int{}, quit: make(chan int, 1)}
	v.match = match{settings: s, status: api.Launched}
	go func() { fmt.Println(http.Serve(l, v)) }()
	return <-v.quit
}

func (v *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if v.Mute {
		select {}
	}
	v.mu.Lock()
	v.refused++
	early := v.refused <= v.NotFound
	v.mu.Unlock()
	if early || r.URL.Path != "/sc2api" {
		http.NotFound(w, r)
		return
	}
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = c.CloseNow() }()
	c.SetReadLimit(16 << 20)
	for v.serve(c) {
	}
}

// serve answers one request. It reports whether the connection goes on.
func (v *server) serve(c *websocket.Conn) bool {
	ctx := context.Background()
	kind, b, err := c.Read(ctx)
	if err != nil || kind != websocket.MessageBinary {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var q api.Request
	if err := api.Unmarshal(b, &q); err != nil {
		return false
	}
	fault := v.fault(q.Command())
	switch fault {
	case Cut:
		return false
	case Hang:
		select {}
	case Exit:
		fmt.Println("a crash of the stand-in")
		os.Exit(3)
	case Garbage:
		return c.Write(ctx, websocket.MessageBinary, []byte{0xff, 0xff, 0xff}) == nil
	case Text:
		return c.Write(ctx, websocket.MessageText, []byte("hello")) == nil
	}
	a := v.answer(&q, fault)
	if err := c.Write(ctx, websocket.MessageBinary, api.Marshal(a)); err != nil {
		return false
	}
	if q.Quit != nil && !v.Stubborn {
		v.quit <- 0
	}
	return true
}

func (v *server) answer(q *api.Request, fault string) *api.Response {
	a := &api.Response{}
	if fault == Refuse {
		a.Errors = []string{"not in the mood"}
	} else {
		v.match.answer(q, a)
	}
	if fault == End {
		v.match.status = api.Ended
	}
	a.Status = v.match.status
	if !v.Silent {
		a.ID = q.ID
	}
	if fault == Stale {
		a.ID = q.ID - 1
	}
	return a
}

// fault counts a request and says what goes wrong with it. Unless they are unlimited,
// all faults of the settings occur in one process only: a mark in the game's folder
// tells the later ones.
func (v *server) fault(command string) string {
	v.count[command]++
	for _, f := range v.Faults {
		if f.Command == command && f.Nth == v.count[command] && v.mine() {
			return f.Do
		}
	}
	return ""
}

func (v *server) mine() bool {
	mark, pid := filepath.Join(v.root, "faulty"), fmt.Sprint(os.Getpid())
	if v.Unlimited {
		return true
	}
	f, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		owner, err := os.ReadFile(mark)
		return err == nil && string(owner) == pid
	}
	defer f.Close()
	_, err = f.WriteString(pid)
	return err == nil
}
