package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"macpro/core/names"
	"macpro/core/store"
)

// submitAll hands cells over in as few job arrays and as many tasks as the site
// takes.
func (x Slurm) submitAll(ctx context.Context, s *Sweep, cells []*Cell) error {
	most := x.limits(ctx)
	chunks := x.chunks(s, cells)
	if len(chunks) > most.tasks {
		was := len(chunks)
		chunks = merge(chunks, most.tasks)
		x.Log("the site takes %d more tasks of you (%s): %d tasks are packed into %d", most.tasks, most.reason, was, len(chunks))
	}
	arrays := slices.Collect(slices.Chunk(chunks, most.array))
	if len(arrays) > 1 {
		x.Log("the site takes arrays of up to %d tasks (MaxArraySize): %d tasks are split into %d arrays", most.array, len(chunks), len(arrays))
	}
	var jobs []string
	for _, part := range arrays {
		after := ""
		if x.Throttle > 0 && len(jobs) > 0 { // the arrays share the bound
			after = jobs[len(jobs)-1]
		}
		b, err := x.submit(ctx, s, part, after)
		if err != nil && len(jobs) > 0 {
			err = fmt.Errorf("%w; the job arrays before, %s, were submitted, and resume submits the others", err, strings.Join(jobs, ", "))
		}
		if err != nil {
			return err
		}
		n := 0
		for _, chunk := range part {
			n += len(chunk)
		}
		x.Log("submitted %s as job array %s with %s", names.Many(n, "cell"), b.Job, names.Many(len(part), "task"))
		jobs = append(jobs, b.Job)
	}
	x.submitReport(ctx, s, jobs)
	return nil
}

// merge joins neighbours until there are at most most tasks.
func merge(chunks [][]string, most int) (out [][]string) {
	for i := range most {
		from, to := i*len(chunks)/most, (i+1)*len(chunks)/most
		out = append(out, slices.Concat(chunks[from:to]...))
	}
	return out
}

// submit writes a batch and its script and hands them to sbatch. after, if not empty,
// is the job whose end it waits for.
func (x Slurm) submit(ctx context.Context, s *Sweep, chunks [][]string, after string) (batch, error) {
	n, err := s.batches()
	if err != nil {
		return batch{}, err
	}
	b := batch{Chunks: chunks, Environ: s.Environ}
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
	script := filepath.Join(dir, taskScript)
	work := append(slices.Clone(x.Command), "sweep", "work", s.ID, "--out", root, "--batch", strconv.Itoa(n))
	if s.Search.Adaptive() {
		work = append(work, "--jobs", strconv.Itoa(x.Jobs))
		if x.Pick == SkipFailed {
			work = append(work, "--skip-failed")
		}
	}
	text := "#!/bin/sh\nexec " + quote(work) + " --task \"$SLURM_ARRAY_TASK_ID\"\n"
	if err := store.WriteFile(s.FS, script, []byte(text)); err != nil {
		return b, err
	}
	array := fmt.Sprintf("--array=0-%d", len(b.Chunks)-1)
	if x.Throttle > 0 {
		array += "%" + strconv.Itoa(x.Throttle)
	}
	args := append([]string{"--parsable", "--job-name=" + jobName(s), array, "--requeue", "--open-mode=append",
		"--signal=B:USR1@120", "--output=" + filepath.Join(dir, "%a.log")}, x.Args...)
	if s.Search.Adaptive() {
		args = append([]string{"--cpus-per-task=" + strconv.Itoa(x.Jobs)}, args...)
	}
	if after != "" {
		args = append(args, "--dependency=afterany:"+after)
	}
	return b, x.sbatch(ctx, s, n, &b, append(args, script))
}

// sbatch hands a batch over and notes its job, or that it was refused. Where
// neither is known the batch says so, and queued asks squeue for it.
func (x Slurm) sbatch(ctx context.Context, s *Sweep, n int, b *batch, args []string) error {
	out, err := command(ctx, "sbatch", args...)
	switch {
	case err != nil && (ctx.Err() != nil || strings.Contains(err.Error(), "timed out")):
		return err // it may have been taken
	case err != nil:
		b.Refused = err.Error()
		return errors.Join(err, s.putBatch(n, *b))
	}
	job, _, _ := strings.Cut(strings.TrimSpace(out), ";")
	if _, err := strconv.ParseUint(job, 10, 64); err != nil {
		return fmt.Errorf("sbatch printed %q and no job number: whether the job array was taken is not known; look with squeue --name=%s", strings.TrimSpace(out), jobName(s))
	}
	b.Job = job
	return s.putBatch(n, *b)
}

// submitReport asks for the report at the end of all jobs. The cells do not need it,
// so that a refusal is a warning.
func (x Slurm) submitReport(ctx context.Context, s *Sweep, jobs []string) {
	if len(x.Report) == 0 {
		return
	}
	n, err := s.batches()
	dir, absErr := filepath.Abs(s.Path("slurm", strconv.Itoa(n-1)))
	if err = errors.Join(err, absErr); err != nil {
		x.warn("no job that writes the report was submitted: %v", err)
		return
	}
	args := append([]string{"--parsable", "--job-name=macpro-report-" + s.ID, "--output=" + filepath.Join(dir, "report.log")}, x.Args...)
	if _, err := command(ctx, "sbatch", append(args, "--dependency=afterany:"+strings.Join(jobs, ":"), "--wrap="+quote(x.Report))...); err != nil {
		x.warn("job array %s was submitted, but not the job that writes the report at its end: %v", strings.Join(jobs, ", "), err)
	}
}
