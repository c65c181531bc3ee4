package store

import (
	"path/filepath"

	"macpro/core"
)

// SaveEvaluation writes rows about tests of the run's networks to
// evaluations/<name>.jsonl in its folder, in the form of the journal, and
// returns the file's path. It takes no lock: a file of that name is replaced in
// one step, and the run may be going on.
func (rec *Record) SaveEvaluation(name string, rows []core.Event) (string, error) {
	var data, row []byte
	var keys []string
	for i := range rows {
		var err error
		if row, keys, err = appendRow(row[:0], &rows[i], keys); err != nil {
			return "", err
		}
		data = append(append(data, row...), '}', '\n')
	}
	path := filepath.Join(rec.Dir, "evaluations", name+".jsonl")
	return path, WriteFile(rec.fsys, path, data)
}
