package manifest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Acceptable says why a plugin cannot be accepted although it could run: its
// digest would not cover what may run.
func (m *Manifest) Acceptable() error {
	files, err := m.files()
	if err != nil {
		return fmt.Errorf("plugin %s in %s: %w", m.ID(), m.Dir, err)
	}
	for _, f := range files {
		if f.link != "" && !f.bare && !m.walks(f.path) && f.path != m.path(m.Command[0]) {
			return fmt.Errorf("plugin %s: %s is a link out of the plugin's folder: what it uses beside its target would not be checked; copy the file into the folder", m.ID(), f.path)
		}
	}
	for _, part := range m.Command[1:] {
		if p := m.path(part); p != "" && !m.walks(p) {
			return fmt.Errorf("plugin %s: the command names %s, beside which nothing is checked: put it into the plugin's folder", m.ID(), p)
		}
	}
	return nil
}

// Beyond lists what the command uses and the digest does not cover.
func (m *Manifest) Beyond() []string {
	program := m.Command[0]
	p := m.path(program)
	switch {
	case p == "":
		return []string{program + " of your PATH, and what it loads from outside of the folder"}
	case !m.walks(p):
		return []string{"what " + p + " loads from outside of the folder"}
	}
	return nil
}

// Exposed lists the files and folders of a plugin, and the folders above them,
// that another user can write to, with the reason: who can write there can change
// what runs between the check and the start.
func (m *Manifest) Exposed() []string {
	var out []string
	look := func(path string, above bool) {
		i, err := os.Lstat(path)
		if err != nil || i.Mode()&fs.ModeSymlink != 0 {
			return
		}
		if who := writers(i, above); who != "" {
			out = append(out, path+" ("+who+")")
		}
	}
	_ = filepath.WalkDir(m.Dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // Digest has complained
		case path != m.Dir && m.leftOut(e.Name()) && e.IsDir():
			return fs.SkipDir
		}
		look(path, false)
		return nil
	})
	starts := []string{m.Dir}
	for _, part := range m.Command {
		if p := m.path(part); p != "" && !m.walks(p) {
			look(p, false)
			starts = append(starts, p)
		}
	}
	for _, at := range starts {
		for at != filepath.Dir(at) {
			at = filepath.Dir(at)
			look(at, true)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// writers says who besides this user and root can write to a file, or replace
// what lies in a folder above a plugin's.
func writers(i fs.FileInfo, above bool) string {
	var who []string
	if s, ok := i.Sys().(*syscall.Stat_t); ok && s.Uid != 0 && int(s.Uid) != os.Getuid() {
		who = append(who, fmt.Sprintf("user %d owns it", s.Uid))
	}
	if above && i.Mode()&fs.ModeSticky != 0 {
		return strings.Join(who, ", ") // others can add, not replace
	}
	if i.Mode().Perm()&0o020 != 0 {
		who = append(who, "its group can write")
	}
	if i.Mode().Perm()&0o002 != 0 {
		who = append(who, "everybody can write")
	}
	return strings.Join(who, ", ")
}
