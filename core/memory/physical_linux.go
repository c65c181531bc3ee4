package memory

import (
	"math"
	"syscall"
)

// physical is the machine's memory in bytes.
func physical() int64 {
	var i syscall.Sysinfo_t
	if syscall.Sysinfo(&i) != nil {
		return math.MaxInt64
	}
	return int64(i.Totalram) * int64(i.Unit)
}
