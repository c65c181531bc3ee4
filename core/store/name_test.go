package store

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// A name belongs to one run of a results root, and can be typed.
func TestNames(t *testing.T) {
	root := t.TempDir()
	r, err := Create(OS(), root, Manifest{Alg: "a", Env: "e", Learner: "l", Name: "mine"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Interrupt() }()
	for name, want := range map[string]string{
		"mine": "is taken by run " + r.ID(), r.ID(): "is taken", "-x": "want up to", ".x": "want up to", "a/b": "want up to", "ä": "want up to",
		strings.Repeat("x", 61): "want up to",
	} {
		_, err := Create(OS(), root, Manifest{Name: name}, nil)
		if taken := (*NameError)(nil); !errors.As(err, &taken) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	rec, err := Named(OS(), root, "mine")
	if err != nil || rec.Manifest.ID != r.ID() {
		t.Error(rec, err)
	}
	for _, name := range []string{"", "yours"} {
		if _, err := Named(OS(), root, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
