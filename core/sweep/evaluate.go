package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"macpro/core/record"
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

// evaluated says whether a finished run has an evaluation in full, made as e asks
// for it.
func (s *Sweep) evaluated(run string, e Evaluate) bool {
	return len(s.missing(run, []Evaluate{e})) == 0
}

// allEvaluated says whether a run has all evaluations of the sweep.
func (s *Sweep) allEvaluated(run string) bool { return len(s.missing(run, s.Evaluate)) == 0 }

// missing lists those of the evaluations that a run lacks. One that is damaged, of
// an earlier step or made in another way does not count.
func (s *Sweep) missing(run string, wanted []Evaluate) []Evaluate {
	if len(wanted) == 0 {
		return nil
	}
	rec, err := store.Find(s.FS, s.Root, run)
	if err != nil {
		return wanted
	}
	final, err := rec.Final()
	if err != nil || final == nil {
		return wanted
	}
	have, _, err := rec.Evaluations()
	if err != nil {
		return wanted
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(e Evaluate) bool {
		return slices.ContainsFunc(have, func(v record.Evaluation) bool {
			return v.TEnv >= final.TrainEnvSteps && v.Whole(run, e.Name, e.Sets, record.Asked{Tasks: e.Tasks, Modes: e.Modes})
		})
	})
}
