package program

import (
	"path/filepath"
	"strings"
	"testing"

	"macpro/core/files"
)

// Section is a document's part from one text to another.
func Section(t testing.TB, file, from, to string) string {
	t.Helper()
	data, err := files.Read(filepath.Join(Repository(t), file))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), from)
	part, _, ends := strings.Cut(rest, to)
	if !found || !ends {
		t.Fatalf("%s has no part from %q to %q", file, from, to)
	}
	return part
}

// CodeLines counts the lines of a text that are not blank.
func CodeLines(text string) (n int) {
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// ShortRun are flags that make a run of a moment.
const ShortRun = " --alg finetuning --profile smoke --quiet --set steps_per_task=60 --set test_interval=30 --set test_nepisode=2"
