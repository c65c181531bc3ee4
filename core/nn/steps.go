package nn

import "fmt"

// Steps says which rows of a time-major batch belong to which time step. The
// episodes are sorted by length, longest first, and only their real records
// exist: at step t the first Alive[t] episodes have a record, and their
// Alive[t]*Agents rows (episode, agent; agent fastest) start at Offset[t].
// Because the episodes alive at t+1 are the first ones alive at t, row i of
// step t+1 continues row i of step t.
//
// One Steps is shared by the recurrent operations of a graph and set anew
// before each run.
type Steps struct {
	Agents int
	Alive  []int // [steps]
	Offset []int // [steps+1], in rows
}

// Set describes a batch whose step t has alive[t] episodes of agents rows each.
// It copies alive and does not allocate once s has grown.
func (s *Steps) Set(agents int, alive []int) error {
	if agents < 1 || len(alive) < 1 {
		return fmt.Errorf("steps: %d steps of %d agents, want at least one of each", len(alive), agents)
	}
	for t, n := range alive {
		if n < 1 || t > 0 && n > alive[t-1] {
			return fmt.Errorf("steps: alive episodes %v, want at least one in every step and never more than in the step before", alive)
		}
	}
	s.Agents = agents
	s.Alive = append(s.Alive[:0], alive...)
	s.Offset = append(s.Offset[:0], 0)
	for t, n := range alive {
		s.Offset = append(s.Offset, s.Offset[t]+n*agents)
	}
	return nil
}

// Len is the number of steps.
func (s *Steps) Len() int { return len(s.Alive) }

// Rows is the number of rows of all steps.
func (s *Steps) Rows() int { return s.Offset[len(s.Alive)] }

// at returns the first row of step t and the number of its rows.
func (s *Steps) at(t int) (first, rows int) { return s.Offset[t], s.Alive[t] * s.Agents }

// fits checks that the steps describe exactly n rows.
func (s *Steps) fits(n int) error {
	if len(s.Alive) == 0 || len(s.Offset) != len(s.Alive)+1 {
		return fmt.Errorf("the steps of the batch were not set")
	}
	if s.Rows() != n {
		return fmt.Errorf("the steps have %d rows, the input has %d", s.Rows(), n)
	}
	return nil
}
