package kills_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
)

// damages are what can happen to the files that figures are taken from, each with
// the reason that readers give.
var damages = []struct {
	what, file, reason string
	change             func(data []byte) []byte // nil removes the file
}{
	{"journal emptied", "journal.jsonl", "journal.jsonl has 0 rows, the run wrote", empty},
	{"journal deleted", "journal.jsonl", "journal.jsonl is missing", nil},
	{"journal gzipped", "journal.jsonl", "journal.jsonl", zipped},
	{"journal truncated", "journal.jsonl", "journal.jsonl has", func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)/2], '\n')+1] }},
	{"journal cut in a row", "journal.jsonl", "journal.jsonl has", func(b []byte) []byte { return b[:len(b)-20] }},
	{"journal without a row", "journal.jsonl", "journal.jsonl has", func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] }},
	{"journal with a row twice", "journal.jsonl", "not those that the run wrote", func(b []byte) []byte {
		first := b[:bytes.IndexByte(b, '\n')+1]
		return append(bytes.Clone(first), append(bytes.Clone(first), b[len(first):]...)...)
	}},
	{"journal with another score", "journal.jsonl", "not those that the run wrote", swap(`"score":0,`, `"score":1,`)},
	{"closing row changed", "journal.jsonl", "not those that the run wrote", swap(`"bwt":0`, `"bwt":1`)},
	{"final deleted", "final.json", "final.json is missing or empty", nil},
	{"final null", "final.json", "final.json is missing or empty", func([]byte) []byte { return []byte("null") }},
	{"final without keys", "final.json", "final.json has", func([]byte) []byte { return []byte("{}") }},
	{"final emptied", "final.json", "final.json is damaged", empty},
	{"final with a number for scores", "final.json", "final.json is damaged: r: a number, want an object", swap(`"r":`, `"r": 1, "was":`)},
	{"final with another number", "final.json", "final.json has metrics", swap(`"final_average": 0,`, `"final_average": 0.99,`)},
	{"final with another matrix", "final.json", "final.json has r", func(b []byte) []byte {
		at := bytes.Index(b, []byte(`"r":`))
		return append(bytes.Clone(b[:at]), bytes.Replace(b[at:], []byte("0"), []byte("1"), 1)...)
	}},
	{"config emptied", "config.yaml", "config.yaml: it is empty", empty},
	{"config deleted", "config.yaml", "config.yaml", nil},
	{"config edited", "config.yaml", "config.yaml is not the one", swap("lr: 0.0005", "lr: 0.001")},
	{"config with another profile", "config.yaml", "config.yaml has profile paper", swap("profile: smoke", "profile: paper")},
	{"config without a key", "config.yaml", "config.yaml is not the one", swap("gamma: 0.99\n", "")},
}

func empty([]byte) []byte { return nil }

func swap(was, now string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(was), []byte(now), 1) }
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b) // to memory
	_ = z.Close()
	return out.Bytes()
}

