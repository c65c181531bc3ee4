package continual

import (
	"strings"
	"testing"

	"macpro/core/conform/mini"
)

// A run has two, four or eight shards and at most as many threads.
func TestShardsAndThreadsOfARun(t *testing.T) {
	for _, c := range []struct {
		shards, threads int
		says            string // "" for a run that may start
	}{
		{2, 1, ""}, {2, 2, ""}, {4, 3, ""}, {8, 8, ""},
		{2, 4, "threads 4: a gradient step has 2 shards"}, {4, 8, "set shards to 4 or 8"}, {6, 1, "shards 6: want 2, 4 or 8"},
	} {
		_, err := Parse(mini.Settings("shards", c.shards, "threads", c.threads))
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%d shards, %d threads: error %v, want %q", c.shards, c.threads, err, c.says)
		}
	}
}
