package store

import (
	"errors"
	"io"
	"strings"
)

// errFault is what an injected fault returns.
var errFault = errors.New("no space left on device")

// faultFS passes operations to another FS and calls before each one with its
// number, from 0, and its text. An error of before takes the operation's place;
// of a write, half is done.
type faultFS struct {
	FS
	before func(n int, op string) error
	n      int
}

func (f *faultFS) op(parts ...string) error {
	n := f.n
	f.n++
	return f.before(n, strings.Join(parts, " "))
}

func (f *faultFS) Open(name string) (io.ReadCloser, error) {
	if err := f.op("open", name); err != nil {
		return nil, err
	}
	return f.FS.Open(name)
}

func (f *faultFS) file(verb, name string, open func(string) (File, error)) (File, error) {
	if err := f.op(verb, name); err != nil {
		return nil, err
	}
	file, err := open(name)
	return &faultFile{file, f, name}, err
}

func (f *faultFS) Create(name string) (File, error) { return f.file("create", name, f.FS.Create) }
func (f *faultFS) Append(name string) (File, error) { return f.file("append", name, f.FS.Append) }

func (f *faultFS) Truncate(name string, size int64) error {
	if err := f.op("truncate", name); err != nil {
		return err
	}
	return f.FS.Truncate(name, size)
}

func (f *faultFS) Rename(from, to string) error {
	if err := f.op("rename", from, to); err != nil {
		return err
	}
	return f.FS.Rename(from, to)
}

func (f *faultFS) name(verb, name string, do func(string) error) error {
	if err := f.op(verb, name); err != nil {
		return err
	}
	return do(name)
}

func (f *faultFS) Remove(name string) error    { return f.name("remove", name, f.FS.Remove) }
func (f *faultFS) RemoveAll(name string) error { return f.name("removeall", name, f.FS.RemoveAll) }
func (f *faultFS) Mkdir(name string) error     { return f.name("mkdir", name, f.FS.Mkdir) }
func (f *faultFS) MkdirAll(name string) error  { return f.name("mkdirall", name, f.FS.MkdirAll) }
func (f *faultFS) SyncDir(name string) error   { return f.name("syncdir", name, f.FS.SyncDir) }

func (f *faultFS) ReadDir(name string) ([]Entry, error) {
	if err := f.op("readdir", name); err != nil {
		return nil, err
	}
	return f.FS.ReadDir(name)
}

func (f *faultFS) Lock(name, owner string) (Lock, error) {
	if err := f.op("lock", name); err != nil {
		return nil, err
	}
	l, err := f.FS.Lock(name, owner)
	if err != nil {
		return nil, err
	}
	return &faultLock{l, f, name}, nil
}

type faultLock struct {
	Lock
	f    *faultFS
	name string
}

func (l *faultLock) Check() error {
	if err := l.f.op("check", l.name); err != nil {
		return err
	}
	return l.Lock.Check()
}

type faultFile struct {
	File
	f    *faultFS
	name string
}

func (f *faultFile) Write(p []byte) (int, error) {
	if err := f.f.op("write", f.name); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f *faultFile) Sync() error {
	if err := f.f.op("sync", f.name); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *faultFile) Size() (int64, error) {
	if err := f.f.op("size", f.name); err != nil {
		return 0, err
	}
	return f.File.Size()
}

func (f *faultFile) Close() error {
	if err := f.f.op("close", f.name); err != nil {
		_ = f.File.Close() // the handle is gone either way
		return err
	}
	return f.File.Close()
}
