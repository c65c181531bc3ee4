package sweep

import (
	"strings"
	"testing"
)

// A task that cannot have another turn names the command that goes on with its sweep.
func TestNoMoreTurns(t *testing.T) {
	for _, c := range []struct{ job, count, root, want string }{
		{"", "", "results", "no job of Slurm that could be queued again; go on with: macpro sweep resume s"},
		{"7", "100", "results", "job 7 was queued again 100 times and is not once more; go on with: macpro sweep resume s"},
		{"7", "101", "/my results", "go on with: macpro sweep resume s --out '/my results'"},
	} {
		t.Setenv("SLURM_JOB_ID", c.job)
		t.Setenv("SLURM_RESTART_COUNT", c.count)
		s := &Sweep{Plan: Plan{ID: "s"}, Root: c.root}
		if err := s.Requeue(t.Context()); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("job %q, %s times: %v, want %q", c.job, c.count, err, c.want)
		}
	}
}
