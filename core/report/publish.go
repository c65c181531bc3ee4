package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"macpro/core/store"
)

// formats of what is published.
var (
	publishedTables  = []string{"md", "csv", "tex"}
	publishedFigures = []string{"svg", "png"}
)

// Published says what became of the tables and figures of a folder.
type Published struct {
	Written []string // files
	Nothing []string // kinds that no finished run belongs to
	// Refused holds a message for every kind whose runs must not be mixed.
	Refused []string
}

// Publish writes every table and figure that a set of runs gives below a folder,
// as tables/<kind>.md, .csv and .tex and figures/<kind>.svg and .png, and, unless
// a kind was refused, removes those of kinds that it gives no longer. The same set gives the same bytes.
func Publish(fsys store.FS, dir string, set *Set, o Options) (Published, error) {
	var p Published
	write := func(name string, data []byte) error { return store.WriteFile(fsys, name, data) }
	for _, kind := range TableKinds() {
		tables, err := Build(kind, set, o)
		if err == nil {
			for _, format := range publishedTables {
				var b bytes.Buffer
				if err := Write(&b, format, tables); err != nil {
					return p, err
				}
				if err := p.write(fsys, filepath.Join(dir, "tables", kind+"."+format), b.Bytes()); err != nil {
					return p, err
				}
			}
		} else if err = p.without("table "+kind, err); err != nil {
			return p, err
		}
	}
	for _, kind := range FigureKinds() {
		figures, err := Draw(kind, set, o)
		if err == nil {
			for _, format := range publishedFigures {
				written, err := SaveFigures(write, filepath.Join(dir, "figures", kind+"."+format), figures)
				p.Written = append(p.Written, written...)
				if err != nil {
					return p, err
				}
			}
		} else if err = p.without("figure "+kind, err); err != nil {
			return p, err
		}
	}
	if len(p.Refused) > 0 {
		return p, nil
	}
	return p, errors.Join(
		p.clean(fsys, filepath.Join(dir, "tables"), TableKinds(), publishedTables),
		p.clean(fsys, filepath.Join(dir, "figures"), FigureKinds(), publishedFigures))
}

func (p *Published) write(fsys store.FS, name string, data []byte) error {
	p.Written = append(p.Written, name)
	return store.WriteFile(fsys, name, data)
}

// without notes why there is no such table or figure; other errors come back.
func (p *Published) without(what string, err error) error {
	var none *NoRunsError
	var unlike *UnlikeError
	switch {
	case errors.As(err, &none):
		p.Nothing = append(p.Nothing, what)
	case errors.As(err, &unlike):
		p.Refused = append(p.Refused, fmt.Sprintf("%s: %v", what, err))
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// clean removes files that an earlier call wrote and this one did not; other
// files stay.
func (p *Published) clean(fsys store.FS, dir string, kinds, formats []string) error {
	files, err := fsys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range files {
		m := ofKind.FindStringSubmatch(f.Name)
		name := filepath.Join(dir, f.Name)
		if f.Dir || m == nil || !slices.Contains(kinds, m[1]) || !slices.Contains(formats, m[2]) || slices.Contains(p.Written, name) {
			continue
		}
		if err := fsys.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// ofKind matches the names that Publish gives, the kind and the format.
var ofKind = regexp.MustCompile(`^([a-z_]+)(?:-[0-9]+)?\.([a-z]+)$`)

// Add writes a summary file for every finished run of the set into a folder, so
// that the runs can be published from it. Summaries of other runs stay; one of a
// run that has the same configuration as a run of the set is replaced. It says
// which files it wrote and about which runs it has notes.
func (set *Set) Add(fsys store.FS, dir string) (written, notes []string, err error) {
	done, notes := set.finished()
	there, err := LoadSummaries(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		there, err = &Set{}, nil
	}
	if err != nil {
		return nil, notes, err
	}
	for _, s := range done {
		for _, old := range there.Runs {
			if old.ID != s.ID && old.ConfigHash == s.ConfigHash && old.EnvHash == s.EnvHash {
				notes = append(notes, fmt.Sprintf("run %s has the configuration of %s and takes its place", s.ID, old.ID))
				if err := fsys.Remove(summaryFile(dir, old)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return written, notes, err
				}
			}
		}
		if err := s.save(fsys, dir); err != nil {
			return written, notes, err
		}
		written = append(written, summaryFile(dir, s))
	}
	return written, notes, nil
}