// A run whose files are not those that it wrote is left out of everything and
// named with the reason, also when its checkpoints are gone, or when its manifest
// is of a program that did not yet note the journal's hash there.
func TestDamagedRuns(t *testing.T) {
	t.Parallel()
	swept := t.TempDir()
	program.Must(t, swept, nil, strings.Fields(fmt.Sprintf("sweep --env lbf --alg finetuning --profile smoke --set steps_per_task=60 "+
		"--set test_nepisode=2 --seeds 1..%d --name d --quiet", len(damages)+1))...)
	damagedRuns := func(t *testing.T, prepare func(run string)) {
		t.Parallel()
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(swept)); err != nil {
			t.Fatal(err)
		}
		damagedRuns(t, dir, prepare)
	}
	t.Run("whole", func(t *testing.T) { damagedRuns(t, func(string) {}) })
	t.Run("no checkpoints", func(t *testing.T) {
		damagedRuns(t, func(run string) {
			if err := os.RemoveAll(filepath.Join(run, "checkpoints")); err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("older manifest", func(t *testing.T) { damagedRuns(t, func(run string) { makeOlder(t, run) }) })
}

// makeOlder gives a run the manifest of an older program, which did not have the
// keys that are not hashed at their neutral value either.
func makeOlder(t *testing.T, run string) {
	t.Helper()
	var m map[string]any
	name, config := filepath.Join(run, "manifest.json"), filepath.Join(run, "config.yaml")
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	text, e := os.ReadFile(config)
	for _, key := range m["unhashed"].([]any) {
		name := key.(string)[strings.LastIndex(key.(string), ".")+1:] // in a section it is indented
		text = regexp.MustCompile(`(?m)^ *`+name+`: .*\n`).ReplaceAll(text, nil)
	}
	for _, key := range []string{"journal", "unhashed", "compat", "overridden"} {
		delete(m, key)
	}
	data, e2 := json.Marshal(m)
	if err = errors.Join(err, e, e2, os.WriteFile(name, data, 0o644), os.WriteFile(config, text, 0o644)); err != nil {
		t.Fatal(err)
	}
}

func damagedRuns(t *testing.T, dir string, prepare func(run string)) {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(dir, "results", "runs", "*"))
	if err != nil || len(runs) != len(damages)+1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	whole := filepath.Base(runs[len(damages)])
	for i, run := range runs {
		prepare(run)
		if i < len(damages) {
			damage(t, run, i)
		}
	}
	named := func(command, stderr string) {
		t.Helper()
		for i, d := range damages {
			if id := filepath.Base(runs[i]); !warned(stderr, id, d.reason) {
				t.Errorf("%s: no word about %s of %s", command, d.what, id)
			}
		}
		if strings.Contains(stderr, whole) {
			t.Errorf("%s: a whole run is named: %s", command, stderr)
		}
	}
	out := func(command string) string {
		t.Helper()
		got := program.Call(t, dir, nil, strings.Fields(command)...)
		if got.Code != 0 {
			t.Fatalf("%s: %s", command, got.Stderr)
		}
		named(command, got.Stderr)
		return got.Stdout
	}
	var tables []struct {
		Rows []struct {
			Key  string
			Runs []string
		}
	}
	text := out("table metrics --format json")
	if err := json.Unmarshal([]byte(text), &tables); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "profile smoke with steps_per_task=60, test_nepisode=2, compat") {
		t.Error("the foot does not name what was overridden")
	}
	for _, r := range tables[0].Rows {
		if r.Key == "finetuning" && (len(r.Runs) != 1 || r.Runs[0] != whole) {
			t.Errorf("the table counts %v", r.Runs)
		}
	}
	out("plot main -o a.svg")
	picture, err := os.ReadFile(filepath.Join(dir, "a.svg"))
	if err != nil || !bytes.Contains(picture, []byte("1 run")) {
		t.Errorf("the figure does not show one run, %v", err)
	}
	out("report -o a.html")
	page, err := os.ReadFile(filepath.Join(dir, "a.html"))
	if err != nil || !bytes.Contains(page, []byte("1 done")) || !bytes.Contains(page, []byte("left out")) {
		t.Errorf("the page does not show one run and what was left out, %v", err)
	}
	out("publish mine --sweep d")
	if files, err := filepath.Glob(filepath.Join(dir, "mine", "*.json")); err != nil || len(files) != 1 || filepath.Base(files[0]) != whole+".json" {
		t.Errorf("published %v, %v", files, err)
	}
	if _, err := os.Stat(filepath.Join(runs[0], "checkpoints")); err != nil {
		return // there is nothing to export
	}
	for i, d := range damages {
		if got := program.Call(t, dir, nil, "export", runs[i]); got.Code == 0 || !strings.Contains(got.Stderr, d.reason) {
			t.Errorf("export: %s: code %d, %s", d.what, got.Code, got.Stderr)
		}
	}
	if got := program.Call(t, dir, nil, "export", runs[len(damages)]); got.Code != 0 {
		t.Errorf("export of a whole run: %s", got.Stderr)
	}
}

// damage does the i-th of the damages to a run.
func damage(t *testing.T, run string, i int) {
	t.Helper()
	d := damages[i]
	name := filepath.Join(run, d.file)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d.change == nil {
		err = os.Remove(name)
	} else {
		changed := d.change(bytes.Clone(data))
		if bytes.Equal(changed, data) {
			t.Fatalf("%s changes nothing", d.what)
		}
		err = os.WriteFile(name, changed, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// warned looks for a line about a run with a reason.
func warned(stderr, id, reason string) bool {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "warning: run "+id) && strings.Contains(line, reason) && strings.Contains(line, "left out") {
			return true
		}
	}
	return false
}
