//go:build darwin

package memory

import (
	"math"

	"golang.org/x/sys/unix"
)

// physical is the machine's memory in bytes.
func physical() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil || n > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(n)
}
