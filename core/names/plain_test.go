package names

import "testing"

func TestPlain(t *testing.T) {
	for _, c := range []struct{ in, plain, lines string }{
		{"topright", "topright", "topright"},
		{"Zürich 東京 \"x\" \\n", "Zürich 東京 \"x\" \\n", "Zürich 東京 \"x\" \\n"},
		{"a\x1b[31mb", `a\x1b[31mb`, `a\x1b[31mb`},
		{"\x1b]0;title\a", `\x1b]0;title\a`, `\x1b]0;title\a`},
		{"one\ntwo\tx\r", `one\ntwo\tx\r`, "one\ntwo\tx" + `\r`},
		{"\u009b31m\x7f", `\u009b31m\x7f`, `\u009b31m\x7f`},
		{"\u202egnp.exe", `\u202egnp.exe`, `\u202egnp.exe`},
		{"a\xffb\xc3", `a\xffb\xc3`, `a\xffb\xc3`},
		{"\ufffd", "\ufffd", "\ufffd"},
		{"\u2028\x00", `\u2028\x00`, `\u2028\x00`},
	} {
		if got := Plain(c.in); got != c.plain {
			t.Errorf("Plain(%q) = %q, want %q", c.in, got, c.plain)
		}
		if got := PlainLines(c.in); got != c.lines {
			t.Errorf("PlainLines(%q) = %q, want %q", c.in, got, c.lines)
		}
	}
}
