package episode

import (
	"fmt"

	"macpro/core/safetensors"
)

// Columns of the table that holds an episode's scalars.
const (
	colTask = iota
	colHead
	colIndex
	colSeed
	colT
	colN
	colA
	colObs
	colState
	colFlags // bit 0 terminated, bit 1 won
	columns
)

// PutEpisodes adds episodes to f in their order: a table <prefix>.table of
// their scalars and five tensors an episode, <prefix>.<number>.obs and so on.
// Nothing is copied; the episodes must not change until f is encoded.
func PutEpisodes(f *safetensors.File, prefix string, eps []*Episode) {
	table := make([]int64, 0, len(eps)*columns)
	for i, e := range eps {
		var flags int64
		if e.Terminated {
			flags |= 1
		}
		if e.Won {
			flags |= 2
		}
		table = append(table, int64(e.Task), int64(e.Head), e.Index, int64(e.Seed),
			int64(e.T), int64(e.N), int64(e.A), int64(e.ObsWidth), int64(e.StateWidth), flags)
		safetensors.Put(f, name(prefix, i, "obs"), e.Obs, e.T+1, e.N, e.ObsWidth)
		safetensors.Put(f, name(prefix, i, "state"), e.State, e.T+1, e.StateWidth)
		safetensors.Put(f, name(prefix, i, "avail"), e.Avail, e.T+1, e.N, e.A)
		safetensors.Put(f, name(prefix, i, "actions"), e.Actions, e.T, e.N)
		safetensors.Put(f, name(prefix, i, "reward"), e.Reward, e.T)
	}
	safetensors.Put(f, prefix+".table", table, len(eps), columns)
}

// GetEpisodes returns the episodes that PutEpisodes added. Their memory is that
// of f, which must not be used for them again.
func GetEpisodes(f *safetensors.File, prefix string) ([]*Episode, error) {
	table, err := safetensors.Get[int64](f, prefix+".table")
	if err != nil {
		return nil, err
	}
	if len(table)%columns != 0 {
		return nil, fmt.Errorf("%s.table has %d values, want a multiple of %d", prefix, len(table), columns)
	}
	eps := make([]*Episode, len(table)/columns)
	for i := range eps {
		row := table[i*columns : (i+1)*columns]
		e := &Episode{
			Task: int(row[colTask]), Head: int(row[colHead]), Index: row[colIndex], Seed: uint64(row[colSeed]),
			T: int(row[colT]), N: int(row[colN]), A: int(row[colA]), ObsWidth: int(row[colObs]), StateWidth: int(row[colState]),
			Terminated: row[colFlags]&1 != 0, Won: row[colFlags]&2 != 0,
		}
		if err := e.fill(f, prefix, i); err != nil {
			return nil, err
		}
		eps[i] = e
	}
	return eps, nil
}

// fill takes the arrays of episode i from f.
func (e *Episode) fill(f *safetensors.File, prefix string, i int) (err error) {
	if e.Obs, err = safetensors.Get[float32](f, name(prefix, i, "obs")); err != nil {
		return err
	}
	if e.State, err = safetensors.Get[float32](f, name(prefix, i, "state")); err != nil {
		return err
	}
	if e.Avail, err = safetensors.Get[uint8](f, name(prefix, i, "avail")); err != nil {
		return err
	}
	if e.Actions, err = safetensors.Get[int32](f, name(prefix, i, "actions")); err != nil {
		return err
	}
	if e.Reward, err = safetensors.Get[float32](f, name(prefix, i, "reward")); err != nil {
		return err
	}
	if err := e.Check(); err != nil {
		return fmt.Errorf("%s: %w", prefix, err)
	}
	return nil
}

func name(prefix string, i int, field string) string {
	return fmt.Sprintf("%s.%06d.%s", prefix, i, field)
}
