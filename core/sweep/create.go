package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"macpro/core/store"
)

// writers is how many files of a new sweep are written at the same time: a file
// system takes its time until one is safe, and not much longer for several.
const writers = 16

// maxPlan bounds sweep.json to what can be read again.
const maxPlan = 64 << 20

// Create makes the folder of a new sweep. sweep.json comes last. Without it there
// is no sweep, so a creation that was cut can be repeated. progress, if not nil,
// hears of each cell that has its files.
func Create(fsys store.FS, root string, p Plan, cells []Resolved, progress func(done, all int)) (*Sweep, error) {
	if err := CheckName(p.ID); err != nil {
		return nil, err
	}
	s := &Sweep{Plan: p, Root: root, FS: fsys}
	if _, err := Open(fsys, root, p.ID); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = &ExistsError{p.ID, root}
		}
		return nil, err
	}
	s.Format = planFormat
	for i := range cells {
		s.Cells = append(s.Cells, &cells[i].Cell)
	}
	data, err := s.encode()
	if err != nil {
		return nil, err
	}
	if err := s.writeConfigs(cells, progress); err != nil {
		return nil, fmt.Errorf("making the sweep's folder: %w", err)
	}
	return s, store.WriteFile(fsys, s.Path("sweep.json"), data)
}

// encode is the content of sweep.json: a cell is a line. What all cells set is
// written once.
func (s *Sweep) encode() ([]byte, error) {
	s.Sets = s.common()
	p := s.Plan
	p.Cells = []*Cell{}
	head, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(s.Cells))
	for i, c := range s.Cells {
		own := *c
		own.Sets = slices.DeleteFunc(slices.Clone(c.Sets), func(kv string) bool { return slices.Contains(s.Sets, kv) })
		line, err := json.Marshal(own)
		if err != nil {
			return nil, err
		}
		lines[i] = string(line)
	}
	data := strings.TrimSuffix(string(head), "]\n}") + "\n  " + strings.Join(lines, ",\n  ") + "\n ]\n}\n"
	if len(data) > maxPlan {
		return nil, fmt.Errorf("the plan of %d cells has %d bytes, and sweep.json at most %d: make several sweeps of it", len(s.Cells), len(data), maxPlan)
	}
	return []byte(data), nil
}

func (s *Sweep) common() (out []string) {
	for i, c := range s.Cells {
		if i == 0 {
			out = slices.Clone(c.Sets)
		}
		out = slices.DeleteFunc(out, func(kv string) bool { return !slices.Contains(c.Sets, kv) })
	}
	return out
}

func (s *Sweep) writeConfigs(cells []Resolved, progress func(done, all int)) error {
	var group sync.WaitGroup
	var mu sync.Mutex
	var failure error
	next, done := 0, 0
	for range min(writers, len(cells)) {
		group.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for next < len(cells) && failure == nil {
				c := &cells[next]
				next++
				mu.Unlock()
				err := store.WriteFile(s.FS, s.cellPath(&c.Cell, "config.yaml"), c.Config)
				mu.Lock()
				failure = errors.Join(failure, err)
				if done++; progress != nil {
					progress(done, len(cells))
				}
			}
		})
	}
	group.Wait()
	return failure
}
