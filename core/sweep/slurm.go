package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"macpro/core/store"
)

// Slurm submits job arrays. A batch is one submission: a list of chunks, each
// the cells of one task of the array, which a worker takes one after the other.
// The files of the sweep stay the truth; squeue and sacct are only asked what
// they think.
type Slurm struct {
	Command []string // how macpro is called on the nodes
	Args    []string // further arguments of sbatch, such as --partition=long
	// Pack is the number of cells in a task; 0 packs cells until a task has
	// about PackSteps transitions.
	Pack     int
	Throttle int // tasks that run at the same time, 0 for no limit
	// Report, if not empty, is a command that runs when all tasks have ended,
	// however they did.
	Report []string
	// Wait makes Execute wait, and submit again what was lost on the way.
	Wait  bool
	Every time.Duration // between two looks while waiting
	Log   func(format string, args ...any)
}

var _ Executor = Slurm{}

// PackSteps is the work, in transitions, that makes a task worth the overhead
// of the scheduler.
const PackSteps = 100_000

// rounds bounds how often Execute submits lost cells again.
const rounds = 5

// batch is one submission.
type batch struct {
	Job    string     `json:"job"` // id of the array
	Chunks [][]string `json:"chunks"`
}

// Execute submits the cells that have not ended.
func (x Slurm) Execute(ctx context.Context, s *Sweep) error {
	if s.Search.Strategy == "asha" {
		return errors.New("asha decides while cells run and works with --executor local only; use grid or random with slurm")
	}
	for round := 0; ; round++ {
		cells := s.open()
		if len(cells) == 0 {
			return nil
		}
		if round == rounds {
			return fmt.Errorf("%d cells are still unfinished after %d submissions", len(cells), rounds)
		}
		if round > 0 {
			x.Log("%d cells were lost or have failed and are submitted again", len(cells))
		}
		b, err := x.submit(ctx, s, cells)
		if err != nil {
			return err
		}
		x.Log("submitted %d cells as job array %s with %d tasks", len(cells), b.Job, len(b.Chunks))
		if !x.Wait {
			return nil
		}
		if err := x.wait(ctx, s, b.Job); err != nil {
			return err
		}
		if failed := s.Counts()[Failed]; failed > 0 {
			return fmt.Errorf("%d cells have failed", failed)
		}
	}
}

// chunks packs cells into tasks.
func (x Slurm) chunks(cells []*Cell) [][]string {
	var out [][]string
	var steps int64
	for _, c := range cells {
		last := len(out) - 1
		if last < 0 || x.Pack > 0 && len(out[last]) >= x.Pack || x.Pack == 0 && steps >= PackSteps {
			out, steps = append(out, nil), 0
			last++
		}
		out[last] = append(out[last], c.ID)
		steps += c.Steps
	}
	return out
}

// submit writes a batch and its script and hands them to sbatch.
func (x Slurm) submit(ctx context.Context, s *Sweep, cells []*Cell) (batch, error) {
	n, err := s.batches()
	if err != nil {
		return batch{}, err
	}
	b := batch{Chunks: x.chunks(cells)}
	dir, err := filepath.Abs(s.Path("slurm", strconv.Itoa(n)))
	if err != nil {
		return b, err
	}
	root, err := filepath.Abs(s.Root)
	if err != nil {
		return b, err
	}
	if err := s.putBatch(n, b); err != nil {
		return b, err
	}
	script := filepath.Join(dir, "task.sh")
	work := append(slices.Clone(x.Command), "sweep", "work", s.ID, "--out", root, "--batch", strconv.Itoa(n))
	text := "#!/bin/sh\nexec " + quote(work) + " --task \"$SLURM_ARRAY_TASK_ID\"\n"
	if err := store.WriteFile(s.FS, script, []byte(text)); err != nil {
		return b, err
	}
	array := fmt.Sprintf("--array=0-%d", len(b.Chunks)-1)
	if x.Throttle > 0 {
		array += "%" + strconv.Itoa(x.Throttle)
	}
	args := append([]string{"--parsable", "--job-name=macpro-" + s.ID, array, "--requeue", "--open-mode=append",
		"--signal=B:USR1@120", "--output=" + filepath.Join(dir, "%a.log")}, x.Args...)
	out, err := command(ctx, "sbatch", append(args, script)...)
	if err != nil {
		return b, err
	}
	b.Job, _, _ = strings.Cut(strings.TrimSpace(out), ";")
	if err := s.putBatch(n, b); err != nil {
		return b, err
	}
	if len(x.Report) > 0 {
		_, err = command(ctx, "sbatch", "--parsable", "--job-name=macpro-report-"+s.ID, "--dependency=afterany:"+b.Job,
			"--output="+filepath.Join(dir, "report.log"), "--wrap="+quote(x.Report))
	}
	return b, err
}

