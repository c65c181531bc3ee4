package read

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"macpro/core/store"
)

// Add writes a summary file for every finished or diverged run of the set into a folder, so
// that the runs can be published from it. Summaries of other runs stay. Of two runs with
// the same configuration the newer one stays. Before anything is written, check sees what
// the folder would hold, unless it is nil. An error of it is returned, and the folder is as it was.
// Add says which files it wrote and about which runs it has notes.
func (set *Set) Add(fsys store.FS, dir string, check func(*Set) error) (written, notes []string, err error) {
	there, err := LoadSummaries(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		there, err = &Set{}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	done, notes := set.Finished()
	added, replaced, more := there.take(append(done, set.Diverged()...))
	notes = append(notes, more...)
	if check != nil {
		stay := slices.DeleteFunc(there.Runs, func(s *Summary) bool { return slices.Contains(replaced, s) })
		joined := &Set{Runs: slices.Concat(stay, added)}
		joined.fill()
		if err := check(joined); err != nil {
			return nil, notes, err
		}
	}
	for _, s := range added {
		if err := s.save(fsys, dir); err != nil {
			return written, notes, err
		}
		written = append(written, summaryFile(dir, s))
	}
	for _, s := range replaced {
		name := summaryFile(dir, s)
		if slices.Contains(written, name) {
			continue
		}
		if err := fsys.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return written, notes, err
		}
	}
	return written, notes, nil
}

// take says which of some runs come into the set and which of its own they replace, with notes.
func (set *Set) take(runs []*Summary) (added, replaced []*Summary, notes []string) {
	for _, s := range runs {
		same := func(old *Summary) bool {
			return old.ID != s.ID && old.ConfigHash == s.ConfigHash && old.EnvHash == s.EnvHash
		}
		newer := func(old *Summary) bool { return same(old) && old.Created.After(s.Created) }
		if i := slices.IndexFunc(set.Runs, newer); i >= 0 {
			notes = append(notes, fmt.Sprintf("run %s is already there. It has the configuration of %s, is newer and stays", set.Runs[i].ID, s.ID))
			continue
		}
		added = append(added, s)
		for _, old := range set.Runs {
			if same(old) {
				notes = append(notes, fmt.Sprintf("run %s has the configuration of %s and takes its place", s.ID, old.ID))
			}
			if same(old) || old.ID == s.ID {
				replaced = append(replaced, old)
			}
		}
	}
	return added, replaced, notes
}
