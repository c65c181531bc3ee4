package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"macpro/core/metrics"
	"macpro/core/store"
)

// Evaluation is a test of a finished run's networks apart from its training: on
// tasks that were never trained, or with other settings of the test.
type Evaluation struct {
	Run  string   `json:"run"`
	Name string   `json:"name"`
	Sets []string `json:"sets,omitempty"` // key=value, as given to the test
	// TEnv is the step of the checkpoint, Checkpoint the digest of its parts.
	TEnv       int64            `json:"t_env"`
	Checkpoint string           `json:"checkpoint"`
	Tests      []EvaluationTest `json:"tests"`
}

// EvaluationTest is one task in one mode.
type EvaluationTest struct {
	Task     string         `json:"task"`
	Mode     string         `json:"mode"`
	Seen     bool           `json:"seen"`
	Episodes int            `json:"episodes"`
	Score    metrics.Number `json:"score"`
}

// evaluationsDir is the folder of a run's evaluations below the results.
func evaluationsDir(root, run string) string { return filepath.Join(root, "evals", run) }

// EvaluationFile is the place of an evaluation below the results.
func EvaluationFile(root, run, name string) string {
	return filepath.Join(evaluationsDir(root, run), name+".json")
}

// readEvaluations reads the evaluations of a run; none is no error.
func readEvaluations(fsys store.FS, root, run string) ([]Evaluation, error) {
	files, err := fsys.ReadDir(evaluationsDir(root, run))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Evaluation
	for _, f := range files {
		if f.Dir || filepath.Ext(f.Name) != ".json" {
			continue
		}
		name := filepath.Join(evaluationsDir(root, run), f.Name)
		data, err := store.ReadFile(fsys, name)
		if err != nil {
			return out, err
		}
		var e Evaluation
		if err := json.Unmarshal(data, &e); err != nil {
			return out, fmt.Errorf("%s is damaged: %w", name, err)
		}
		out = append(out, e)
	}
	return out, nil
}
