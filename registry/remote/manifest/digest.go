package manifest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of what is hashed: a plugin's folder is no place for data.
const (
	maxFiles = 10000
	maxBytes = 1 << 30
)

// Digest is the SHA-256 (hex) of the plugin: of its manifest (without the entry
// sha256), of all files in its folder except hidden ones and Python's caches,
// and of the files outside that the command names by a path. A command of which
// nothing could be checked is an error.
func (m *Manifest) Digest() (string, error) {
	bare := *m
	bare.SHA256 = ""
	text, err := bare.Encode()
	if err != nil {
		return "", err
	}
	files, err := m.files()
	if err != nil {
		return "", fmt.Errorf("plugin %s in %s: %w", m.ID(), m.Dir, err)
	}
	total := sha256.New()
	fmt.Fprintf(total, "%s %x\n", FileName, sha256.Sum256(text))
	for _, name := range files {
		sum, err := sumFile(name)
		if err != nil {
			return "", err
		}
		rel, err := filepath.Rel(m.Dir, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(total, "%s %x\n", filepath.ToSlash(rel), sum)
	}
	return fmt.Sprintf("%x", total.Sum(nil)), nil
}

// files lists what is hashed besides the manifest, sorted, each once.
func (m *Manifest) files() ([]string, error) {
	var out []string
	var size int64
	err := filepath.WalkDir(m.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != m.Dir && (strings.HasPrefix(e.Name(), ".") || e.Name() == "__pycache__") {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() || path == filepath.Join(m.Dir, FileName) {
			return nil
		}
		i, err := os.Stat(path) // follows links: what they lead to is what runs
		if err != nil {
			return err
		}
		if !i.Mode().IsRegular() {
			return fmt.Errorf("%s is neither a file nor a folder", path)
		}
		out = append(out, path)
		if size += i.Size(); len(out) > maxFiles || size > maxBytes {
			return fmt.Errorf("more than %d files or %d MiB: keep data and environments elsewhere, or in a folder whose name begins with a dot", maxFiles, maxBytes>>20)
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
		if p := m.path(part); p != "" {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the command names no file that could be checked: put the program or script into the plugin's folder")
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func sumFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), err
}
