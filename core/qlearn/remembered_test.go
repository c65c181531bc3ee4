package qlearn_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

// Remembered target values change no bit: not of a learner that remembers
// everything, nor of one with room for some, which sees the same episodes again
// and again between two synchronisations, and is saved and restored in between.
func TestRememberedValuesHaveTheSameBits(t *testing.T) {
	for name, spec := range map[string]core.EnvSpec{"flat": qlearntest.Spec(2), "entities": battle(3, 4, 9), separate: apart(2)} {
		for _, mixer := range []string{"vdn", "qmix", "qplex"} {
			for _, double := range []bool{true, false} {
				for _, threads := range []int{1, 2} {
					t.Run(fmt.Sprintf("%s/%s/double=%v/threads%d", name, mixer, double, threads), func(t *testing.T) {
						settings := with("double_q", double)
						want, found := rehearsed(t, mixer, spec, settings, 1, 0)
						if found != 0 {
							t.Fatalf("%d episodes were found in a memory without room", found)
						}
						for _, room := range []int{4 * spec.Limit * spec.Agents * spec.Actions, 1 << 20} {
							got, found := rehearsed(t, mixer, spec, settings, threads, room)
							if found == 0 {
								t.Errorf("room for %d floats: nothing was found", room)
							}
							if !bytes.Equal(got, want) {
								t.Errorf("room for %d floats: other bits than without a memory", room)
							}
						}
					})
				}
			}
		}
	}
}

// rehearsed trains on batches drawn from a few episodes and returns the state and
// how many episodes were found in memory.
func rehearsed(t *testing.T, mixer string, spec core.EnvSpec, s core.Settings, threads, room int) (state []byte, found int) {
	t.Helper()
	l := learner(t, mixer, spec, s, threads)
	l.Remember(room)
	from := rng.New(3).Stream()
	var all, batch []*episode.Episode
	for i := range 8 {
		all = append(all, qlearntest.Episode(from, spec, 1+from.Intn(spec.Limit), int64(i)))
	}
	for step := range 12 {
		batch = batch[:0]
		for range 5 {
			batch = append(batch, copied(all[from.Intn(len(all))]))
		}
		train(t, l, batch)
		switch step {
		case 4:
			l.SyncTarget()
		case 7:
			other := learner(t, mixer, spec, s, threads)
			must(t, other.Load(bytes.NewReader(bytesOf(t, l))))
			found += l.Remember(room)
			l = other
			l.Remember(room)
		case 9: // episodes that differ in one input, under the same number
			all[0] = copied(all[0])
			all[0].Obs[len(all[0].Obs)-1]++
			all[1] = copied(all[1])
			all[1].Actions[0] = (all[1].Actions[0] + 1) % int32(spec.Actions)
			all[1].Avail = slices.Repeat([]uint8{1}, len(all[1].Avail))
			all[2] = copied(all[2])
			onlyAttacks(all[2])
		}
	}
	return bytesOf(t, l), found + l.Remember(room)
}

func copied(e *episode.Episode) *episode.Episode {
	c := new(episode.Episode)
	c.CopyFrom(e)
	return c
}

// onlyAttacks leaves the last third of the actions, and those that were taken.
func onlyAttacks(e *episode.Episode) {
	for i := range e.Avail {
		e.Avail[i] = 0
		if i%e.A >= e.A*2/3 || i < e.T*e.N*e.A && int(e.Actions[i/e.A]) == i%e.A {
			e.Avail[i] = 1
		}
	}
}
