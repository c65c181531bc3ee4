package episode

import (
	"strings"
	"testing"

	"macpro/core/rng"
)

func ofLength(t int, index int64) *Episode {
	return &Episode{T: t, Index: index, N: 2, A: 3, ObsWidth: 4, StateWidth: 5}
}

// Every record and transition has its own row, rows are complete, and the
// successor of transition k is record k+len(Episodes).
func TestBatchRows(t *testing.T) {
	s := rng.New(1).Stream()
	for range 200 {
		var eps []*Episode
		steps := 0
		for i := range 1 + s.Intn(12) {
			eps = append(eps, ofLength(1+s.Intn(9), int64(i)))
			steps += eps[i].T
		}
		var b Batch
		if err := b.Arrange(eps); err != nil {
			t.Fatal(err)
		}
		if b.Steps != steps || b.Shard[0].Steps+b.Shard[1].Steps != steps {
			t.Fatalf("%d steps in shards of %d and %d, want %d", b.Steps, b.Shard[0].Steps, b.Shard[1].Steps, steps)
		}
		for i := range b.Shard {
			checkRows(t, &b.Shard[i])
		}
	}
}

func checkRows(t *testing.T, s *Shard) {
	t.Helper()
	records, transitions := make([]int, s.Records), make([]int, s.Steps)
	for e, ep := range s.Episodes {
		for u := range ep.T + 1 {
			records[s.Record(u, e)]++
			if e >= s.Alive[u] {
				t.Fatalf("episode %d has a record %d, but only %d are alive", e, u, s.Alive[u])
			}
		}
		for u := range ep.T {
			transitions[s.Transition(u, e)]++
			if next := s.Transition(u, e) + len(s.Episodes); next != s.Record(u+1, e) {
				t.Fatalf("transition %d of episode %d leads to row %d, want %d", u, e, next, s.Record(u+1, e))
			}
		}
	}
	for _, n := range append(records, transitions...) {
		if n != 1 {
			t.Fatalf("rows are used %v and %v times", records, transitions)
		}
	}
}

func TestBatchOrder(t *testing.T) {
	eps := []*Episode{ofLength(3, 0), ofLength(5, 4), ofLength(5, 2), ofLength(1, 9), ofLength(3, 1)}
	want := [Shards][]int64{{2, 0, 9}, {4, 1}}
	for range 2 { // a second arrangement starts afresh
		var b Batch
		if err := b.Arrange(eps); err != nil {
			t.Fatal(err)
		}
		for i, s := range b.Shard {
			for j, e := range s.Episodes {
				if e.Index != want[i][j] {
					t.Fatalf("shard %d holds episode %d at %d, want %d", i, e.Index, j, want[i][j])
				}
			}
		}
		eps[0], eps[3] = eps[3], eps[0] // the order of the caller does not matter
	}
}

func TestOneEpisodeLeavesAShardEmpty(t *testing.T) {
	var b Batch
	if err := b.Arrange([]*Episode{ofLength(4, 0)}); err != nil {
		t.Fatal(err)
	}
	if s := &b.Shard[1]; s.Records != 0 || s.Steps != 0 || len(s.Alive) != 0 {
		t.Errorf("empty shard has %d records, %d steps, alive %v", s.Records, s.Steps, s.Alive)
	}
	if s := &b.Shard[0]; s.Records != 5 || s.Steps != 4 {
		t.Errorf("shard has %d records, %d steps", s.Records, s.Steps)
	}
}

func TestArrangeRefuses(t *testing.T) {
	wide := ofLength(2, 7)
	wide.ObsWidth = 6
	for _, c := range []struct {
		eps  []*Episode
		want string
	}{
		{nil, "no episodes"},
		{[]*Episode{ofLength(2, 0), wide}, "observations of 6"},
		{[]*Episode{ofLength(0, 3)}, "episode 3 of task 0 has no transitions"},
	} {
		var b Batch
		if err := b.Arrange(c.eps); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

func TestArrangeAgainDoesNotAllocate(t *testing.T) {
	var eps []*Episode
	for i := range 32 {
		eps = append(eps, ofLength(1+i%25, int64(i)))
	}
	var b Batch
	if err := b.Arrange(eps); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(20, func() { _ = b.Arrange(eps) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkArrange(b *testing.B) {
	var eps []*Episode
	for i := range 32 {
		eps = append(eps, ofLength(4+i%22, int64(i)))
	}
	var batch Batch
	for b.Loop() {
		if err := batch.Arrange(eps); err != nil {
			b.Fatal(err)
		}
	}
}
