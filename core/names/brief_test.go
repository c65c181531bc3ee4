package names

import (
	"strings"
	"testing"
)

func TestBrief(t *testing.T) {
	hash := "0123456789ab" + strings.Repeat("c", 52)
	for text, want := range map[string]string{
		"":                                    "",
		hash:                                  "0123456789ab",
		"from=lbf-s1@621:" + hash:             "from=lbf-s1@621:0123456789ab",
		"[env/a=" + hash + ",b=" + hash + "]": "[env/a=0123456789ab,b=0123456789ab]",
		hash + "0":                            hash + "0", // no digest
		strings.ToUpper(hash):                 strings.ToUpper(hash),
		"lr=0.0005":                           "lr=0.0005",
	} {
		if got := Brief(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
