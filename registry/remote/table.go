package remote

import (
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// table holds what a server has made, by id. Ids are never used again.
type table[T any] struct {
	what string // word for messages
	mu   sync.Mutex
	last uint64
	byID map[uint64]T
}

func newTable[T any](what string) *table[T] { return &table[T]{what: what, byID: map[uint64]T{}} }

func (t *table[T]) add(x T) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	t.byID[t.last] = x
	return t.last
}

func (t *table[T]) get(id uint64) (T, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	x, ok := t.byID[id]
	if !ok {
		return x, status.Errorf(codes.NotFound, "there is no %s %d here", t.what, id)
	}
	return x, nil
}

func (t *table[T]) drop(id uint64) (T, error) {
	x, err := t.get(id)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, id)
	return x, err
}
