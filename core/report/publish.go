package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"macpro/core/report/alike"
	"macpro/core/report/draw"
	"macpro/core/report/format"
	"macpro/core/report/read"
	"macpro/core/report/tables"
	"macpro/core/store"
)

// formats of what is published.
var (
	publishedTables  = []string{"md", "csv", "tex"}
	publishedFigures = draw.Formats()
)

// Published says what became of the tables and figures of a folder.
type Published struct {
	Written []string // files
	Nothing []string // kinds that no finished run belongs to
	// Grids are kinds that would average over the settings of a grid, whose
	// configurations have a table and a figure of their own.
	Grids []string
	// Refused holds a message for every kind whose runs must not be mixed.
	Refused []string
}

// Publish writes every table and figure that a set of runs gives below a folder:
// tables/<kind>.md, .csv and .tex, figures/<kind>.png, .svg and .pdf. It removes those of
// kinds that the set gives no longer, unless a kind was refused. The same set gives
// the same bytes.
func Publish(fsys store.FS, dir string, set *read.Set, o tables.Options) (Published, error) {
	var p Published
	write := func(name string, data []byte) error { return store.WriteFile(fsys, name, data) }
	for _, kind := range o.Library.Kinds() {
		made, err := tables.Build(kind, set, o)
		if err == nil {
			for _, ext := range publishedTables {
				var b bytes.Buffer
				if err := format.Write(&b, ext, made); err != nil {
					return p, err
				}
				if err := p.write(fsys, filepath.Join(dir, "tables", kind+"."+ext), b.Bytes()); err != nil {
					return p, err
				}
			}
		} else if err = p.without("table "+kind, err); err != nil {
			return p, err
		}
	}
	for _, kind := range o.Library.FigureKinds() {
		figures, err := tables.Draw(kind, set, o)
		if err == nil {
			for _, ext := range publishedFigures {
				written, err := draw.Save(write, filepath.Join(dir, "figures", kind+"."+ext), figures)
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
		p.clean(fsys, filepath.Join(dir, "tables"), o.Library.Kinds(), publishedTables),
		p.clean(fsys, filepath.Join(dir, "figures"), o.Library.FigureKinds(), publishedFigures))
}

// Check says why a set of runs cannot be published, before anything is written: a message for
// every kind whose runs must not be mixed.
func Check(set *read.Set, o tables.Options) ([]string, error) {
	var p Published
	for _, kind := range o.Library.Kinds() {
		if _, err := tables.Build(kind, set, o); err != nil {
			if err := p.without("table "+kind, err); err != nil {
				return nil, err
			}
		}
	}
	for _, kind := range o.Library.FigureKinds() {
		if _, err := tables.Draw(kind, set, o); err != nil {
			if err := p.without("figure "+kind, err); err != nil {
				return nil, err
			}
		}
	}
	return p.Refused, nil
}

func (p *Published) write(fsys store.FS, name string, data []byte) error {
	p.Written = append(p.Written, name)
	return store.WriteFile(fsys, name, data)
}

// without notes why there is no such table or figure; other errors come back.
func (p *Published) without(what string, err error) error {
	var none *read.NoRunsError
	var unlike *alike.Error
	switch {
	case errors.As(err, &none):
		p.Nothing = append(p.Nothing, what)
	case errors.As(err, &unlike) && unlike.Grid:
		p.Grids = append(p.Grids, what)
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
