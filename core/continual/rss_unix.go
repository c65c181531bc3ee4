//go:build linux || darwin

package continual

import (
	"runtime"
	"syscall"
)

// peakRSS is the largest resident memory of the process in bytes, 0 if unknown.
func peakRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss) // bytes there, kilobytes on Linux
	}
	return int64(u.Maxrss) * 1024
}
