package conform

import (
	"fmt"
	"math"

	"macpro/core"
	"macpro/core/rng"
)

// Policy chooses one agent's action from its observation [o] and mask [A]; draw
// is its source of randomness.
type Policy func(agent int, obs []float32, avail []uint8, draw *rng.Stream) int32

// WinRate is the share of episodes that a scripted team wins, for tests of an
// environment against known numbers. It plays rounds episodes in each of the
// lanes of e, all of them to their end, on seeds that follow from seed.
func WinRate(e core.Env, lanes, rounds int, seed uint64, policy Policy) (float64, error) {
	s := e.Spec()
	f, joint := core.NewFrame(s, lanes), make([]int32, lanes*s.Agents)
	draw, seeds := rng.FromSeed(seed), make([]uint64, lanes)
	all, won := make([]int, lanes), 0
	for l := range all {
		all[l] = l
	}
	for range rounds {
		for l := range seeds {
			seeds[l] = draw.Uint64()
		}
		if err := e.Reset(all, seeds, f); err != nil {
			return 0, err
		}
		for running := append([]int(nil), all...); len(running) > 0; {
			for _, l := range running {
				for i := l * s.Agents; i < (l+1)*s.Agents; i++ {
					joint[i] = policy(i-l*s.Agents, row(f.Obs, i, s.ObsWidth), row(f.Avail, i, s.Actions), &draw)
				}
			}
			if err := e.Step(running, joint, f); err != nil {
				return 0, err
			}
			left := running[:0]
			for _, l := range running {
				if !f.Terminated[l] && !f.Truncated[l] {
					left = append(left, l)
				} else if f.Won[l] {
					won++
				}
			}
			running = left
		}
	}
	return float64(won) / float64(lanes*rounds), nil
}

// Near refuses a measured share of n episodes that is further from a known one
// than chance explains: four standard deviations of the difference, where the
// known share comes from m episodes and is printed in units of digit.
func Near(got float64, n int, want float64, m int, digit float64) error {
	chance := 4 * math.Sqrt(want*(1-want)*(1/float64(n)+1/float64(m)))
	if math.Abs(got-want) > chance+digit/2 {
		return fmt.Errorf("a share of %.4f in %d episodes, want %v (of %d)", got, n, want, m)
	}
	return nil
}
