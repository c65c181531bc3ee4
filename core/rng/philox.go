package rng

import "math/bits"

// Constants of Philox4x64 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011, table 2 and section 4.2).
const (
	philoxM0 = 0xD2E7470EE14C6C93
	philoxM1 = 0xCA5A826395121157
	philoxW0 = 0x9E3779B97F4A7C15
	philoxW1 = 0xBB67AE8584CAA73B
)

// philox encrypts a counter under a key in ten rounds.
func philox(ctr [4]uint64, k0, k1 uint64) [4]uint64 {
	x0, x1, x2, x3 := ctr[0], ctr[1], ctr[2], ctr[3]
	for range 10 {
		hi0, lo0 := bits.Mul64(philoxM0, x0)
		hi1, lo1 := bits.Mul64(philoxM1, x2)
		x0, x1, x2, x3 = hi1^x1^k0, lo1, hi0^x3^k1, lo0
		k0 += philoxW0
		k1 += philoxW1
	}
	return [4]uint64{x0, x1, x2, x3}
}
