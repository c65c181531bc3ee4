package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"macpro/core/record"
)

// SaveEvaluation writes an evaluation to evaluations/ in the run's folder and
// returns the file's path. It takes no lock: the same evaluation is replaced in one
// step, and the run may be going on.
func (rec *Record) SaveEvaluation(e *record.Evaluation) (string, error) {
	path := filepath.Join(rec.Dir, "evaluations", e.File())
	data, err := e.Encode()
	if err != nil {
		return path, fmt.Errorf("%s: %w", path, err)
	}
	return path, WriteFile(rec.fsys, path, data)
}

// Evaluations reads all evaluations of the run, those that count first, see
// record.Prefer. A warning names a file that is none.
func (rec *Record) Evaluations() (list []record.Evaluation, warnings []string, err error) {
	dir := filepath.Join(rec.Dir, "evaluations")
	files, err := rec.fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		if f.Dir || filepath.Ext(f.Name) != ".json" {
			continue
		}
		name := filepath.Join(dir, f.Name)
		e, err := rec.evaluation(name)
		if err == nil && e.Run != rec.Manifest.ID {
			err = fmt.Errorf("it belongs to run %q", e.Run)
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s is no evaluation of run %s: %v", name, rec.Manifest.ID, err))
			continue
		}
		list = append(list, e)
	}
	record.Prefer(list)
	return list, warnings, nil
}

func (rec *Record) evaluation(name string) (e record.Evaluation, err error) {
	data, err := ReadFile(rec.fsys, name)
	if err != nil {
		return e, err
	}
	return record.DecodeEvaluation(data)
}
