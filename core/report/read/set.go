package read

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"macpro/core/config"
	"macpro/core/record"
	"macpro/core/store"
)

// Set is a collection of runs to report on, by ascending id.
type Set struct {
	Runs []*Summary
	// Broken are the runs that were left out, because they cannot be read.
	Broken []Broken
	// Warnings name what was left out or skipped while reading.
	Warnings []string
}

// Broken is a run that cannot be read.
type Broken struct {
	*store.Record
	Err error
}

// Load summarises those runs of a results root and of the named folders that keep
// accepts; a nil keep accepts all. Foreign files, unreadable runs and damaged lines become warnings.
func Load(fsys store.FS, root string, keep func(*store.Record) bool, named ...string) (*Set, error) {
	records, warnings, err := store.List(fsys, root, named...)
	if err != nil {
		return nil, err
	}
	if keep != nil {
		records = slices.DeleteFunc(records, func(rec *store.Record) bool { return !keep(rec) })
	}
	set := &Set{Warnings: warnings}
	for i, l := range loadAll(records) {
		set.Warnings = append(set.Warnings, l.warnings...)
		if l.s != nil {
			set.Runs = append(set.Runs, l.s)
		} else {
			set.Broken = append(set.Broken, Broken{records[i], l.err})
		}
	}
	set.fill()
	return set, nil
}

// loaded is a run and what is to be said about it; s is nil if it is left out.
type loaded struct {
	s        *Summary
	err      error // why it is left out
	warnings []string
}

// loadAll reads runs, several at a time; their order stays.
func loadAll(records []*store.Record) []loaded {
	out := make([]loaded, len(records))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(records)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(records)); i = next.Add(1) - 1 {
				out[i] = load(records[i])
			}
		})
	}
	all.Wait()
	return out
}

func load(rec *store.Record) loaded {
	s, err := Summarize(rec)
	if err != nil {
		return loaded{nil, err, []string{err.Error() + "; the run is left out"}}
	}
	l := loaded{s: s}
	if err := s.readEvaluations(rec); err != nil {
		l.warnings = append(l.warnings, fmt.Sprintf("run %s: %v", s.ID, err))
	}
	l.warnings = append(l.warnings, s.notes...)
	for _, d := range s.Damaged {
		l.warnings = append(l.warnings, fmt.Sprintf("run %s: %s", s.ID, d))
	}
	return l
}

// LoadSummaries reads the summary files of a folder. Folders in it and documents
// are left alone; another JSON file is a warning.
func LoadSummaries(fsys store.FS, dir string) (*Set, error) {
	files, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%s is no folder of summaries, as \"macpro publish DIR --sweep ID\" makes them: %w", dir, err)
	}
	set := &Set{}
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		if f.Dir || filepath.Ext(f.Name) != ".json" {
			continue
		}
		data, err := store.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		s, err := ParseSummary(name, data)
		if err != nil {
			set.Warnings = append(set.Warnings, err.Error())
			continue
		}
		set.Runs = append(set.Runs, s)
	}
	set.fill()
	return set, nil
}

