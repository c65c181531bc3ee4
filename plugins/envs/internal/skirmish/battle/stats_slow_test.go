//go:build slow

package battle

import "testing"

func TestLiteStatisticsAtLength(t *testing.T) {
	compareStatistics(t, "testdata/smaclite_stats.json.gz", 1000)
}

// All 40 tasks against large samples of an independent engine with the same rules.
func TestLiteStatisticsOfAllTasks(t *testing.T) {
	compareStatistics(t, "testdata/replica_stats.json.gz", 400)
}
