package store

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// maxName bounds the name of a run, so that it fits into lists.
const maxName = 60

// NameError refuses the name of a new run.
type NameError struct{ Text string }

func (e *NameError) Error() string { return e.Text }

// freeName makes sure that a new run may have a name: it can be typed, and no
// other run of the results answers to it. "" is always free.
func freeName(fsys FS, root, name string) error {
	if name == "" {
		return nil
	}
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) || strings.ContainsAny(name[:1], ".-") || len(name) > maxName {
		return &NameError{fmt.Sprintf("the name %q: want up to %d letters from a to z, digits, '_', '.' and '-', not '.' or '-' first", name, maxName)}
	}
	runs, _, err := scan(fsys, root)
	if err != nil {
		return err
	}
	for _, rec := range runs {
		if m := rec.Manifest; m.Name == name || m.ID == name || filepath.Base(rec.Dir) == name {
			return &NameError{fmt.Sprintf("the name %q is taken by run %s in %s: choose another one, or delete that run", name, m.ID, rec.Dir)}
		}
	}
	return nil
}

// Named loads the run of a name from a results root. None is fs.ErrNotExist;
// several, such as after folders were merged, are an error that lists their ids.
func Named(fsys FS, root, name string) (*Record, error) {
	runs, _, err := scan(fsys, root)
	if err != nil {
		return nil, err
	}
	var found []*Record
	var ids []string
	for _, rec := range runs {
		if name != "" && rec.Manifest.Name == name {
			found, ids = append(found, rec), append(ids, rec.Manifest.ID)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no run named %s in %s: %w", name, runsDir(root), fs.ErrNotExist)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%d runs are named %s: say which by its id: %s", len(found), name, strings.Join(ids, ", "))
}
