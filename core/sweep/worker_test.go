package sweep

import (
	"testing"
	"time"

	"macpro/core/record"
	"macpro/core/store"
)

// The process of a worker that was killed is still saving its state when the
// sweep goes on: the cell waits for it instead of being given up.
func TestCellWaitsForAnOrphan(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	c := s.Cells[0]
	if err := s.put(c, State{Status: Running, Attempts: 1}); err != nil {
		t.Fatal(err)
	}
	run, err := store.Create(s.FS, s.Root, store.Manifest{Alg: "a", Env: "e", Learner: "l", ConfigHash: c.ConfigHash, EnvHash: c.EnvHash}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		time.Sleep(2 * pollEvery)
		ended <- run.Finish(record.Result{})
	}()
	w := &Worker{Sweep: s, Command: []string{"false"}, runs: NewRuns(s.FS, s.Root)}
	if st := w.work(t.Context(), job{cell: c}, s.stored(c)); st.Status != Done || st.Run != run.ID() {
		t.Errorf("the cell is %s: %s", st.Status, st.Error)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
