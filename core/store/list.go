package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// List loads the runs in the named folders and all runs of a results root, by
// ascending id. A run is known by the id in its manifest, whatever its folder is
// called and wherever a link to it leads. One that is there several times is taken
// once: from the first named folder, else from the folder that is called like it.
// What is no run, such as a foreign file or a damaged manifest, and copies in the
// root are left out and named in a warning. A root without runs has none.
func List(fsys FS, root string, named ...string) (runs []*Record, warnings []string, err error) {
	byID := map[string]*Record{}
	for _, dir := range named {
		rec, err := Load(fsys, dir)
		if err != nil {
			return nil, warnings, err
		}
		if byID[rec.Manifest.ID] == nil {
			byID[rec.Manifest.ID] = rec
		}
	}
	found, warnings, err := scan(fsys, root)
	if err != nil {
		return nil, nil, err
	}
	for _, rec := range found {
		if byID[rec.Manifest.ID] == nil {
			byID[rec.Manifest.ID] = rec
		}
	}
	for _, rec := range byID {
		runs = append(runs, rec)
		if rec.Doubt != nil {
			warnings = append(warnings, rec.Doubt.Error())
		}
	}
	slices.SortFunc(runs, func(a, b *Record) int { return strings.Compare(a.Manifest.ID, b.Manifest.ID) })
	slices.Sort(warnings)
	return runs, warnings, nil
}

// beingMade says whether a process holds a folder that is no run yet.
func beingMade(fsys FS, dir string) bool {
	held, err := fsys.Locked(filepath.Join(dir, "lock"))
	return held && err == nil
}

func scan(fsys FS, root string) (runs []*Record, warnings []string, err error) {
	entries, err := fsys.ReadDir(runsDir(root))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		dir := filepath.Join(runsDir(root), e.Name)
		rec, err := Load(fsys, dir)
		switch {
		case err == nil:
			runs = append(runs, rec)
		case !e.Dir: // a file, or a link to nothing
			warnings = append(warnings, fmt.Sprintf("%s is not a run's folder", dir))
		case errors.Is(err, fs.ErrNotExist) && beingMade(fsys, dir): // its manifest comes last
		case errors.Is(err, fs.ErrNotExist):
			warnings = append(warnings, fmt.Sprintf("%s is not a run: it has no manifest.json", dir))
		default:
			warnings = append(warnings, err.Error())
		}
	}
	slices.SortStableFunc(runs, func(a, b *Record) int { return rank(a) - rank(b) })
	first := map[string]*Record{}
	runs = slices.DeleteFunc(runs, func(rec *Record) bool {
		id := rec.Manifest.ID
		if first[id] == nil {
			first[id] = rec
			return false
		}
		warnings = append(warnings, fmt.Sprintf("%s is a copy of run %s, which is read from %s", rec.Dir, id, first[id].Dir))
		return true
	})
	return runs, warnings, nil
}

// rank prefers a folder that is called like its run.
func rank(rec *Record) int {
	if filepath.Base(rec.Dir) == rec.Manifest.ID {
		return 0
	}
	return 1
}

// Find loads the run of an id from a results root. None is fs.ErrNotExist.
func Find(fsys FS, root, id string) (*Record, error) {
	if rec, err := Load(fsys, filepath.Join(runsDir(root), id)); err == nil && rec.Manifest.ID == id {
		return rec, nil
	}
	runs, _, err := scan(fsys, root)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(runs, func(rec *Record) bool { return rec.Manifest.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("no run %s in %s: %w", id, runsDir(root), fs.ErrNotExist)
	}
	return runs[i], nil
}
