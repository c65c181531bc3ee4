package single

import (
	"fmt"
	"io"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/safetensors"
)

// Buffered is a method that trains one network from a replay buffer D, which is
// emptied at the start of every task: Finetuning. Others embed it and add to it.
type Buffered struct {
	One
	replay *episode.Replay
}

// NewBuffered makes the part of the method of that name, with an empty buffer.
func NewBuffered(name string, s core.Settings, sv core.Services) (Buffered, error) {
	var c episode.ReplayConfig
	if err := config.Decode(s, &c); err != nil {
		return Buffered{}, err
	}
	replay, err := episode.NewReplay(c, sv.Source)
	return Buffered{One: One(name), replay: replay}, err
}

// Ring is the buffer D.
func (b *Buffered) Ring() *episode.Ring { return b.replay.Ring() }

// BeginTask empties D.
func (b *Buffered) BeginTask(core.Task, core.Progress) error {
	b.replay.Clear()
	return nil
}

// Collected stores an episode in D.
func (b *Buffered) Collected(e *episode.Episode, _ core.Progress) error {
	b.replay.Insert(e)
	return nil
}

// NextBatch draws from D.
func (b *Buffered) NextBatch() ([]*episode.Episode, error) { return b.replay.NextBatch() }

// Trained does nothing.
func (b *Buffered) Trained(core.Progress) error { return nil }

// EndTask does nothing.
func (b *Buffered) EndTask(core.Progress) error { return nil }

// Put adds the state to f.
func (b *Buffered) Put(f *safetensors.File) { b.replay.Put(f) }

// Get restores what Put added.
func (b *Buffered) Get(f *safetensors.File) error {
	if err := b.replay.Get(f); err != nil {
		return fmt.Errorf("%s: %w", string(b.One), err)
	}
	return nil
}

// Save writes the state of a method that has no other.
func (b *Buffered) Save(w io.Writer) error {
	f := safetensors.New()
	b.Put(f)
	return f.Encode(w)
}

// Load restores what Save wrote.
func (b *Buffered) Load(r io.Reader) error {
	f, err := safetensors.Decode(r)
	if err != nil {
		return err
	}
	return b.Get(f)
}
