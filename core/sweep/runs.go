package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"macpro/core/record"
	"macpro/core/store"
)

// Runs finds recorded runs by configuration. It reads a folder once and looks
// again only at runs that were not finished.
type Runs struct {
	fsys store.FS
	root string

	mu       sync.Mutex
	finished map[string]*store.Record // finished, by folder: they do not change
	unfit    map[string]bool          // folders of runs that cannot be evaluated
}

// NewRuns looks at the runs of a results root.
func NewRuns(fsys store.FS, root string) *Runs {
	return &Runs{fsys: fsys, root: root, finished: map[string]*store.Record{}, unfit: map[string]bool{}}
}

func (r *Runs) list() []*store.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	entries, err := r.fsys.ReadDir(filepath.Join(r.root, "runs"))
	if err != nil {
		return nil // there are none yet
	}
	var out []*store.Record
	for _, e := range entries {
		if r.unfit[filepath.Join(r.root, "runs", e.Name)] {
			continue
		}
		rec := r.finished[e.Name]
		if rec == nil {
			// A folder without a manifest is being made, or is no run at all.
			if rec, err = store.Load(r.fsys, filepath.Join(r.root, "runs", e.Name)); err != nil {
				continue
			}
			if rec.Status == record.Done {
				r.finished[e.Name] = rec
			}
		}
		out = append(out, rec)
	}
	return out
}

// look lists all runs by configuration, as they are now.
func (r *Runs) look() looked {
	out := looked{}
	for _, rec := range r.list() {
		out[rec.Manifest.ConfigHash] = append(out[rec.Manifest.ConfigHash], rec)
	}
	return out
}

type looked map[string][]*store.Record

// find returns the best run of a cell's configuration: a finished one, else the
// one that was trained last; nil if there is none. Runs that lack a part are no
// more of use.
func (l looked) find(c *Cell) *store.Record {
	var best *store.Record
	for _, rec := range l.all(c) {
		m := rec.Manifest
		if lacks(rec) != "" {
			continue
		}
		if best == nil || rec.Status == record.Done || best.Status != record.Done && m.Created.After(best.Manifest.Created) {
			best = rec
		}
	}
	return best
}

// all lists the runs of a cell's configuration, environment and plugins.
func (l looked) all(c *Cell) []*store.Record { return l.made(c, true) }

// made lists the runs of a cell's configuration and environment that were made with
// its plugins, or with others.
func (l looked) made(c *Cell, with bool) (out []*store.Record) {
	for _, rec := range l[c.ConfigHash] {
		if m := rec.Manifest; (c.EnvHash == "" || m.EnvHash == c.EnvHash) && (c.others(m.Versions.Plugins) == nil) == with && !stillborn(rec) {
			out = append(out, rec)
		}
	}
	return out
}

// stillborn says whether a run was killed before it had saved what it took over from
// another one. It cannot go on. A new one begins in the same way.
func stillborn(rec *store.Record) bool {
	if rec.Manifest.Origin == nil || rec.Status == record.Running || rec.Status == record.Done || missing(rec, "checkpoints") {
		return false
	}
	c, _, err := rec.LatestCheckpoint()
	return c == nil && err == nil
}

// lacks names a part of a run's folder that was deleted, without which the run can
// neither go on nor be reported; "" if nothing is missing. The process of one that
// is running sees to that itself.
func lacks(rec *store.Record) string {
	if rec.Status == record.Running {
		return ""
	}
	parts := []string{"config.yaml", "journal.jsonl"}
	if rec.Status == record.Done {
		parts = append(parts, "final.json")
	} else {
		parts = append(parts, "checkpoints")
	}
	for _, name := range parts {
		if missing(rec, name) {
			return name
		}
	}
	return ""
}

// missing says whether a run has no such file or folder.
func missing(rec *store.Record, name string) bool {
	_, err := os.Stat(filepath.Join(rec.Dir, name))
	return errors.Is(err, fs.ErrNotExist)
}

func (r *Runs) reject(rec *store.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unfit[rec.Dir] = true
}

func (r *Runs) find(c *Cell) *store.Record { return r.look().find(c) }

// others lists the plugins of a run that were not those of the cell, with what the
// cell has. Plans of older programs have plugins in processes of their own only.
func (c *Cell) others(plugins []store.PluginVersion) (out []string) {
	for _, p := range plugins {
		i := slices.IndexFunc(c.Plugins, func(q store.PluginVersion) bool { return q.Kind == p.Kind && q.Name == p.Name })
		switch {
		case i >= 0 && c.Plugins[i].Version != p.Version:
			out = append(out, fmt.Sprintf("version %s of %s %s, and the sweep has version %s", p.Version, p.Kind, p.Name, c.Plugins[i].Version))
		case i >= 0 && c.Plugins[i].Hash != p.Hash || i < 0 && p.Hash != "":
			out = append(out, fmt.Sprintf("another program for %s %s", p.Kind, p.Name))
		}
	}
	return out
}

func (r *Runs) done(c *Cell, id string) bool {
	rec, err := store.Find(r.fsys, r.root, id)
	return err == nil && rec.Status == record.Done && rec.Manifest.ConfigHash == c.ConfigHash
}
