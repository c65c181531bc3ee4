package sweeps_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
	"macpro/core/store"
)

// A run of a search stops at its rung by itself, also while the search stands still.
func TestRunStopsAtItsRung(t *testing.T) {
	t.Parallel()
	program.Meanwhile(t, func(dir string) (late bool) {
		sweep, output := program.Start(t, dir, strings.Fields("sweep --name s --alg finetuning --env lbf --profile smoke --strategy asha --eta 2 --first-rung 2000 --jobs 1"+
			" --grid lr=0.0005,0.001 --set steps_per_task=6000 --set batch_size=8 --set test_interval=500 --set test_nepisode=2 --set log_interval=50"))
		t.Cleanup(func() { _ = sweep.Process.Kill() })
		program.WaitFor(t, dir, "journal.jsonl", `"test"`)
		if err := sweep.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		runs, _, err := store.List(store.OS(), filepath.Join(dir, "results"))
		if err != nil || len(runs) != 1 {
			_ = sweep.Process.Kill()
			return true
		}
		var rec *store.Record
		program.Until(t, "the run ends", func() bool {
			rec = program.OnlyRun(t, dir)
			return rec.Status != record.Running
		})
		c, _, err := rec.LatestCheckpoint()
		if rec.Status != record.Interrupted || err != nil || c.TEnv < 2000 || c.TEnv >= 2200 {
			t.Errorf("the run is %s, its checkpoint %+v, %v", rec.Status, c, err)
		}
		if err := sweep.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if err := sweep.Wait(); err != nil || !strings.Contains(output.String(), "sweep s: 1 done, 1 pruned") {
			t.Errorf("%v\n%s", err, output)
		}
		return false
	})
}
