package episode

import (
	"fmt"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

// Replay is the buffer D together with its draws of batches, the part that all
// methods with one buffer per task share.
type Replay struct {
	ring  *Ring
	batch []*Episode
	draw  *rng.Stream
}

// ReplayConfig holds the shared keys of a replay buffer.
type ReplayConfig struct {
	BatchSize  int `cfg:"batch_size" min:"1" help:"episodes in a gradient step"`
	BufferSize int `cfg:"buffer_size" min:"1" help:"episodes in the replay buffer D"`
}

// NewReplay makes an empty buffer that draws from the stream "replay" of src.
func NewReplay(c ReplayConfig, src rng.Source) (*Replay, error) {
	if c.BatchSize < 1 || c.BufferSize < c.BatchSize {
		return nil, fmt.Errorf("batch_size %d and buffer_size %d: a buffer holds at least one batch of at least one episode", c.BatchSize, c.BufferSize)
	}
	return &Replay{
		ring:  NewRing(c.BufferSize),
		batch: make([]*Episode, c.BatchSize),
		draw:  src.Child("replay").Stream(),
	}, nil
}

// Ring is the buffer itself.
func (r *Replay) Ring() *Ring { return r.ring }

// Insert stores a copy of e.
func (r *Replay) Insert(e *Episode) { r.ring.Insert(e) }

// Clear empties the buffer; its stream goes on.
func (r *Replay) Clear() { r.ring.Clear() }

// NextBatch draws batch_size distinct episodes, uniformly, or nil while fewer
// are stored. They are valid until the next call.
func (r *Replay) NextBatch() ([]*Episode, error) {
	if r.ring.Len() < len(r.batch) {
		return nil, nil
	}
	if err := r.ring.Sample(r.batch, r.draw); err != nil {
		return nil, err
	}
	return r.batch, nil
}

// Put adds buffer and stream to f, Get restores them.
func (r *Replay) Put(f *safetensors.File) {
	r.ring.Put(f, "replay")
	safetensors.Put(f, "stream.replay", r.draw.AppendState(nil))
}

// Get restores what Put added, after which the same batches follow.
func (r *Replay) Get(f *safetensors.File) error {
	if err := safetensors.Restore(f, "stream.replay", r.draw); err != nil {
		return err
	}
	return r.ring.Get(f, "replay", "buffer_size")
}
