package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"macpro/core"
	"macpro/core/continual"
	"macpro/core/record"
	"macpro/core/store"
)

// Record is a run's journal and checkpoints in memory.
type Record struct {
	Rows        []string // JSON, without wall clock
	Checkpoints []Checkpoint
}

// Checkpoint is a saved state and the length of the journal then.
type Checkpoint struct {
	Meta  continual.CheckpointMeta
	Rows  int
	Parts map[string][]byte
}

// Emit appends a row. Finite numbers stay, others become null.
func (r *Record) Emit(e core.Event) error {
	b, err := store.AppendJSON(nil, map[string]any{"kind": e.Kind, "t_env": e.TEnv, "episode": e.Episode, "task": e.Task, "fields": e.Fields})
	if err != nil {
		return fmt.Errorf("row %s: %w", e.Kind, err)
	}
	r.Rows = append(r.Rows, string(b))
	return nil
}

// Runner makes a run that writes to r.
func (r *Record) Runner(o continual.Options) (*continual.Runner, error) {
	var runner *continual.Runner
	o.Journal = r
	o.Checkpoint = func(m continual.CheckpointMeta) error {
		parts, err := Parts(runner)
		if err == nil {
			r.Checkpoints = append(r.Checkpoints, Checkpoint{m, len(r.Rows), parts})
		}
		return err
	}
	runner, err := continual.New(o)
	return runner, err
}

// Play plays a run that writes to r to its end, from a checkpoint if there is one. It
// returns the last state and the result.
func (r *Record) Play(o continual.Options, from *Checkpoint) (parts map[string][]byte, res record.Result, err error) {
	run, err := r.Runner(o)
	if err != nil {
		return nil, res, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	if from != nil {
		if err := LoadParts(run, from.Parts); err != nil {
			return nil, res, err
		}
	}
	if res, err = run.Run(context.Background()); err != nil {
		return nil, res, err
	}
	parts, err = Parts(run)
	return parts, res, err
}

// From returns the journal as it was at a checkpoint, to go on from.
func (r *Record) From(c Checkpoint) *Record { return &Record{Rows: slices.Clone(r.Rows[:c.Rows])} }

// Parts returns the complete state of a run.
func Parts(r *continual.Runner) (map[string][]byte, error) {
	m := map[string][]byte{}
	err := r.Save(func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		m[name] = b.Bytes()
		return err
	})
	return m, err
}

// LoadParts puts a new run into the state that Parts returned.
func LoadParts(r *continual.Runner, parts map[string][]byte) error {
	return r.Load(func(name string) (io.ReadCloser, error) {
		b, ok := parts[name]
		if !ok {
			return nil, fmt.Errorf("no part %q", name)
		}
		return io.NopCloser(bytes.NewReader(b)), nil
	})
}

// SameParts says which part of two states differs, if any does.
func SameParts(a, b map[string][]byte, skip ...string) error {
	if !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
		return fmt.Errorf("the parts are %v and %v", slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !slices.Contains(skip, name) && !bytes.Equal(a[name], b[name]) {
			return fmt.Errorf("part %q differs", name)
		}
	}
	return nil
}

// SameRows says where two journals differ first, if they do.
func SameRows(a, b []string) error {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Errorf("row %d differs:\n%s\n%s", i, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		return fmt.Errorf("the journals have %d and %d rows", len(a), len(b))
	}
	return nil
}
