package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"macpro/core/report"
	"macpro/core/store"
)

// evaluationRecord is the file of an evaluation: what the reports read, and what
// was asked for, by which a later sweep knows whether it is what it wants. The
// episodes of a test and its seeds follow from the run and Evaluation.Sets.
type evaluationRecord struct {
	report.Evaluation
	Asked *request `json:"asked,omitempty"`
}

// request is what an evaluation was asked for and how much came of it.
type request struct {
	Tasks    string `json:"tasks"`
	Modes    string `json:"modes"`
	Tests    int    `json:"tests"`
	Episodes int    `json:"episodes"` // of all tests
}

// requestOf describes an evaluation with these results.
func requestOf(e Evaluate, tests []report.EvaluationTest) request {
	r := request{Tasks: e.Tasks, Modes: e.Modes, Tests: len(tests)}
	for _, t := range tests {
		r.Episodes += t.Episodes
	}
	return r
}

// keep stores what an evaluation of a run printed.
func (s *Sweep) keep(run string, e Evaluate, printed []byte) error {
	v := evaluationRecord{Evaluation: report.Evaluation{Run: run, Name: e.Name, Sets: e.Sets}}
	err := json.Unmarshal(printed, &v.Evaluation)
	if err == nil && len(v.Tests) == 0 {
		err = errors.New("it has no tests")
	}
	if err != nil {
		return fmt.Errorf("evaluation %s: its result cannot be read: %w", e.Name, err)
	}
	asked := requestOf(e, v.Tests)
	v.Asked = &asked
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return store.WriteFile(s.FS, report.EvaluationFile(s.Root, run, e.File()), append(data, '\n'))
}

// evaluated says whether a run has an evaluation in full, made as e asks for it.
func (s *Sweep) evaluated(run string, e Evaluate) bool {
	data, err := store.ReadFile(s.FS, report.EvaluationFile(s.Root, run, e.File()))
	var v evaluationRecord
	if err != nil || json.Unmarshal(data, &v) != nil || v.Asked == nil {
		return false
	}
	return v.Run == run && v.Name == e.Name && slices.Equal(v.Sets, e.Sets) &&
		len(v.Tests) > 0 && *v.Asked == requestOf(e, v.Tests)
}

// allEvaluated says whether a run has all evaluations of the sweep.
func (s *Sweep) allEvaluated(run string) bool {
	return !slices.ContainsFunc(s.Evaluate, func(e Evaluate) bool { return !s.evaluated(run, e) })
}
