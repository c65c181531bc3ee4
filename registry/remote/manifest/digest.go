package manifest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"macpro/core/files"
	"macpro/registry/remote/process"
)

// Bounds of what is hashed: a plugin's folder is no place for data.
const (
	maxFiles = 10000
	maxBytes = 1 << 30
)

// Digest is the SHA-256 (hex) of the plugin: of its manifest (without the entry
// sha256), of all files in its folder with the links among them, and of the files
// outside that the command names by a path. Left out are the folders of version
// control, and Python's caches where the command is Python, which never reads them
// (see process.Start). A command of which nothing could be checked is an error.
func (m *Manifest) Digest() (string, error) {
	bare := *m
	bare.SHA256 = ""
	text, err := bare.Encode()
	if err != nil {
		return "", err
	}
	list, err := m.files()
	if err != nil {
		return "", fmt.Errorf("plugin %s in %s: %w", m.ID(), m.Dir, err)
	}
	total := sha256.New()
	fmt.Fprintf(total, "%s %x\n", FileName, sha256.Sum256(text))
	for _, f := range list {
		rel, err := filepath.Rel(m.Dir, f.path)
		if err != nil {
			return "", err
		}
		name := filepath.ToSlash(rel)
		if strings.ContainsAny(name, "\n\"") {
			name = strconv.Quote(name) // one line a file, whatever its name is
		}
		if f.link != "" {
			fmt.Fprintf(total, "%s -> %q\n", name, f.link)
		}
		if f.bare {
			continue
		}
		sum, err := files.Sum(f.path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(total, "%s %x\n", name, sum)
	}
	return fmt.Sprintf("%x", total.Sum(nil)), nil
}

type covered struct {
	path string
	link string // where it leads, if it is a link
	bare bool   // of the link nothing but that counts: it leads nowhere, or to a folder that is walked
}

// files lists what is hashed besides the manifest, sorted, each once.
func (m *Manifest) files() ([]covered, error) {
	var out []covered
	var size int64
	err := filepath.WalkDir(m.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != m.Dir && m.leftOut(e.Name()) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() || path == filepath.Join(m.Dir, FileName) {
			return nil
		}
		f, n, err := m.cover(path, e.Type())
		if err != nil {
			return err
		}
		out = append(out, f)
		if size += n; len(out) > maxFiles || size > maxBytes {
			return fmt.Errorf("more than %d files or %d MiB: keep data, and Python environments of that size, elsewhere", maxFiles, maxBytes>>20)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if program := m.Command[0]; strings.Contains(program, "/") && m.path(program) == "" {
		return nil, fmt.Errorf("the command's program %s is not there: build it first", program)
	}
	for _, part := range m.Command {
		p := m.path(part)
		if p != "" && !slices.ContainsFunc(out, func(f covered) bool { return f.path == p }) {
			out = append(out, covered{path: p})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the command names no file that could be checked: put the program or script into the plugin's folder")
	}
	slices.SortFunc(out, func(a, b covered) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// cover looks at one file of the folder, and returns its size as well. What a
// link leads to is what runs.
func (m *Manifest) cover(path string, kind fs.FileMode) (covered, int64, error) {
	f := covered{path: path}
	if kind&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return f, 0, err
		}
		f.link = target
	}
	i, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.link != "":
		f.bare = true
		return f, 0, nil
	case err != nil:
		return f, 0, err
	case i.IsDir() && m.walks(path):
		f.bare = true
		return f, 0, nil
	case i.IsDir():
		return f, 0, fmt.Errorf("%s is a link to a folder outside (%s), whose files would not be checked: copy them", path, f.link)
	case !i.Mode().IsRegular():
		return f, 0, fmt.Errorf("%s is neither a file nor a folder", path)
	}
	return f, i.Size(), nil
}

// walks says that the files below a path, links followed, are hashed.
func (m *Manifest) walks(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	home, err2 := filepath.EvalSymlinks(m.Dir)
	if err != nil || err2 != nil {
		return false
	}
	rel, err := filepath.Rel(home, real)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), m.leftOut)
}

// leftOut says that files or folders of a name are not hashed.
func (m *Manifest) leftOut(name string) bool {
	return slices.Contains([]string{".git", ".hg", ".svn"}, name) || name == "__pycache__" && process.Python(m.Command[0])
}
