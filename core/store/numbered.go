package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
)

// SacredFolder is a folder of runs in the layout of Sacred's FileStorageObserver:
// each run has a subfolder with a number for its name.
type SacredFolder struct {
	fsys    FS
	dir     string
	last    int
	numbers map[string]int // by id
}

// OpenSacred reads which runs a folder holds already. It need not exist.
func OpenSacred(fsys FS, dir string) (*SacredFolder, error) {
	f := &SacredFolder{fsys, dir, 0, map[string]int{}}
	entries, err := fsys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name)
		if err != nil || n < 1 {
			continue
		}
		f.last = max(f.last, n)
		data, err := ReadFile(fsys, filepath.Join(dir, e.Name, "run.json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // cut short, or another program's
		}
		if err != nil {
			return nil, err
		}
		var run struct{ Experiment struct{ Name string } }
		if json.Unmarshal(data, &run) == nil && run.Experiment.Name != "" {
			f.numbers[run.Experiment.Name] = n
		}
	}
	return f, nil
}

// Add writes the view of a run, made from its journal, and returns its folder. A
// run that is there keeps its number and is written again; another one gets the
// next number. Damaged rows of the journal are left out.
func (f *SacredFolder) Add(rec *Record) (dir string, err error) {
	m := rec.Manifest
	config, err := rec.Config()
	if err != nil {
		return "", err
	}
	number, err := f.number(m.ID)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(f.dir, strconv.Itoa(number))
	s, err := newSacred(f.fsys, dir, number, &m, config)
	if err != nil {
		return dir, err
	}
	v, wall := viewsOf(nil, s), 0.0
	for row, err := range rec.Journal() {
		if _, bad := errors.AsType[*LineError](err); bad {
			continue
		}
		if err != nil {
			return dir, err
		}
		wall = row.Wall
		v.add(&row.Event, wall)
	}
	if err := f.log(rec, dir); err != nil {
		return dir, err
	}
	return dir, v.sacred.write(rec.Status, wall)
}

// number finds or claims the number of a run. Another process may claim one at the
// same time.
func (f *SacredFolder) number(id string) (int, error) {
	if n, ok := f.numbers[id]; ok {
		return n, nil
	}
	if err := f.fsys.MkdirAll(f.dir); err != nil {
		return 0, err
	}
	for {
		f.last++
		err := f.fsys.Mkdir(filepath.Join(f.dir, strconv.Itoa(f.last)))
		if err == nil {
			f.numbers[id] = f.last
			return f.last, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return 0, err
		}
	}
}

// log copies what the run printed.
func (f *SacredFolder) log(rec *Record, dir string) error {
	data, err := ReadFile(rec.fsys, filepath.Join(rec.Dir, "log.txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return replace(f.fsys, filepath.Join(dir, "cout.txt"), data)
}
