//go:build slow

package bits_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
	"macpro/core/rng"
	"macpro/core/store"
)

// digestsOf maps what the runs in a folder are to their journals' digests.
func digestsOf(dir string) (map[string]string, error) {
	runs, _, err := store.List(store.OS(), filepath.Join(dir, "results"))
	out := map[string]string{}
	for _, r := range runs {
		d, e := r.Digest()
		key := fmt.Sprintf("%s seed %d", r.Manifest.Alg, r.Manifest.Seed)
		if out[key] != "" {
			e = errors.Join(e, fmt.Errorf("two runs of %s", key))
		}
		err = errors.Join(err, e)
		out[key] = string(r.Status) + " " + d
	}
	return out, err
}

// spoil damages one file of a run and says how; "" if it is as it was.
func spoil(s *rng.Stream, run string) (string, error) {
	var files []string
	err := filepath.WalkDir(run, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		return "", err
	}
	name := files[s.Intn(len(files))]
	old, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	data := bytes.Clone(old)
	how := []string{"cut", "emptied", "deleted", "a bit turned", "a block cleared", "bytes added", "a device in its place", "a folder in its place", "noise"}[s.Intn(9)]
	at := func() int { return s.Intn(len(old) + 1) }
	switch how {
	case "cut":
		data = data[:at()]
	case "emptied":
		data = nil
	case "a bit turned":
		if len(data) > 0 {
			data[s.Intn(len(data))] ^= 1 << s.Intn(8)
		}
	case "a block cleared":
		from := at()
		clear(data[from:min(len(data), from+512)])
	case "bytes added":
		from := at()
		data = slices.Concat(data[:from], []byte("x9}\n"), data[from:])
	case "noise":
		for i := range data {
			data[i] = byte(s.Uint64())
		}
	default:
		err = os.Remove(name)
	}
	switch how {
	case "deleted":
	case "a device in its place":
		err = errors.Join(err, os.Symlink("/dev/zero", name))
	case "a folder in its place":
		err = errors.Join(err, os.Mkdir(name, 0o755))
	default:
		if bytes.Equal(data, old) {
			return "", nil
		}
		err = os.WriteFile(name, data, 0o600)
	}
	return strings.TrimPrefix(name, run+"/") + ": " + how, err
}

// readers are the commands that tell about a run; RUN stands for its id.
var readers = []string{
	"table metrics --format json", "table main --format csv", "table metrics --stats iqm --format csv", "plot main -o out.svg",
	"eval RUN --episodes 1 --json --quiet", "eval RUN --modes oracle --tasks seen --episodes 2 --quiet", "export RUN -o out.bin --quiet", "report -o page.html",
}

// told is what a command prints and writes, without what differs between calls.
func told(dir, line, run string) (program.Outcome, string) {
	got := call(dir, words(strings.ReplaceAll(line, "RUN", run))...)
	h := sha256.New()
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // what is missing differs
		if err == nil && strings.HasPrefix(filepath.Base(strings.TrimPrefix(path, dir+"/")), "out") && !e.IsDir() || strings.Contains(path, "/out/") {
			data, err := os.ReadFile(path)
			fmt.Fprintf(h, "%s %x %v\n", strings.TrimPrefix(path, dir), sha256.Sum256(data), err)
		}
		return nil
	})
	return got, got.Stdout + fmt.Sprintf("%x", h.Sum(nil))
}

// damage damages a file of a finished run. Every command tells the same as
// before, or says what is the matter.
func (x *torture) damage(s *rng.Stream, dir string) error {
	w, err := x.undisturbed(s)
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(dir, "results"), os.DirFS(filepath.Join(w.dir, "results"))); err != nil {
		return err
	}
	rec, err := oneRun(dir)
	if err != nil || rec == nil {
		return fmt.Errorf("the copy: %v, %w", rec, err)
	}
	lines := []string{readers[s.Intn(len(readers))], readers[s.Intn(len(readers))]}
	var before, words []string // on standard output, and on standard error
	lines = slices.DeleteFunc(lines, func(line string) bool {
		got, text := told(dir, line, rec.Manifest.ID)
		removeOutput(dir)
		if got.Code == 0 {
			before, words = append(before, text), append(words, got.Stderr)
		}
		return got.Code != 0 // such as a mode that the method does not have
	})
	how, err := spoil(s, rec.Dir)
	if err != nil || how == "" {
		return err
	}
	for i, line := range lines {
		got, text := told(dir, line, rec.Manifest.ID)
		removeOutput(dir)
		if x.readings++; got.Code != 0 || got.Stderr != words[i] {
			x.remarks++
		}
		if bad := trouble(got); bad != "" {
			return fmt.Errorf("%s: %s: %s: %s: %s", w.name, how, line, bad, got)
		}
		if got.Code == 0 && got.Stderr == words[i] && text != before[i] && !strings.HasPrefix(line, "report") {
			return fmt.Errorf("%s: %s: %s tells something else without a word: %s\nbefore: %.3000s", w.name, how, line, got, before[i])
		}
	}
	return nil
}

func removeOutput(dir string) {
	for _, name := range []string{"out", "out.svg", "out.bin", "page.html"} {
		_ = os.RemoveAll(filepath.Join(dir, name)) // it need not be there
	}
}

// damagedResume damages a file of a run that was killed. It is refused, or
// resumed to the end that it would have had.
func (x *torture) damagedResume(s *rng.Stream, dir string) error {
	w, err := x.undisturbed(s)
	if err != nil {
		return err
	}
	if got, ended := x.killed(s, dir, w.took, words(w.line)); ended && got.Code != 0 {
		return fmt.Errorf("%s: %s", w.name, got)
	}
	rec, err := oneRun(dir)
	if err != nil || rec == nil || rec.Status == record.Done {
		return errors.Join(err, w.goesOn(dir))
	}
	how, err := spoil(s, rec.Dir)
	if err != nil {
		return err
	}
	got := call(dir, words("resume --quiet "+rec.Dir)...)
	if bad := trouble(got); bad != "" {
		return fmt.Errorf("%s: %s: %s: %s", w.name, how, bad, got)
	}
	if got.Code != 0 {
		return nil
	}
	if err := w.compare(dir); err != nil {
		return fmt.Errorf("%s: resumed: %w\n%s", how, err, got)
	}
	return nil
}
