//go:build slow

package bits_test

const everyRun = true // all runs of digestRuns are extended, or two
