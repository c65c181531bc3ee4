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
	colWords // packed words of its arrays
	columns
)

// save adds episodes to f in their order: a table <prefix>.table of their
// scalars, and <prefix>.words with all packed arrays. Nothing is copied; the
// episodes must not change until f is encoded.
func save(f *safetensors.File, prefix string, eps []*kept) {
	table := make([]int64, 0, len(eps)*columns)
	var parts [][]uint32
	for _, e := range eps {
		var flags int64
		if e.Terminated {
			flags |= 1
		}
		if e.Won {
			flags |= 2
		}
		table = append(table, int64(e.Task), int64(e.Head), e.Index, int64(e.Seed),
			int64(e.T), int64(e.N), int64(e.A), int64(e.ObsWidth), int64(e.StateWidth), flags, int64(e.words))
		for p := range e.parts() {
			parts = append(parts, p)
		}
	}
	safetensors.PutParts(f, prefix+".words", parts)
	safetensors.Put(f, prefix+".table", table, len(eps), columns)
}

// load stores the episodes that save added, in their order, in an empty keeper.
// More than there is room for is an error that names the key which limits them.
func load(f *safetensors.File, prefix string, room int, key string) (s keeper, eps []*kept, err error) {
	table, err := safetensors.Get[int64](f, prefix+".table")
	if err != nil {
		return s, nil, err
	}
	words, err := safetensors.Get[uint32](f, prefix+".words")
	if err != nil {
		return s, nil, err
	}
	if len(table)%columns != 0 {
		return s, nil, fmt.Errorf("%s.table has %d values, want a multiple of %d", prefix, len(table), columns)
	}
	n := len(table) / columns
	if n > room {
		return s, nil, fmt.Errorf("%s: %d episodes saved, room for %d (%s)", prefix, n, room, key)
	}
	for i := range n {
		row := table[i*columns : (i+1)*columns]
		e := &Episode{
			Task: int(row[colTask]), Head: int(row[colHead]), Index: row[colIndex], Seed: uint64(row[colSeed]),
			T: int(row[colT]), N: int(row[colN]), A: int(row[colA]), ObsWidth: int(row[colObs]), StateWidth: int(row[colState]),
			Terminated: row[colFlags]&1 != 0, Won: row[colFlags]&2 != 0,
		}
		size := row[colWords]
		if size < 0 || size > int64(len(words)) {
			return s, nil, fmt.Errorf("%s: episode %d has %d words, %d are left", prefix, e.Index, size, len(words))
		}
		if err := checkPacked(e, words[:size]); err != nil {
			return s, nil, fmt.Errorf("%s: %w", prefix, err)
		}
		eps, words = append(eps, s.put(e, words[:size])), words[size:]
	}
	if len(words) > 0 {
		return s, nil, fmt.Errorf("%s.words has %d words that belong to no episode", prefix, len(words))
	}
	return s, eps, nil
}
