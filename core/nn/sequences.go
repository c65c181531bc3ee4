package nn

import "fmt"

// Sequences says which rows of a matrix form which sequence: those of one
// sequence lie side by side, one sequence after the other, each as long as it
// is. The first Keys rows of a sequence are looked at by all of its rows; the
// rows after them only look.
//
// One Sequences is shared by the operations of a graph and set anew before each
// run. The zero value is empty and ready.
type Sequences struct {
	Offset []int // [sequences+1], in rows
	Keys   []int // [sequences]
}

// Reset forgets all sequences but keeps the memory.
func (s *Sequences) Reset() {
	s.Offset, s.Keys = append(s.Offset[:0], 0), s.Keys[:0]
}

// Add appends a sequence of rows rows whose first keys are looked at.
func (s *Sequences) Add(rows, keys int) error {
	if keys < 1 || keys > rows {
		return fmt.Errorf("sequences: %d of %d rows are to be looked at, want at least one and at most all", keys, rows)
	}
	if len(s.Offset) == 0 {
		s.Reset()
	}
	s.Offset = append(s.Offset, s.Offset[len(s.Keys)]+rows)
	s.Keys = append(s.Keys, keys)
	return nil
}

// Len is the number of sequences.
func (s *Sequences) Len() int { return len(s.Keys) }

// Rows is the number of rows of all sequences.
func (s *Sequences) Rows() int {
	if len(s.Offset) == 0 {
		return 0
	}
	return s.Offset[len(s.Keys)]
}

// At returns the first row of sequence i and the number of its rows.
func (s *Sequences) At(i int) (first, rows int) {
	return s.Offset[i], s.Offset[i+1] - s.Offset[i]
}

// fits checks that the sequences describe exactly n rows.
func (s *Sequences) fits(n int) error {
	if s.Rows() != n {
		return fmt.Errorf("the sequences have %d rows, the input has %d", s.Rows(), n)
	}
	return nil
}