// wait returns when no task of the job is queued or running.
func (x Slurm) wait(ctx context.Context, s *Sweep, job string) error {
	quiet := 0 // a job may be between two states for an instant
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(x.Every):
		}
		if s.Cancelled() {
			return ErrCancelled
		}
		if len(s.open()) == 0 {
			return nil
		}
		out, err := command(ctx, "squeue", "-h", "-r", "-j", job, "-o", "%i")
		if err == nil && strings.TrimSpace(out) != "" {
			quiet = 0
			continue
		}
		if quiet++; quiet >= 3 {
			return nil
		}
	}
}

// forgotten is what squeue says of a job that ended some minutes ago.
const forgotten = "Invalid job id specified"

// Confirm asks squeue for the sweep's tasks, and sacct for those that are gone
// from the queue.
func (x Slurm) Confirm(ctx context.Context, s *Sweep) ([]string, error) {
	jobs, err := s.jobs()
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	var lines []string
	out, err := command(ctx, "squeue", "-h", "-r", "-j", strings.Join(jobs, ","), "-o", "task %i: %T (%r)")
	if err != nil && !strings.Contains(err.Error(), forgotten) {
		return nil, err
	}
	lines = append(lines, splitLines([]byte(out))...)
	// Sites without accounting have no sacct to ask.
	if out, err := command(ctx, "sacct", "-X", "-n", "-P", "-j", strings.Join(jobs, ","), "-o", "JobID,State,ExitCode"); err == nil {
		for _, line := range splitLines([]byte(out)) {
			lines = append(lines, "accounting: "+strings.ReplaceAll(line, "|", " "))
		}
	}
	return lines, nil
}

// Cancel cancels the sweep's jobs.
func (x Slurm) Cancel(ctx context.Context, s *Sweep) error {
	jobs, err := s.jobs()
	if err != nil || len(jobs) == 0 {
		return err
	}
	_, err = command(ctx, "scancel", jobs...)
	return err
}

// Chunk is the cells of one task of a batch.
func (s *Sweep) Chunk(n, task int) ([]*Cell, error) {
	b, err := s.batch(n)
	if err != nil {
		return nil, err
	}
	if task < 0 || task >= len(b.Chunks) {
		return nil, fmt.Errorf("batch %d of sweep %s has tasks 0 to %d, not %d", n, s.ID, len(b.Chunks)-1, task)
	}
	var out []*Cell
	for _, c := range s.Cells {
		if slices.Contains(b.Chunks[task], c.ID) {
			out = append(out, c)
		}
	}
	return out, nil
}

// batches counts the submissions so far.
func (s *Sweep) batches() (int, error) {
	entries, err := s.FS.ReadDir(s.Path("slurm"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return len(entries), err
}

func (s *Sweep) batch(n int) (b batch, err error) {
	data, err := store.ReadFile(s.FS, s.Path("slurm", strconv.Itoa(n), "batch.json"))
	if err != nil {
		return b, err
	}
	return b, json.Unmarshal(data, &b)
}

func (s *Sweep) putBatch(n int, b batch) error {
	data, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		return err
	}
	return store.WriteFile(s.FS, s.Path("slurm", strconv.Itoa(n), "batch.json"), append(data, '\n'))
}

// jobs lists the ids of all submissions.
func (s *Sweep) jobs() ([]string, error) {
	n, err := s.batches()
	var out []string
	for i := range n {
		if b, err := s.batch(i); err == nil && b.Job != "" {
			out = append(out, b.Job)
		}
	}
	return out, err
}

// command runs a program of Slurm and returns what it printed; its complaint is
// part of the error.
func command(ctx context.Context, name string, args ...string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not on this machine: the slurm executor needs the commands of Slurm; everything else of the sweep is kept", name)
	}
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &complaint, environ()
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s refused (%v): %s", name, err, strings.TrimSpace(complaint.String()))
	}
	return out.String(), nil
}

// quote makes a line for the shell.
func quote(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(out, " ")
}

// mostRequeues bounds how often a task asks for another turn.
const mostRequeues = 100

// Requeue asks Slurm to run the task that this process is part of once more.
func Requeue(ctx context.Context) error {
	job := os.Getenv("SLURM_JOB_ID")
	if job == "" {
		return errors.New("the time is over, and this is no job of Slurm that could be queued again")
	}
	if n, err := strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")); err == nil && n >= mostRequeues {
		return fmt.Errorf("job %s was queued again %d times and is not once more; go on with macpro sweep resume", job, n)
	}
	_, err := command(ctx, "scontrol", "requeue", job)
	return err
}
