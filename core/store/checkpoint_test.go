package store

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/safetensors"
)

// newRun makes a run in memory whose operations go through before.
func newRun(t *testing.T, before func(n int, op string) error) (*Run, *memFS) {
	t.Helper()
	m := newMemFS()
	r, err := createAt(&faultFS{FS: m, before: before}, testRoot, testManifest(), testConfig, ticks())
	if err != nil {
		t.Fatal(err)
	}
	return r, m
}

// loaded reads a run that newRun made.
func loaded(t *testing.T, m *memFS, r *Run) *Record {
	t.Helper()
	rec, err := Load(m, r.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func sound(int, string) error { return nil }

// put saves a checkpoint of one part.
func put(r *Run, t int64, text string) error {
	return r.SaveCheckpoint(Meta{TEnv: t}, func(part AddPart) error {
		return part("state", func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	})
}

// got reads the part of a checkpoint that put saved.
func got(t *testing.T, c *Checkpoint) string {
	t.Helper()
	if c == nil {
		return "no checkpoint"
	}
	var b []byte
	err := c.Read("state", func(r io.Reader) (err error) {
		b, err = io.ReadAll(r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestOperationsOfACheckpoint pins the order of file operations on which the
// promises rest.
func TestOperationsOfACheckpoint(t *testing.T) {
	var ops []string
	r, _ := newRun(t, func(_ int, op string) error {
		ops = append(ops, op)
		return nil
	})
	r.Keep = 1
	if err := put(r, 5, "old"); err != nil {
		t.Fatal(err)
	}
	if err := r.Emit(core.Event{Kind: "checkpoint"}); err != nil {
		t.Fatal(err)
	}
	ops = nil
	if err := put(r, 10, "new"); err != nil {
		t.Fatal(err)
	}
	list := strings.ReplaceAll(strings.Join(ops, "\n"), r.Dir()+"/", "")
	want := strings.TrimSpace(`
check lock
size journal.jsonl
write journal.jsonl
sync journal.jsonl
removeall checkpoints/unfinished
mkdir checkpoints/unfinished
create checkpoints/unfinished/state
write checkpoints/unfinished/state
sync checkpoints/unfinished/state
close checkpoints/unfinished/state
create checkpoints/unfinished/index.json
write checkpoints/unfinished/index.json
sync checkpoints/unfinished/index.json
close checkpoints/unfinished/index.json
syncdir checkpoints/unfinished
readdir checkpoints
check lock
size journal.jsonl
rename checkpoints/unfinished checkpoints/10
syncdir checkpoints
readdir checkpoints
remove checkpoints/5/index.json
removeall checkpoints/5`)
	if list != want {
		t.Errorf("got\n%s\nwant\n%s", list, want)
	}
}

// TestFullDiskKeepsTheOldCheckpoint fails each operation of a save in turn, with
// a single checkpoint to lose, and goes on training.
func TestFullDiskKeepsTheOldCheckpoint(t *testing.T) {
	for fail := 0; ; fail++ {
		count, armed := 0, false
		r, m := newRun(t, func(_ int, op string) error {
			if !armed {
				return nil
			}
			if count++; count > fail {
				return errFault
			}
			return nil
		})
		r.Keep = 1
		var warnings []string
		r.Warn = func(s string) { warnings = append(warnings, s) }
		if err := put(r, 5, "old"); err != nil {
			t.Fatal(err)
		}
		armed = true
		err := put(r, 10, "new")
		armed = false
		rec := loaded(t, m, r)
		c, _, e := rec.LatestCheckpoint()
		if e != nil || got(t, c) != "old" && got(t, c) != "new" || err == nil && got(t, c) != "new" {
			t.Fatalf("operation %d: checkpoint %v, %v", fail, c, e)
		}
		if err == nil && len(warnings) == 0 {
			return // the save needs no more operations than that
		}
		if err != nil && (!errors.Is(err, errFault) || !strings.Contains(err.Error(), "t_env 10")) {
			t.Fatalf("operation %d: the error is %v", fail, err)
		}
		if err := put(r, 15, "newer"); err != nil && r.journal.broken == nil {
			t.Fatalf("operation %d: the next save: %v", fail, err)
		}
	}
}

func TestKeepAndRepeatedSteps(t *testing.T) {
	r, m := newRun(t, sound)
	r.Keep = 3
	for i, at := range []int64{9, 10, 10, 10, 100} {
		if err := put(r, at, strings.Repeat("x", i)); err != nil {
			t.Fatal(err)
		}
	}
	names, err := checkpointDirs(m, r.Dir())
	if want := []string{"10.1", "10.2", "100"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("kept %v, want %v, %v", names, want, err)
	}
	rec := loaded(t, m, r)
	if c, err := rec.CheckpointAt(10); err != nil || got(t, c) != "xxx" {
		t.Errorf("at 10: %v, %v", c, err)
	}
	if _, err := rec.CheckpointAt(11); err == nil || !strings.Contains(err.Error(), "it has 10.1, 10.2, 100") {
		t.Errorf("at 11: %v", err)
	}
}

// TestDamageIsPassedOver damages the newest checkpoint in several ways.
func TestDamageIsPassedOver(t *testing.T) {
	flip := func(n *node) {
		n.data = append(bytes.Clone(n.data[:len(n.data)-2]), n.data[len(n.data)-2]^1, n.data[len(n.data)-1])
	}
	cases := map[string]struct {
		file   string
		damage func(n *node)
		want   string
	}{
		"truncated part":  {"state", func(n *node) { n.data = n.data[:2] }, "has 2 bytes, 3 were saved"},
		"flipped bit":     {"state", flip, "differs"},
		"truncated index": {indexName, func(n *node) { n.data = n.data[:20] }, "index.json"},
		"edited index":    {indexName, func(n *node) { n.data = bytes.Replace(n.data, []byte(`"t_env": 10`), []byte(`"t_env": 11`), 1) }, "checksum"},
		"other format":    {indexName, func(n *node) { n.data = bytes.Replace(n.data, []byte(`"format": 2`), []byte(`"format": 3`), 1) }, "format 3"},
	}
	for name, c := range cases {
		r, m := newRun(t, sound)
		for at, text := range []string{"old", "new"} {
			if err := put(r, 5+5*int64(at), text); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Interrupt(); err != nil {
			t.Fatal(err)
		}
		_, _, n := m.find(filepath.Join(r.Dir(), "checkpoints", "10", c.file))
		c.damage(n)
		again, warnings, err := Open(m, r.Dir())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(warnings) != 1 || !strings.Contains(warnings[0], c.want) || !strings.Contains(warnings[0], "checkpoint 10") {
			t.Errorf("%s: warnings %q, want %q", name, warnings, c.want)
		}
		if text := got(t, again.LatestCheckpoint()); text != "old" {
			t.Errorf("%s: resumed from %q", name, text)
		}
		if err := put(again, 10, "anew"); err != nil {
			t.Errorf("%s: saving again: %v", name, err)
		}
	}
}

// TestNoUsableCheckpointIsAnError does not begin anew when there is something
// to lose.
func TestNoUsableCheckpointIsAnError(t *testing.T) {
	r, m := newRun(t, sound)
	if err := errors.Join(put(r, 5, "old"), r.Interrupt()); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove(filepath.Join(r.Dir(), "checkpoints", "5", "state")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(m, r.Dir()); err == nil || !strings.Contains(err.Error(), "none of the 1 checkpoints") {
		t.Errorf("got %v", err)
	}
	if held, err := m.Locked(filepath.Join(r.Dir(), "lock")); held || err != nil {
		t.Errorf("the lock stays after a failed resume: %v", err)
	}
}

func TestPartNamesAreChecked(t *testing.T) {
	r, m := newRun(t, sound)
	for _, names := range [][]string{{""}, {"index.json"}, {"../x"}, {".x"}, {`a\b`}, {"a", "a"}} {
		err := r.SaveCheckpoint(Meta{TEnv: 1}, func(part AddPart) error {
			var errs []error
			for _, name := range names {
				errs = append(errs, part(name, func(io.Writer) error { return nil }))
			}
			return errors.Join(errs...)
		})
		if err == nil {
			t.Errorf("parts %q were accepted", names)
		}
	}
	if entries, err := m.ReadDir(filepath.Join(r.Dir(), "checkpoints")); len(entries) > 0 || err != nil {
		t.Errorf("failed saves left %v, %v", entries, err)
	}
}

// TestPartsKnowTheirSize reads a part with the codec that checks it.
func TestPartsKnowTheirSize(t *testing.T) {
	r, _ := newRun(t, sound)
	f := safetensors.New()
	safetensors.Put(f, "w", []float32{1, 2})
	err := r.SaveCheckpoint(Meta{TEnv: 1}, func(part AddPart) error {
		return part("net.safetensors", f.Encode)
	})
	if err != nil {
		t.Fatal(err)
	}
	c := r.LatestCheckpoint()
	err = c.Read("net.safetensors", func(rd io.Reader) error {
		if n := rd.(interface{ Len() int }).Len(); int64(n) != c.Parts[0].Size {
			t.Errorf("Len is %d, want %d", n, c.Parts[0].Size)
		}
		_, err := safetensors.Decode(rd)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := c.Read("other", nil); err == nil || !strings.Contains(err.Error(), "net.safetensors") {
		t.Errorf("a missing part: %v", err)
	}
}

// Sizes are those of the newest checkpoint whose index can be read.
func TestSizes(t *testing.T) {
	r, m := newRun(t, sound)
	if got := loaded(t, m, r).Sizes(); got != nil {
		t.Errorf("without checkpoints: %v", got)
	}
	for _, text := range []string{"12345", "1234567890"} {
		if err := put(r, int64(len(text)), text); err != nil {
			t.Fatal(err)
		}
	}
	if got := loaded(t, m, r).Sizes(); !maps.Equal(got, map[string]int64{"state": 10}) {
		t.Errorf("%v", got)
	}
	if err := m.Remove(filepath.Join(r.Dir(), "checkpoints", "10", indexName)); err != nil {
		t.Fatal(err)
	}
	if got := loaded(t, m, r).Sizes(); !maps.Equal(got, map[string]int64{"state": 5}) {
		t.Errorf("behind a damaged one: %v", got)
	}
}

func FuzzIndex(f *testing.F) {
	x := index{Format: 1, Meta: Meta{1, 2, "a"}, Parts: []Part{{"p", 3, "00"}}}
	x.Sum, _ = x.sum()
	data, err := indented(x)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"format":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := parseIndex(data)
		if err != nil {
			return
		}
		again, err := indented(x)
		if err != nil {
			t.Fatal(err)
		}
		y, err := parseIndex(again)
		if err != nil || y.Meta != x.Meta || y.mark != x.mark || !slices.Equal(y.Parts, x.Parts) {
			t.Fatalf("an accepted index does not read back: %v", err)
		}
	})
}

// A checkpoint without its index is damage where it is the newest, and what is
// left of a deletion where it is not.
func TestCheckpointsWithoutIndex(t *testing.T) {
	r, m := newRun(t, sound)
	for at := range int64(3) {
		if err := put(r, 5+5*at, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Interrupt(); err != nil {
		t.Fatal(err)
	}
	checkpoint := func(name string) string { return filepath.Join(r.Dir(), "checkpoints", name) }
	for _, name := range []string{"5", "15"} {
		if err := m.Remove(filepath.Join(checkpoint(name), indexName)); err != nil {
			t.Fatal(err)
		}
	}
	rec := loaded(t, m, r)
	const want = "checkpoint 15 is damaged and was passed over: index.json is missing"
	if c, warnings, err := rec.LatestCheckpoint(); err != nil || c.TEnv != 10 || len(warnings) != 1 || warnings[0] != want {
		t.Errorf("read %v, %q, %v", c, warnings, err)
	}
	if _, err := rec.CheckpointAt(15); err == nil || !strings.Contains(err.Error(), "index.json is missing") {
		t.Errorf("by its step: %v", err)
	}
	r, warnings, err := openAt(m, r.Dir(), ticks())
	if err != nil || len(warnings) != 1 || warnings[0] != want || r.LatestCheckpoint().TEnv != 10 {
		t.Fatal(warnings, err)
	}
	entries, err := m.ReadDir(filepath.Join(r.Dir(), "checkpoints"))
	if err != nil || len(entries) != 2 || entries[0].Name != "10" || entries[1].Name != "damaged-15" {
		t.Errorf("left are %v, %v", entries, err)
	}
}
