package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// Values with parts are printed part by part, not as Go prints them.
func TestLinesOfRows(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{2.5, " k=2.5\n"},
		{"a b", " k=\"a b\"\n"},
		{map[string]float64{"ctde": 1, "ctce": 0}, " k.ctce=0 k.ctde=1\n"},
		{map[string]any{"b": map[string]any{"c": 1.5}, "a": "\x1b[31m"}, " k.a=\"\\x1b[31m\" k.b.c=1.5\n"},
		{[]any{1.0, []any{2.0}}, " k.0=1 k.1.0=2\n"},
	} {
		var out bytes.Buffer
		slog.New(slog.NewTextHandler(&out, nil)).Info("row", attribute("k", c.value))
		if !strings.HasSuffix(out.String(), c.want) {
			t.Errorf("%v gives %q instead of %q", c.value, out.String(), c.want)
		}
	}
}
