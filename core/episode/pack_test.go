package episode

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

// random makes an episode in which the given share of the values changes from
// record to record, some of them to bits that compare as equal or as nothing.
func random(s *rng.Stream, n, a, obs, state, steps int, share float64) *Episode {
	e := &Episode{Task: s.Intn(3), Head: s.Intn(3), Index: int64(s.Intn(1000)), Seed: s.Uint64(), T: steps, N: n, A: a, ObsWidth: obs, StateWidth: state}
	odd := []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)), 1e-45}
	floats := func(rows, width int) []float32 {
		x := make([]float32, rows*width)
		for i := range x {
			if i >= width {
				x[i] = x[i-width]
			}
			if s.Float64() < share {
				x[i] = float32(s.Norm())
				if s.Intn(10) == 0 {
					x[i] = odd[s.Intn(len(odd))]
				}
			}
		}
		return x
	}
	e.Obs, e.State, e.Reward = floats(steps+1, n*obs), floats(steps+1, state), floats(1, steps)
	for range (steps + 1) * n * a {
		e.Avail = append(e.Avail, uint8(s.Intn(2)))
	}
	for range steps * n {
		e.Actions = append(e.Actions, int32(s.Intn(a)))
	}
	return e
}

// sameBits tells whether two episodes are equal to the bit.
func sameBits(a, b *Episode) bool {
	x, y := *a, *b
	same := slices.Equal(bitsOf(a.Obs), bitsOf(b.Obs)) && slices.Equal(bitsOf(a.State), bitsOf(b.State)) && slices.Equal(bitsOf(a.Reward), bitsOf(b.Reward))
	x.Obs, x.State, x.Reward, y.Obs, y.State, y.Reward = nil, nil, nil, nil, nil, nil
	return same && equal(&x, &y)
}

// What comes out of a store is what went in, whatever the shapes, and whatever
// the memory held that it comes out to.
func TestPackLosesNothing(t *testing.T) {
	s := rng.New(8).Stream()
	ring := NewRing(6)
	var kept []*Episode
	var got *Episode
	for i := range 400 {
		e := random(s, 1+s.Intn(9), 1+s.Intn(20), s.Intn(70), s.Intn(140), 1+s.Intn(30), []float64{0, 0.1, 1}[i%3])
		ring.Insert(e)
		if kept = append(kept, e); len(kept) > ring.Cap() {
			kept = kept[1:]
		}
		for k, want := range kept {
			ring.open(*ring.slot(k), &got)
			if !sameBits(got, want) || got.Check() != nil {
				t.Fatalf("episode %d of N %d, A %d, T %d, widths %d and %d is another", i, want.N, want.A, want.T, want.ObsWidth, want.StateWidth)
			}
			words := (&packer{}).pack(want)
			if err := checkPacked(want, words); err != nil {
				t.Fatal(err)
			}
			if checkPacked(want, words[:len(words)-1]) == nil || checkPacked(want, append(slices.Clone(words), 0)) == nil {
				t.Fatal("a word more or less is accepted")
			}
		}
	}
}

// What a store has taken for episodes that left is used again for others.
func TestMemoryIsUsedAgain(t *testing.T) {
	s := rng.New(9).Stream()
	ring, words, most := NewRing(40), 0, 0
	for range 2000 {
		ring.Insert(random(s, 3, 5, 30, 40, 1+s.Intn(60), 0.3))
		words = 0
		for i := range ring.Len() {
			words += len((*ring.slot(i)).pages) * len(page{})
		}
		most = max(most, words)
	}
	if have := words + len(ring.free)*len(page{}); have > most+(slab+len((*ring.slot(0)).pages))*len(page{}) {
		t.Errorf("memory for %d words, never more than %d were used", have, most)
	}
	ring.Clear()
	if len(ring.spare) != 40 {
		t.Errorf("%d of 40 episodes given back", len(ring.spare))
	}
}

// A file that was damaged or made up is refused, never trusted.
func FuzzGet(f *testing.F) {
	s := rng.New(1).Stream()
	ring := NewRing(4)
	for range 3 {
		ring.Insert(random(s, 2, 3, 4, 5, 1+s.Intn(4), 0.5))
	}
	file := safetensors.New()
	ring.Put(file, "d")
	table, _ := safetensors.Get[int64](file, "d.table")
	var words []byte
	for i := range ring.Len() {
		for part := range (*ring.slot(i)).parts() {
			words, _ = binary.Append(words, binary.LittleEndian, part)
		}
	}
	rows, _ := binary.Append(nil, binary.LittleEndian, table)
	f.Add(rows, words)
	f.Fuzz(func(t *testing.T, rows, words []byte) {
		table, packed := make([]int64, len(rows)/8), make([]uint32, len(words)/4)
		for i := range table {
			table[i] = int64(binary.LittleEndian.Uint64(rows[8*i:]))
		}
		for i := range packed {
			packed[i] = binary.LittleEndian.Uint32(words[4*i:])
		}
		file := safetensors.New()
		safetensors.Put(file, "d.table", table)
		safetensors.Put(file, "d.words", packed)
		r := NewRing(10)
		if r.Get(file, "d", "buffer_size") != nil {
			return
		}
		for i := range r.Len() {
			if err := r.At(i).Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// BenchmarkPack stores and BenchmarkUnpack takes out a battle of 47 transitions
// of 13 against 13, of which a sixth of the floats changes in a step.
func BenchmarkPack(b *testing.B) {
	e := random(rng.New(1).Stream(), 13, 19, 130, 338, 47, 0.16)
	var p packer
	b.ReportAllocs()
	for b.Loop() {
		p.pack(e)
	}
}

func BenchmarkUnpack(b *testing.B) {
	e := random(rng.New(1).Stream(), 13, 19, 130, 338, 47, 0.16)
	var p packer
	words := p.pack(e)
	var q packer
	b.ReportAllocs()
	for b.Loop() {
		q.unpack(e, words)
	}
}
