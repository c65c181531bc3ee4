package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/record"
)

// rows reads a journal text.
func rows(text string) (out []record.Row, errs []error) {
	for row, err := range ReadJournal(strings.NewReader(text)) {
		if err != nil {
			errs = append(errs, err)
		} else {
			out = append(out, row)
		}
	}
	return out, errs
}

// journalOf returns the journal of a run.
func journalOf(t *testing.T, m *memFS, r *Run) string {
	t.Helper()
	data, err := ReadFile(m, filepath.Join(r.Dir(), journalName))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRowForm(t *testing.T) {
	e := core.Event{Kind: "test", TEnv: 12000, Episode: 7, Task: `a "b"`, Fields: map[string]any{
		"z": math.NaN(), "a": float32(0.1), "inf": []float64{1, math.Inf(-1)}, "big": uint64(math.MaxUint64),
		"tiny": 1e-9, "million": 1e6, "heads": []int32{0, 2}, "nested": map[string]any{"y": []string{"é"}, "x": nil}, "ok": true,
	}}
	b, _, err := appendRow(nil, &e, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"event":"test","t_env":12000,"episode":7,"task":"a \"b\"","a":0.1,"big":18446744073709551615,` +
		`"heads":[0,2],"inf":[1,null],"million":1000000,"nested":{"x":null,"y":["é"]},"ok":true,"tiny":1e-09,"z":null,"wall_s":1.500}` + "\n"
	line := string(appendWall(b, 1.5))
	if line != want {
		t.Fatalf("got  %swant %s", line, want)
	}
	got, errs := rows(line)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	r := got[0]
	if r.Kind != "test" || r.TEnv != 12000 || r.Episode != 7 || r.Task != `a "b"` || r.Wall != 1.5 || r.Line != 1 {
		t.Errorf("read back %+v", r)
	}
	if r.Fields["big"] != uint64(math.MaxUint64) || r.Fields["tiny"] != 1e-9 || len(r.Fields) != len(e.Fields) {
		t.Errorf("fields %v", r.Fields)
	}
	if x, ok := record.Float(r.Fields["a"]); !ok || x != 0.1 {
		t.Errorf("a = %v, %v", x, ok)
	}
	if _, ok := record.Float(r.Fields["z"]); ok {
		t.Error("a null is a number")
	}
}

func TestEmitRefusesWhatHasNoJSONForm(t *testing.T) {
	r, m := newRun(t, sound)
	good := core.Event{Kind: "train", Fields: map[string]any{"x": 1}}
	for _, fields := range []map[string]any{
		{"f": func() {}}, {"a": 1, "wall_s": 2}, {"m": map[int]int{1: 1}}, {"l": []any{1, make(chan int)}},
	} {
		if err := r.Emit(core.Event{Kind: "train", Fields: fields}); err == nil {
			t.Errorf("%v was accepted", fields)
		}
		if err := r.Emit(good); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Interrupt(); err != nil {
		t.Fatal(err)
	}
	got, errs := rows(journalOf(t, m, r))
	if len(got) != 4 || len(errs) > 0 {
		t.Errorf("%d rows, %v", len(got), errs)
	}
	if err := r.Emit(good); !errors.Is(err, errClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestTornAndDamagedLines(t *testing.T) {
	row := func(i string) string {
		return `{"event":"train","t_env":` + i + `,"episode":0,"task":"a","wall_s":0.1}` + "\n"
	}
	long := strings.Repeat("x", maxRow+100) + "\n"
	cases := []struct {
		name, text string
		rows       int
		lines      []int // damaged ones
	}{
		{"empty", "", 0, nil},
		{"whole", row("1") + row("2"), 2, nil},
		{"torn", row("1") + row("2")[:30], 1, nil},
		{"torn at the line end", row("1") + strings.TrimSuffix(row("2"), "\n"), 1, nil},
		{"zeros at the end", row("1") + "\x00\x00\x00", 1, nil},
		{"damaged middle", row("1") + "{\"event\n" + row("3"), 2, []int{2}},
		{"no event", `{"t_env":1}` + "\n" + row("2"), 1, []int{1}},
		{"not whole", row("1.5") + row("2"), 1, []int{1}},
		{"two in one line", strings.TrimSuffix(row("1"), "\n") + row("2") + row("3"), 1, []int{1}},
		{"overlong", row("1") + long + row("3"), 2, []int{2}},
		{"empty line", row("1") + "\n" + row("3"), 2, []int{2}},
		{"no object", "[]\nnull\n" + row("3"), 1, []int{1, 2}},
	}
	for _, c := range cases {
		got, errs := rows(c.text)
		if len(got) != c.rows || len(errs) != len(c.lines) {
			t.Errorf("%s: %d rows, errors %v", c.name, len(got), errs)
			continue
		}
		for i, err := range errs {
			var line *LineError
			if !errors.As(err, &line) || line.Line != c.lines[i] {
				t.Errorf("%s: error %v, want line %d", c.name, err, c.lines[i])
			}
		}
	}
}

func TestDigestIgnoresOnlyTheClock(t *testing.T) {
	digest := func(text string) string {
		d, err := JournalDigest(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a := `{"event":"x","t_env":1,"episode":0,"task":"a","y":1,"wall_s":0.100}` + "\n"
	if digest(a) != digest(strings.Replace(a, "0.100", "33.000", 1)) {
		t.Error("the clock changes the digest")
	}
	if digest(a) == digest(strings.Replace(a, `"y":1`, `"y":2`, 1)) || digest(a) == digest(a+a) {
		t.Error("a changed row does not change the digest")
	}
	if digest(a) != digest(a+"torn") {
		t.Error("a torn line changes the digest")
	}
}

// TestRowsBeyondTheCheckpointAreCut kills a run after rows that no checkpoint
// knows of.
func TestRowsBeyondTheCheckpointAreCut(t *testing.T) {
	r, m := newRun(t, sound)
	emit := func(r *Run, i int64) {
		if err := r.Emit(core.Event{Kind: "train", TEnv: i, Fields: map[string]any{"x": i}}); err != nil {
			t.Fatal(err)
		}
	}
	emit(r, 1)
	if err := put(r, 1, "one"); err != nil {
		t.Fatal(err)
	}
	for i := range int64(20) {
		emit(r, 2+i)
	}
	m.locks = map[*node]string{} // killed
	rec, err := Load(m, r.Dir())
	if err != nil || rec.Status != record.Interrupted || rec.Manifest.Status != record.Running {
		t.Fatalf("status %v, %v", rec, err)
	}
	again, warnings, err := Open(m, r.Dir())
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	emit(again, 2)
	if err := again.Finish(record.Result{}); err != nil {
		t.Fatal(err)
	}
	got, errs := rows(journalOf(t, m, r))
	if len(errs) > 0 || len(got) != 2 || got[1].TEnv != 2 || got[1].Wall < got[0].Wall {
		t.Errorf("rows %v, %v", got, errs)
	}
	if _, _, err := Open(m, r.Dir()); err == nil || !strings.Contains(err.Error(), "done") {
		t.Errorf("resuming a run that is done: %v", err)
	}
}

// TestFailedWritesAreMadeUpFor lets every other write fail half-way.
func TestFailedWritesAreMadeUpFor(t *testing.T) {
	count := 0
	r, m := newRun(t, func(_ int, op string) error {
		if strings.HasPrefix(op, "write") && strings.HasSuffix(op, journalName) {
			if count++; count%2 == 1 {
				return errFault
			}
		}
		return nil
	})
	failed := 0
	for i := range int64(50) {
		if err := r.Emit(core.Event{Kind: "train", TEnv: i}); err != nil {
			failed++
		}
	}
	if err := r.journal.sync(); err != nil && r.journal.sync() != nil {
		t.Fatal("two writes in a row failed")
	}
	got, errs := rows(journalOf(t, m, r))
	if failed == 0 || len(got) != 50 || len(errs) > 0 {
		t.Errorf("%d failures, %d rows, %v", failed, len(got), errs)
	}
}

func FuzzReadJournal(f *testing.F) {
	f.Add([]byte(`{"event":"train","t_env":1,"episode":0,"task":"a","x":[1e400,{"y":null}],"wall_s":0.1}` + "\n"))
	f.Add([]byte("{}\n\x00\n{\"event\":1}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		for row, err := range ReadJournal(bytes.NewReader(data)) {
			n++
			var line *LineError
			if err != nil && !errors.As(err, &line) {
				t.Fatalf("reading from memory failed: %v", err)
			}
			if err == nil {
				b, _, err := appendRow(nil, &row.Event, nil)
				if err != nil || !json.Valid(bytes.TrimSpace(appendWall(b, row.Wall))) {
					t.Fatalf("a row that was read cannot be written: %v", err)
				}
			}
		}
		if n != bytes.Count(data, []byte("\n")) {
			t.Fatalf("%d rows or errors for %d lines", n, bytes.Count(data, []byte("\n")))
		}
	})
}
