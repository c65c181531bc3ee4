package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"macpro/core/store"
)

// Label names the evaluation for people.
func (e Evaluate) Label() string { return strings.Join(append([]string{e.Name}, e.Sets...), "-") }

// evaluate makes the evaluations that a finished cell still lacks.
func (w *Worker) evaluate(ctx context.Context, c *Cell, st State) State {
	for _, e := range w.Sweep.missing(st.Run, w.Sweep.Evaluate) {
		if err := w.evaluateOne(ctx, c, st.Run, e); err != nil {
			st.Status, st.Error = Failed, err.Error()
			if ctx.Err() != nil {
				st.Status, st.Error = Interrupted, context.Cause(ctx).Error()
			}
			st.Tail = lastLines(w.Sweep, c)
			return st
		}
	}
	return st
}

func (w *Worker) evaluateOne(ctx context.Context, c *Cell, id string, e Evaluate) error {
	log, err := w.Sweep.FS.Append(w.Sweep.cellPath(c, "log.txt"))
	if err != nil {
		return err
	}
	rec, err := store.Find(w.Sweep.FS, w.Sweep.Root, id)
	if err != nil {
		return err
	}
	argv := append(append([]string{}, w.Command...), "eval", rec.Dir, "--quiet", "--name", e.Name)
	if e.Tasks != "" {
		argv = append(argv, "--tasks", e.Tasks)
	}
	if e.Modes != "" {
		argv = append(argv, "--modes", e.Modes)
	}
	for _, set := range e.Sets {
		argv = append(argv, "--set", set)
	}
	x := run(ctx, Environ(w.Sweep.Environ), argv, log, log, nil)
	if err := log.Close(); err != nil {
		return err
	}
	if x.err != nil || x.signal != 0 || x.code != 0 {
		return fmt.Errorf("evaluation %s: %v", e.Name, x)
	}
	if !w.Sweep.evaluated(id, e) {
		return fmt.Errorf("evaluation %s: it is not in the run's folder, see the log", e.Name)
	}
	return nil
}

// splitLines cuts a text into its lines without empty ones.
func splitLines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}
