package sweep

import (
	"slices"

	"macpro/core/record"
	"macpro/core/store"
)

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
