package names

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, name := range []string{"lbf", "6x6-right", "3s_vs_5z", "Zürich", "27m_vs_30m", strings.Repeat("x", MaxLen)} {
		if err := Check(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, says := range map[string]string{
		"": "empty", "a b": "one word", "a/b": "one word", "../x": "one word", "a\tb": "no screen", "a\n": "no screen",
		"\x1b[31m": `"\x1b[31m" holds`, "\xff": "no screen", "a\u202eb": "no screen", "--help": "dash",
		strings.Repeat("x", MaxLen+1): "has 201 bytes, want at most 200",
	} {
		if err := Check(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want %q", name, err, says)
		}
	}
}
