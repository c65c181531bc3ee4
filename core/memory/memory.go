// Package memory refuses what cannot fit into the machine's memory before it is
// allocated: a description of 10^9 actions ends with a sentence that says so, and
// not with the end of the process.
package memory

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"macpro/core/files"
)

// Total is the memory in bytes that this process can have at most: the machine's,
// or less in a container (cgroup). It is MaxInt64 where nothing is known.
var Total = sync.OnceValue(func() int64 {
	return min(physical(), limited("/proc/self/cgroup", "/sys/fs/cgroup"))
})

// Fits is an error if something of a size in bytes does not fit into Total. The
// size is a float64, in which products of sizes cannot overflow.
func Fits(what string, bytes float64) error {
	if total := Total(); bytes > float64(total) {
		return fmt.Errorf("%s need %s, and this machine has %s", what, Size(bytes), Size(float64(total)))
	}
	return nil
}

// Size writes a number of bytes in words, as in "1.5 GiB".
func Size(bytes float64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for ; bytes >= 1024 && i < len(units)-1; i++ {
		bytes /= 1024
	}
	return strconv.FormatFloat(bytes, 'g', 4, 64) + " " + units[i]
}

// limited is the least memory.max of the control groups (v2) that hold the process.
func limited(own, root string) int64 {
	least := int64(math.MaxInt64)
	data, err := files.Read(own)
	if err != nil {
		return least
	}
	for line := range strings.Lines(string(data)) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::/")
		if !ok {
			continue
		}
		parts := strings.Split(group, "/")
		for i := range len(parts) + 1 {
			name := strings.Join(append([]string{root}, parts[:i]...), "/") + "/memory.max"
			text, err := files.Read(name)
			if err != nil {
				continue
			}
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
				least = min(least, n)
			}
		}
	}
	return least
}
