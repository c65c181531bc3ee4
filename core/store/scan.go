package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strconv"

	"macpro/core/record"
)

// Scan reads the journal of a run and compares it with what the run recorded
// about it.
type Scan struct {
	rec   *Record
	want  mark // no rows: the run recorded nothing yet
	whole bool // want is of the whole journal, not of its beginning
	at    position
	bad   error
	done  bool // everything was read once
}

// Scan prepares one reading of the journal.
func (rec *Record) Scan() *Scan {
	s := &Scan{rec: rec, at: newPosition()}
	if m := rec.Manifest.Journal; m != nil && rec.Status == record.Done {
		s.want, s.whole = mark{m.Rows, m.SHA256}, true
		return s
	}
	s.want = rec.newestMark()
	return s
}

// newestMark is the position in the journal of the newest checkpoint.
func (rec *Record) newestMark() mark {
	x, _ := rec.newestIndex() // without checkpoints there is no mark
	return x.mark
}

// newestIndex reads the index of the newest checkpoint whose index can be read. It
// is protected by a checksum of its own.
func (rec *Record) newestIndex() (x index, ok bool) {
	names, err := checkpointDirs(rec.fsys, rec.Dir)
	if err != nil {
		return index{}, false
	}
	for _, name := range slices.Backward(names) {
		data, err := ReadFile(rec.fsys, filepath.Join(rec.Dir, "checkpoints", name, indexName))
		if err != nil {
			continue
		}
		if x, err := parseIndex(data); err == nil {
			return x, true
		}
	}
	return index{}, false
}

// Sizes are the bytes of the parts of the newest checkpoint, by name; nil without
// checkpoints. The parts themselves are not read.
func (rec *Record) Sizes() map[string]int64 {
	x, ok := rec.newestIndex()
	if !ok {
		return nil
	}
	sizes := map[string]int64{}
	for _, p := range x.Parts {
		sizes[p.Name] = p.Size
	}
	return sizes
}

// Rows yields the rows as ReadJournal does, but decodes only those that want
// accepts by kind and t_env. Nil accepts all. Lines that are passed over are
// hashed as well. The journal may be read again. For Check the first time counts.
func (s *Scan) Rows(want func(kind string, tEnv int64) bool) iter.Seq2[record.Row, error] {
	return func(yield func(record.Row, error) bool) {
		f, err := s.rec.open()
		if errors.Is(err, fs.ErrNotExist) {
			s.bad = fmt.Errorf("%s is missing", journalName)
			return
		}
		if err != nil {
			yield(record.Row{}, err)
			return
		}
		defer f.Close()
		lines := newLineReader(f)
		for line, err := range lines.all() {
			if err != nil {
				yield(record.Row{}, err)
				return
			}
			s.count(line)
			if kind, t, ok := head(line); ok && want != nil && !lines.long && !want(kind, t) {
				continue
			}
			if !yield(lines.parse(line)) {
				return
			}
		}
		s.done = true
	}
}

// count adds a line and compares at the mark.
func (s *Scan) count(line []byte) {
	if s.done || !s.whole && s.at.rows == s.want.Rows {
		return
	}
	s.at.count(withoutWall(line))
	if s.at.rows == s.want.Rows && s.at.mark() != s.want {
		s.bad = fmt.Errorf("the first %d rows of %s are not those that the run wrote", s.at.rows, journalName)
	}
}

// Check says, after Rows, where the journal differs from what was recorded; nil
// means nowhere. A run that goes on may have more rows than were recorded.
func (s *Scan) Check() error {
	switch {
	case s.bad != nil:
		return s.bad
	case s.at.rows < s.want.Rows:
		return fmt.Errorf("%s has %d rows, the run wrote %d", journalName, s.at.rows, s.want.Rows)
	case s.whole && s.at.rows > s.want.Rows:
		return fmt.Errorf("%s has %d rows, the run wrote only %d", journalName, s.at.rows, s.want.Rows)
	}
	return nil
}

// head reads kind and t_env of a line as runs write it, without decoding the
// rest; false for a line of another form.
func head(line []byte) (kind string, tEnv int64, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"event":"`))
	if !ok {
		return "", 0, false
	}
	name, rest, ok := bytes.Cut(rest, []byte(`","t_env":`))
	if !ok || bytes.ContainsAny(name, `"\`) {
		return "", 0, false
	}
	number, _, ok := bytes.Cut(rest, []byte(","))
	if !ok {
		return "", 0, false
	}
	tEnv, err := strconv.ParseInt(string(number), 10, 64)
	return string(name), tEnv, err == nil
}
