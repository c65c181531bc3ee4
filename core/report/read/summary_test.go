package read

import (
	"strings"
	"testing"
)

// A summary names a file below its folder only.
func TestSummaryIDStaysInItsFolder(t *testing.T) {
	for _, id := range []string{"../evil", "a/b", "..", "/etc/x"} {
		if _, err := ParseSummary("x.json", []byte(`{"format":1,"id":"`+id+`"}`)); err == nil || !strings.Contains(err.Error(), "cannot be the id") {
			t.Errorf("id %q: %v", id, err)
		}
	}
}
