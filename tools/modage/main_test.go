package main

import (
	"strings"
	"testing"
)

func TestBehind(t *testing.T) {
	modules, err := decode([]byte(`{"Path": "a", "Version": "v1.0.0", "Time": "2024-01-01T00:00:00Z",
 "Update": {"Path": "a", "Version": "v1.9.0", "Time": "2026-01-01T00:00:00Z"}}
{"Path": "b", "Version": "v1.0.0", "Indirect": true, "Time": "2025-06-01T00:00:00Z",
 "Update": {"Path": "b", "Version": "v1.0.1", "Time": "2026-01-01T00:00:00Z"}}
{"Path": "c", "Version": "v1.0.0", "Time": "2019-01-01T00:00:00Z"}
{"Path": "d", "Version": "v1.0.0", "Indirect": true, "Error": {"Err": "no proxy\nat all"}}`))
	if err != nil || len(modules) != 4 {
		t.Fatalf("%d modules, error %v", len(modules), err)
	}
	for i, want := range []string{
		"a v1.0.0 (direct, 2024-01-01): v1.9.0 is of 2026-01-01, 2.0 years later",
		"",
		"",
		"d v1.0.0 (indirect): newest version unknown: no proxy",
	} {
		if got := modules[i].behind(); got != want {
			t.Errorf("%s: %q, want %q", modules[i].Path, got, want)
		}
	}
	if _, err := decode([]byte(`{"Path": `)); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("half an answer gives %v", err)
	}
}
