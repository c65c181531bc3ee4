package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"macpro/core/names"
	"macpro/core/store"
)

// batch is one submission. One with neither a job nor a refusal was cut short:
// Slurm may have it or not.
type batch struct {
	Job     string     `json:"job"` // id of the array
	Chunks  [][]string `json:"chunks"`
	Refused string     `json:"refused,omitempty"` // why Slurm does not have it
	// Environ is Execution.Environ of the call that made the submission.
	Environ map[string]string `json:"environ,omitempty"`
}

// Chunk is the cells of one task of a batch, whose environment the sweep gets.
func (s *Sweep) Chunk(n, task int) ([]*Cell, error) {
	b, err := s.batch(n)
	if err != nil {
		return nil, err
	}
	if task < 0 || task >= len(b.Chunks) {
		return nil, fmt.Errorf("batch %d of sweep %s has tasks 0 to %d, not %d", n, s.ID, len(b.Chunks)-1, task)
	}
	if b.Environ != nil {
		s.Environ = b.Environ
	}
	in := map[string]bool{}
	for _, id := range b.Chunks[task] {
		in[id] = true
	}
	var out []*Cell
	for _, c := range s.Cells {
		if in[c.ID] {
			out = append(out, c)
		}
	}
	return out, nil
}

// batches counts the submissions so far.
func (s *Sweep) batches() (int, error) {
	entries, err := s.FS.ReadDir(s.Path("slurm"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return len(entries), err
}

func (s *Sweep) batch(n int) (b batch, err error) {
	name := s.Path("slurm", strconv.Itoa(n), "batch.json")
	data, err := store.ReadFile(s.FS, name)
	if err != nil {
		return b, err
	}
	if err := names.DecodeJSON(data, &b); err != nil {
		return b, fmt.Errorf("%s is damaged: %w", name, err)
	}
	return b, nil
}

func (s *Sweep) putBatch(n int, b batch) error {
	data, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		return err
	}
	return store.WriteFile(s.FS, s.Path("slurm", strconv.Itoa(n), "batch.json"), append(data, '\n'))
}

// Submitted says whether Slurm has had cells of the sweep.
func (s *Sweep) Submitted() bool {
	jobs, _, err := s.jobs()
	return err == nil && len(jobs) > 0
}

// jobs lists the ids of all submissions, and each with its cells.
func (s *Sweep) jobs() (ids []string, of map[string]batch, err error) {
	n, err := s.batches()
	of = map[string]batch{}
	for i := range n {
		if b, err := s.batch(i); err == nil && b.Job != "" {
			ids, of[b.Job] = append(ids, b.Job), b
		}
	}
	return ids, of, err
}
