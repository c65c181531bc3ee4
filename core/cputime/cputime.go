// Package cputime measures the processor time of this program. On a busy machine it
// tells more than the clock.
package cputime

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Used is what all threads of this process have used so far.
func Used() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(fmt.Sprintf("cputime: processor time of this process: %v", err)) // only wrong arguments are refused
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Median is the middle one of some times, the later one of two. It sorts them.
func Median(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)/2]
}

// Bench is what InTurn needs of a testing.B.
type Bench interface {
	Loop() bool
	ReportMetric(n float64, unit string)
}

// InTurn measures two kinds of work in turn, so that what else the machine does
// meets both. For each turn prepare(i) makes ready work i and returns it. Reported are
// the median of each, NAME-ms, and the second in units of the first, ratio.
func InTurn(b Bench, first, second string, prepare func(i int) (work func())) {
	var took [2][]time.Duration
	for b.Loop() {
		for i := range took {
			work := prepare(i)
			start := Used()
			work()
			took[i] = append(took[i], Used()-start)
		}
	}
	x, y := Median(took[0]).Seconds(), Median(took[1]).Seconds()
	b.ReportMetric(x*1e3, first+"-ms")
	b.ReportMetric(y*1e3, second+"-ms")
	b.ReportMetric(y/x, "ratio")
}
