package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macpro/core/store"
)

// A damaged record of a submission is named with its file and what is wrong there.
func TestDamagedBatch(t *testing.T) {
	s := &Sweep{Plan: Plan{ID: "s"}, Root: t.TempDir(), FS: store.OS()}
	if err := s.putBatch(0, batch{Job: "7"}); err != nil {
		t.Fatal(err)
	}
	if b, err := s.batch(0); err != nil || b.Job != "7" {
		t.Fatalf("%+v, %v", b, err)
	}
	name := s.Path("slurm", "0", "batch.json")
	for text, want := range map[string]string{`{"job": 7}`: "job: a number, want a text", `{"job"`: "unexpected end"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.batch(0); err == nil || !strings.Contains(err.Error(), filepath.Base(name)+" is damaged: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
