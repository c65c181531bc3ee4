package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"

	"macpro/core/metrics"
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
// record.Prefer. A warning names a file that is none. Until the next version it
// also reads those of earlier versions: rows in evaluations/*.jsonl, and
// ../../evals/RUN/*.json.
func (rec *Record) Evaluations() (list []record.Evaluation, warnings []string, err error) {
	old := filepath.Join(filepath.Dir(filepath.Dir(rec.Dir)), "evals", rec.Manifest.ID)
	for _, dir := range []string{filepath.Join(rec.Dir, "evaluations"), old} {
		files, err := rec.fsys.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		for _, f := range files {
			read := map[string]func(string) (record.Evaluation, error){".json": rec.evaluation, ".jsonl": rec.oldRows}[filepath.Ext(f.Name)]
			if f.Dir || read == nil {
				continue
			}
			name := filepath.Join(dir, f.Name)
			e, err := read(name)
			if err == nil && e.Run != rec.Manifest.ID {
				err = fmt.Errorf("it belongs to run %q", e.Run)
			}
			if err != nil {
				warnings = append(warnings, fmt.Sprintf("%s is no evaluation of run %s: %v", name, rec.Manifest.ID, err))
				continue
			}
			list = append(list, e)
		}
	}
	record.Prefer(list)
	return list, warnings, nil
}

func (rec *Record) evaluation(name string) (e record.Evaluation, err error) {
	data, err := readFile(rec.fsys, name)
	if err != nil {
		return e, err
	}
	return record.DecodeEvaluation(data)
}

// rowsName is the name of a file with the rows of an evaluation.
var rowsName = regexp.MustCompile(`^\d+-(.+)-[0-9a-f]+\.jsonl$`)

// oldRows reads an evaluation in the form of a journal.
func (rec *Record) oldRows(name string) (record.Evaluation, error) {
	e := record.Evaluation{Run: rec.Manifest.ID}
	if m := rowsName.FindStringSubmatch(filepath.Base(name)); m != nil {
		e.Name = m[1]
	}
	f, err := rec.fsys.Open(name)
	if err != nil {
		return e, err
	}
	defer f.Close()
	var played []record.Played
	for row, err := range ReadJournal(f) {
		if err != nil {
			return e, err
		}
		entry, err := record.Parse(row)
		if err != nil {
			return e, err
		}
		switch r := entry.(type) {
		case record.Free:
			e.TEnv = r.TEnv
			e.Checkpoint, _ = r.Fields["checkpoint"].(string)
			sets, _ := r.Fields["sets"].([]any)
			for _, s := range sets {
				e.Sets = append(e.Sets, fmt.Sprint(s))
			}
		case record.TestEpisode:
			played = append(played, r.Played)
		case record.Test:
			e.Tests = append(e.Tests, record.EvaluationTest{
				Task: r.Task, Index: &r.Index, Mode: r.Mode, Seen: r.Seen, Episodes: r.Episodes,
				Score: metrics.Number(r.Score), TestStats: &r.TestStats, Rows: played,
			})
			played = nil
		}
	}
	return e, nil
}
