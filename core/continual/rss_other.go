//go:build !linux && !darwin

package continual

// peakRSS is the largest resident memory of the process in bytes, 0 if unknown.
func peakRSS() int64 { return 0 }
