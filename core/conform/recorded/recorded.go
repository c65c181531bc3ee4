// Package recorded reads recordings of other implementations, for tests only.
package recorded

import (
	"compress/gzip"
	"encoding/json"
	"testing"

	"macpro/core/files"
)

// Read decodes a gzipped JSON file.
func Read(t testing.TB, path string, into any) {
	t.Helper()
	f, err := files.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(into); err != nil {
		t.Fatal(err)
	}
}
