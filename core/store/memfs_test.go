package store

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"macpro/core/rng"
)

// memFS is a file system in memory that knows what was synced. crash returns
// what a power failure could leave.
type memFS struct {
	mu    sync.Mutex
	root  *node
	locks map[*node]string // by file
}

// node is a file or, if names is not nil, a folder. The saved fields are those
// that a sync made durable.
type node struct {
	data, savedData   []byte
	names, savedNames map[string]*node
}

func newDir() *node { return &node{names: map[string]*node{}, savedNames: map[string]*node{}} }

func newMemFS() *memFS { return &memFS{root: newDir(), locks: map[*node]string{}} }

// find returns the folder of a name and the node itself, or nil.
func (m *memFS) find(name string) (dir *node, base string, n *node) {
	n = m.root
	if name == "." {
		return nil, name, n
	}
	for _, base = range strings.Split(strings.Trim(filepath.ToSlash(name), "/"), "/") {
		if dir = n; dir == nil || dir.names == nil {
			return nil, base, nil
		}
		n = dir.names[base]
	}
	return dir, base, n
}

func pathError(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

func (m *memFS) Open(name string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, n := m.find(name)
	if n == nil || n.names != nil {
		return nil, pathError("open", name, fs.ErrNotExist)
	}
	return io.NopCloser(bytes.NewReader(bytes.Clone(n.data))), nil
}

func (m *memFS) file(name string, truncate bool) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, n := m.find(name)
	if dir == nil || n != nil && n.names != nil {
		return nil, pathError("create", name, fs.ErrNotExist)
	}
	if n == nil {
		n = &node{}
		dir.names[base] = n
	} else if truncate {
		n.data = nil
	}
	return &memFile{m, n, name}, nil
}

func (m *memFS) Create(name string) (File, error) { return m.file(name, true) }
func (m *memFS) Append(name string) (File, error) { return m.file(name, false) }

type memFile struct {
	m    *memFS
	n    *node
	name string
}

func (f *memFile) Size() (int64, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return int64(len(f.n.data)), f.m.leadsTo(f.name, f.n)
}

func (m *memFS) leadsTo(name string, n *node) error {
	if _, _, there := m.find(name); there != n {
		return &GoneError{name}
	}
	return nil
}

func (f *memFile) Write(p []byte) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.n.data = append(slices.Clip(f.n.data), p...)
	return len(p), nil
}

func (f *memFile) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.n.savedData = f.n.data
	return nil
}

func (f *memFile) Close() error { return nil }

func (m *memFS) Truncate(name string, size int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, n := m.find(name)
	if n == nil {
		return pathError("truncate", name, fs.ErrNotExist)
	}
	n.data = slices.Clip(n.data[:size])
	return nil
}

func (m *memFS) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, n := m.find(from)
	todir, tobase, old := m.find(to)
	if n == nil || todir == nil {
		return pathError("rename", from, fs.ErrNotExist)
	}
	if old != nil && old.names != nil && len(old.names) > 0 {
		return pathError("rename", to, fs.ErrExist)
	}
	delete(dir.names, base)
	todir.names[tobase] = n
	return nil
}

func (m *memFS) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, n := m.find(name)
	if n == nil {
		return pathError("remove", name, fs.ErrNotExist)
	}
	delete(dir.names, base)
	return nil
}

func (m *memFS) RemoveAll(name string) error {
	if err := m.Remove(name); err != nil && !strings.Contains(err.Error(), fs.ErrNotExist.Error()) {
		return err
	}
	return nil
}

func (m *memFS) Mkdir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, n := m.find(name)
	if n != nil {
		return pathError("mkdir", name, fs.ErrExist)
	}
	if dir == nil {
		return pathError("mkdir", name, fs.ErrNotExist)
	}
	dir.names[base] = newDir()
	return nil
}

func (m *memFS) MkdirAll(name string) error {
	if parent := filepath.Dir(name); parent != name && parent != "." {
		if err := m.MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := m.Mkdir(name); err != nil && !strings.Contains(err.Error(), fs.ErrExist.Error()) {
		return err
	}
	return nil
}

func (m *memFS) ReadDir(name string) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, n := m.find(name)
	if n == nil || n.names == nil {
		return nil, pathError("readdir", name, fs.ErrNotExist)
	}
	var out []Entry
	for _, k := range slices.Sorted(maps.Keys(n.names)) {
		out = append(out, Entry{k, n.names[k].names != nil})
	}
	return out, nil
}

func (m *memFS) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, n := m.find(name)
	if n == nil || n.names == nil {
		return pathError("sync", name, fs.ErrNotExist)
	}
	n.savedNames = maps.Clone(n.names)
	return nil
}

type memLock struct {
	m    *memFS
	name string
	n    *node
}

func (l memLock) Close() error {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	delete(l.m.locks, l.n)
	return nil
}

func (l memLock) Check() error {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	return l.m.leadsTo(l.name, l.n)
}

func (m *memFS) Lock(name, owner string) (Lock, error) {
	f, err := m.Create(name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, n := m.find(name)
	if holder, held := m.locks[n]; held {
		return nil, &LockedError{name, holder}
	}
	m.locks[n] = owner
	return memLock{m, name, n}, f.Close()
}

func (m *memFS) Locked(name string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, n := m.find(name)
	_, held := m.locks[n]
	return held, nil
}

// crash returns a file system as a power failure now could leave it: synced
// bytes and names are there, of the others each may be there or not, and
// unsynced bytes may be there in part. Locks are gone.
func (m *memFS) crash(s *rng.Stream) *memFS {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &memFS{root: crashed(m.root, s), locks: map[*node]string{}}
}

func crashed(n *node, s *rng.Stream) *node {
	if n.names == nil {
		data := crashedData(n, s)
		return &node{data: data, savedData: data}
	}
	out := newDir()
	all := maps.Clone(n.names)
	maps.Copy(all, n.savedNames)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		child := n.savedNames[k]
		if child != n.names[k] && s.Intn(2) == 0 {
			child = n.names[k]
		}
		if child != nil {
			out.names[k] = crashed(child, s)
		}
	}
	out.savedNames = maps.Clone(out.names)
	return out
}

func crashedData(n *node, s *rng.Stream) []byte {
	tail, grown := bytes.CutPrefix(n.data, n.savedData)
	switch {
	case !grown && s.Intn(2) == 0:
		return n.savedData
	case !grown:
		return n.data
	}
	kept := bytes.Clone(tail[:s.Intn(len(tail)+1)])
	if s.Intn(4) == 0 {
		clear(kept) // the length reached the disk, the bytes did not
	}
	return append(bytes.Clone(n.savedData), kept...)
}
