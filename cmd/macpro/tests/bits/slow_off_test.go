//go:build !slow

package bits_test

const everyRun = false // all runs of digestRuns are extended, or two
