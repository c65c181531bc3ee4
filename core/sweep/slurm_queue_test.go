package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// cluster puts commands of a Slurm into PATH. sbatch notes its arguments and
// takes arrays as job 7, 8, ...; squeue prints the file queue.
func cluster(t *testing.T) (dir string, said *[]string, x Slurm) {
	t.Helper()
	dir = t.TempDir()
	path := os.Getenv("PATH")
	t.Setenv("PATH", dir)
	program(t, "sbatch", fmt.Sprintf(`PATH='%s'; cd %s
echo "$*" >> called
case "$*" in *--wrap=*) test ! -f noreport || { echo no account >&2; exit 1; }; echo 99; exit;; esac
test ! -f mute || exit 0
n=$(cat last 2>/dev/null || echo 6); n=$((n+1)); echo $n > last; echo "$n;cluster"
`, path, dir))
	program(t, "squeue", fmt.Sprintf(`PATH='%s'; cd %s
echo "$*" >> asked
test ! -f down || { rm -f down; echo "Unable to contact slurm controller" >&2; exit 1; }
cat queue 2>/dev/null || true
`, path, dir))
	said = new([]string)
	x = Slurm{Command: []string{"macpro"}, Pack: 1, Every: time.Millisecond, Log: t.Logf, Args: []string{"--account=lab"}, Report: []string{"macpro", "report"}}
	x.Warn = func(format string, args ...any) { *said = append(*said, fmt.Sprintf(format, args...)) }
	return dir, said, x
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lines reads what a command of the cluster noted.
func lines(t *testing.T, dir, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return splitLines(string(data))
}

func TestSlurmReportJob(t *testing.T) {
	dir, said, x := cluster(t)
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	if err := x.Execute(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	report := lines(t, dir, "called")[1]
	if !strings.Contains(report, "--account=lab --dependency=afterany:7 --wrap=") {
		t.Errorf("the report's job: %s", report)
	}
	put(t, dir, "noreport", "")
	s = makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	if err := x.Execute(t.Context(), s); err != nil || len(*said) != 1 || !strings.Contains((*said)[0], "job array 8 was submitted, but not") {
		t.Errorf("a report that is refused: %v, %v", err, *said)
	}
}

// Cells that a task of an earlier submission still has are not submitted again.
func TestSlurmDoesNotSubmitTwice(t *testing.T) {
	dir, _, x := cluster(t)
	x.Report = nil
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1, 2, 3)
	submissions := func(want int) {
		t.Helper()
		if got := lines(t, dir, "called"); len(got) != want {
			t.Errorf("%d submissions, want %d", len(got), want)
		}
	}
	execute := func() error { return x.Execute(t.Context(), s) }
	if err := execute(); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "queue", "R 7_0\nPD 7_1\nPD 7_2\n")
	if err := execute(); err != nil {
		t.Error(err)
	}
	submissions(1)
	put(t, dir, "down", "")
	if err := execute(); err == nil || !strings.Contains(err.Error(), "is not known, so nothing is submitted") {
		t.Errorf("a squeue that does not answer: %v", err)
	}
	submissions(1)
	put(t, dir, "queue", "CG 7_0\nPD 7_1\n")
	if err := execute(); err != nil {
		t.Error(err)
	}
	submissions(2)
	if b, err := s.batch(1); err != nil || fmt.Sprint(b.Chunks) != fmt.Sprintf("[[%s] [%s]]", s.Cells[0].ID, s.Cells[2].ID) {
		t.Errorf("the second submission is %v, %v", b, err)
	}
}

// A submission whose number was never noted is found by its script.
func TestSlurmFindsLostSubmissions(t *testing.T) {
	dir, _, x := cluster(t)
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	put(t, dir, "mute", "")
	if err := x.Execute(t.Context(), s); err == nil || !strings.Contains(err.Error(), "no job number") {
		t.Fatalf("an sbatch that prints nothing: %v", err)
	}
	put(t, dir, "queue", "41 /another/task.sh\n43 "+s.Path("slurm", "0", "task.sh")+"\n")
	if err := x.adopt(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if b, err := s.batch(0); err != nil || b.Job != "43" {
		t.Errorf("%v %v", b, err)
	}
	if err := s.putBatch(0, batch{Chunks: [][]string{{s.Cells[0].ID}}}); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "queue", "")
	if err := x.adopt(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if b, err := s.batch(0); err != nil || b.Job != "" || b.Refused == "" {
		t.Errorf("a submission that Slurm does not have: %v %v", b, err)
	}
}

// While squeue does not answer, tasks count as neither there nor gone.
func TestSlurmWaitsForAnswers(t *testing.T) {
	dir, said, x := cluster(t)
	x.Wait = true
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	if err := s.putBatch(0, batch{Job: "7", Chunks: [][]string{{s.Cells[0].ID}}}); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "tries", "0")
	program(t, "squeue", fmt.Sprintf(`PATH=/bin:/usr/bin; cd %s
n=$(cat tries); echo $((n+1)) > tries
test $n -gt 5 || { echo "Unable to contact slurm controller" >&2; exit 1; }
`, dir))
	if err := x.wait(t.Context(), s); err != nil || len(*said) != 1 {
		t.Errorf("%v, warned: %q", err, *said)
	}
	if tries := lines(t, dir, "tries")[0]; tries != "9" {
		t.Errorf("squeue was asked %s times: want six without an answer and three with", tries)
	}
}
