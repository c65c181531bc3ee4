package sweep

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macpro/core/conform/exe"
)

// program puts a script in the place of a command of Slurm.
func program(t *testing.T, name, text string) {
	t.Helper()
	exe.Write(t, filepath.Join(os.Getenv("PATH"), name), []byte("#!/bin/sh\n"+text), 0o755)
}

// What squeue and sacct say of a sweep, in answers as they give them: tasks in the
// queue, tasks that have ended in any way, and jobs that squeue has forgotten.
func TestSlurmConfirms(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	t.Setenv("PATH", t.TempDir())
	confirm := func() string {
		t.Helper()
		lines, err := (Slurm{}).Confirm(t.Context(), s)
		if err != nil {
			lines = append(lines, "error: "+err.Error())
		}
		return strings.Join(lines, "\n")
	}
	if got := confirm(); got != "" {
		t.Errorf("nothing was submitted, but: %s", got)
	}
	for i, job := range []string{"412", "415"} {
		if err := s.putBatch(i, batch{Job: job, Chunks: [][]string{{s.Cells[0].ID}}}); err != nil {
			t.Fatal(err)
		}
	}
	program(t, "squeue", `[ "$*" = "-h -r -j 412,415 -o task %i: %T (%r)" ] || { echo "called with $*" >&2; exit 1; }
echo "task 415_3: RUNNING (None)"
echo "task 415_4: PENDING (Resources)"
`)
	if got := confirm(); got != "task 415_3: RUNNING (None)\ntask 415_4: PENDING (Resources)" {
		t.Errorf("a site without accounting: %s", got)
	}
	program(t, "sacct", `[ "$*" = "-X -n -P -j 412,415 -o JobID,State,ExitCode" ] || { echo "called with $*" >&2; exit 1; }
echo '412_0|COMPLETED|0:0'
echo '412_1|OUT_OF_MEMORY|0:125'
echo '415_0|TIMEOUT|0:0'
echo '415_1|CANCELLED by 1000|0:15'
echo '415_2|NODE_FAIL|1:0'
echo '415_3|RUNNING|0:0'
echo '415_[4-5%2]|PENDING|0:0'
`)
	want := []string{"accounting: 412_0 COMPLETED 0:0", "accounting: 412_1 OUT_OF_MEMORY 0:125", "accounting: 415_0 TIMEOUT 0:0",
		"accounting: 415_1 CANCELLED by 1000 0:15", "accounting: 415_2 NODE_FAIL 1:0", "accounting: 415_3 RUNNING 0:0", "accounting: 415_[4-5%2] PENDING 0:0"}
	if got := strings.Split(confirm(), "\n"); !slices.Equal(got[2:], want) {
		t.Errorf("got %q", got[2:])
	}
	program(t, "squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1\n")
	if got := strings.Split(confirm(), "\n"); !slices.Equal(got, want) {
		t.Errorf("jobs that squeue has forgotten: %q", got)
	}
	program(t, "squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1\n")
	if got := confirm(); !strings.Contains(got, "error: squeue refused (exit status 1): slurm_load_jobs error: Unable to contact") {
		t.Errorf("a controller that is down: %s", got)
	}
}

// Successive halving decides while cells run: it is one task with processors for
// the cells at a time.
func TestSlurmTakesASHAAsOneTask(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "asha", Eta: 2, First: 10}, [][]string{{"lr=1"}, {"lr=2"}, {"lr=3"}}, 1)
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	program(t, "sbatch", `printf '%s\n' "$*" > "`+dir+`/call"; echo 7`)
	x := Slurm{Command: []string{"/m"}, Jobs: 12, Pack: 1, Log: t.Logf}
	if err := x.Execute(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	call, err := os.ReadFile(filepath.Join(dir, "call"))
	if err != nil || !strings.Contains(string(call), "--cpus-per-task=12 ") || !strings.Contains(string(call), "--array=0-0 ") {
		t.Errorf("sbatch was called with %s: %v", call, err)
	}
	script, err := os.ReadFile(s.Path("slurm", "0", taskScript))
	if err != nil || !strings.Contains(string(script), " '--jobs' '12' --task") {
		t.Errorf("the task runs %s: %v", script, err)
	}
	if b, err := s.batch(0); err != nil || b.Job != "7" || len(b.Chunks) != 1 || len(b.Chunks[0]) != 3 {
		t.Errorf("batch %+v: %v", b, err)
	}
}
