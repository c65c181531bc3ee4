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
func (b *Buffered) Get(f *safetensors.File) error { return b.replay.Get(f) }

// Save writes the state of a method that has no other.
func (b *Buffered) Save(w io.Writer) error { return Save(w, b) }

// Load restores what Save wrote.
func (b *Buffered) Load(r io.Reader) error { return Load(r, string(b.One), b) }

// State is the state of a method: Put adds it to a file, Get restores what Put added.
type State interface {
	Put(f *safetensors.File)
	Get(f *safetensors.File) error
}

// Save writes a state.
func Save(w io.Writer, s State) error {
	f := safetensors.New()
	s.Put(f)
	return f.Encode(w)
}

// Load restores what Save wrote. Errors begin with the method's name.
func Load(r io.Reader, name string, s State) error {
	f, err := safetensors.Decode(r)
	if err == nil {
		err = s.Get(f)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