// Save writes one summary file a run into a folder, and removes those of runs
// that are not part of the set.
func (set *Set) Save(fsys store.FS, dir string) error {
	keep := map[string]bool{}
	for _, s := range set.Runs {
		keep[s.ID+".json"] = true
		if err := s.save(fsys, dir); err != nil {
			return err
		}
	}
	files, err := fsys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		if f.Dir || keep[f.Name] || filepath.Ext(f.Name) != ".json" {
			continue
		}
		data, err := store.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		if _, err := ParseSummary(name, data); err == nil {
			if err := fsys.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func summaryFile(dir string, s *Summary) string { return filepath.Join(dir, s.ID+".json") }

func (s *Summary) save(fsys store.FS, dir string) error {
	data, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return fmt.Errorf("the summary of run %s: %w", s.ID, err)
	}
	return store.WriteFile(fsys, summaryFile(dir, s), append(data, '\n'))
}

// Where keeps the runs whose settings have the given values, written as
// key=value and compared as config.SameValue does. A key that no run has, or a
// value that none has, is an error. A sequence is that of the summary, as in
// train-x2-shuffled, if some run has it, and else the key's value.
func (set *Set) Where(conditions []string) (*Set, error) {
	out := &Set{Runs: set.Runs, Broken: set.Broken, Warnings: set.Warnings}
	for _, c := range conditions {
		key, want, ok := strings.Cut(c, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("condition %q: want key=value, such as profile=reduced", c)
		}
		var kept []*Summary
		var values []string
		whole := key == "sequence" && slices.ContainsFunc(out.Runs, func(s *Summary) bool { return s.Sequence == want })
		for _, s := range out.Runs {
			v, has := s.Value(key)
			if whole { // as in train-x2, with how it is repeated and ordered
				v, has = s.Sequence, true
			}
			if !has {
				continue
			}
			if values = append(values, v); config.SameValue(v, want) {
				kept = append(kept, s)
			}
		}
		switch {
		case len(out.Runs) == 0:
		case values == nil:
			return nil, fmt.Errorf("condition %q: no run has a key %q", c, key)
		case kept == nil:
			return nil, fmt.Errorf("condition %q matches no run: %s is %s", c, key, several(values))
		}
		out.Runs = kept
	}
	return out, nil
}

// several lists different values, at most five.
func several(values []string) string {
	SortValues(values)
	values = slices.Compact(values)
	if len(values) > 5 {
		return strings.Join(values[:5], ", ") + ", ..."
	}
	return strings.Join(values, " or ")
}

// Finished splits the runs into those that are done, one for each configuration,
// and notes about the others.
func (set *Set) Finished() (done []*Summary, notes []string) {
	newest := map[string]*Summary{}
	for _, s := range set.Runs {
		if s.Status != record.Done {
			is, at := "is "+string(s.Status), fmt.Sprintf("at step %d of %d", s.TEnv, s.Total)
			if s.Status == record.Diverged || s.Status == record.Failed {
				is = "has " + string(s.Status)
			}
			if s.TEnv == 0 {
				at = "with no step on record" // it ended before a row of a later step
			}
			notes = append(notes, fmt.Sprintf("run %s %s %s and is left out", s.ID, is, at))
			continue
		}
		key := s.ConfigHash + s.EnvHash + s.Versions.Macpro
		old := newest[key]
		if old != nil {
			if !s.Created.After(old.Created) {
				s, old = old, s
			}
			notes = append(notes, fmt.Sprintf("run %s has the configuration of %s and is not counted twice", old.ID, s.ID))
		}
		newest[key] = s
	}
	for _, s := range newest {
		done = append(done, s)
	}
	slices.SortFunc(done, func(a, b *Summary) int { return strings.Compare(a.ID, b.ID) })
	return done, notes
}

// Diverged lists the runs whose numbers stopped being finite, by ascending id, one
// for each configuration. They have no scores, but their settings are part of what
// was tried.
func (set *Set) Diverged() []*Summary {
	var out []*Summary
	for _, s := range set.Runs {
		same := func(o *Summary) bool { return o.ConfigHash == s.ConfigHash && o.EnvHash == s.EnvHash }
		if s.Status == record.Diverged && !slices.ContainsFunc(out, same) {
			out = append(out, s)
		}
	}
	return out
}

// NoRunsError says that nothing could be made of a set of runs.
type NoRunsError struct {
	What  string
	Needs string // what the runs must have; "" is nothing in particular
	Notes []string
}

// Error says what was looked for and what was found instead.
func (e *NoRunsError) Error() string {
	msg := "no finished runs for " + e.What
	if e.Needs != "" {
		msg += ", which needs " + e.Needs
	}
	if len(e.Notes) > 0 {
		msg += ":\n  " + strings.Join(e.Notes, "\n  ")
	}
	return msg
}
