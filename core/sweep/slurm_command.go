package sweep

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// command runs a program of Slurm and returns what it printed; its complaint is
// part of the error.
func command(ctx context.Context, name string, args ...string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", &missingError{name}
	}
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &complaint, Environ(nil)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s refused (%v): %s", name, err, strings.TrimSpace(complaint.String()))
	}
	return out.String(), nil
}

// missingError says that a command of Slurm is not there, which asking again does
// not change.
type missingError struct{ name string }

func (e *missingError) Error() string {
	return e.name + " is not on this machine: the slurm executor needs the commands of Slurm; everything else of the sweep is kept"
}

// forgotten is what squeue says of a job that ended some minutes ago.
const forgotten = "Invalid job id specified"

// squeue lists tasks that are queued or running, one a line. An error says that
// this is not known, never that there are none.
func squeue(ctx context.Context, args ...string) ([]string, error) {
	out, err := command(ctx, "squeue", append([]string{"-h", "-r"}, args...)...)
	if err != nil && strings.Contains(err.Error(), forgotten) {
		return nil, nil
	}
	return splitLines(out), err
}

func quote(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(out, " ")
}

// mostRequeues bounds how often a task asks for another turn.
const mostRequeues = 100

// Requeue asks Slurm to run the task of the sweep that this process is part of once
// more. An error that this cannot be names the command that goes on.
func (s *Sweep) Requeue(ctx context.Context) error {
	job := os.Getenv("SLURM_JOB_ID")
	if job == "" {
		return fmt.Errorf("the time is over, and this is no job of Slurm that could be queued again; go on with: %s", ResumeCommand(s.ID, s.Root))
	}
	if n, err := strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")); err == nil && n >= mostRequeues {
		return fmt.Errorf("job %s was queued again %d times and is not once more; go on with: %s", job, n, ResumeCommand(s.ID, s.Root))
	}
	_, err := command(ctx, "scontrol", "requeue", job)
	return err
}
