package sc2

import (
	"fmt"
	"net"
	"sync"
)

// host is the only address that games listen on.
const host = "127.0.0.1"

// taken are the ports of this program's games. The game opens its port itself, so
// between choice and use somebody else may take it; then another one is tried.
var taken = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

// reserve chooses a port that is free and not meant for another game.
func reserve() (int, error) {
	taken.Lock()
	defer taken.Unlock()
	for range 100 {
		l, err := net.Listen("tcp", host+":0")
		if err != nil {
			return 0, fmt.Errorf("a port for StarCraft II: %w", err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		if err := l.Close(); err != nil {
			return 0, err
		}
		if !taken.ports[port] {
			taken.ports[port] = true
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port for StarCraft II: %d games have theirs", len(taken.ports))
}

func release(port int) {
	taken.Lock()
	defer taken.Unlock()
	delete(taken.ports, port)
}
