package rng

import (
	"math"
	"testing"
)

// Known answers of Philox4x64-10 from the Random123 distribution.
func TestPhiloxKnownAnswers(t *testing.T) {
	const ones = math.MaxUint64
	for _, c := range []struct {
		ctr  [4]uint64
		key  [2]uint64
		want [4]uint64
	}{
		{[4]uint64{}, [2]uint64{},
			[4]uint64{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
		{[4]uint64{ones, ones, ones, ones}, [2]uint64{ones, ones},
			[4]uint64{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
		{[4]uint64{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
			[2]uint64{0x452821e638d01377, 0xbe5466cf34e90c6c},
			[4]uint64{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
	} {
		if got := philox(c.ctr, c.key[0], c.key[1]); got != c.want {
			t.Errorf("philox(%x, %x) = %x, want %x", c.ctr, c.key, got, c.want)
		}
	}
}

func TestPathsAreIndependent(t *testing.T) {
	seen := map[uint64]string{}
	add := func(name string, s Source) {
		v := s.Stream().Uint64()
		if other, ok := seen[v]; ok {
			t.Errorf("%s and %s give the same first number", name, other)
		}
		seen[v] = name
	}
	for seed := range uint64(20) {
		root := New(seed)
		add("root", root)
		add("a", root.Child("a"))
		add("a/b", root.Child("a", "b"))
		add("ab", root.Child("ab"))
		add("int 1", root.ChildInt(1))
		add("name 1", root.Child("1"))
	}
	if New(3).Child("a", "b").Stream().Uint64() != New(3).Child("a").Child("b").Stream().Uint64() {
		t.Error("a path must not depend on how it was walked")
	}
}

func TestStateResumesAtEveryPosition(t *testing.T) {
	s := New(7).Child("replay").Stream()
	for i := range 11 {
		b := s.AppendState(nil)
		var r Stream
		if err := r.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		c := *s
		for j := range 100 {
			if a, b := c.Uint64(), r.Uint64(); a != b {
				t.Fatalf("after %d draws, draw %d: %x, restored %x", i, j, a, b)
			}
		}
		s.Uint64()
	}
}

func TestStateRejectsGarbage(t *testing.T) {
	var s Stream
	for _, b := range [][]byte{nil, make([]byte, 24), append(make([]byte, 24), 5)} {
		if s.UnmarshalBinary(b) == nil {
			t.Errorf("accepted %v", b)
		}
	}
}

func TestIntnIsUniform(t *testing.T) {
	s := New(1).Stream()
	const n, draws = 7, 70000
	var count [n]int
	for range draws {
		count[s.Intn(n)]++
	}
	chi := 0.0
	for _, c := range count {
		d := float64(c) - draws/n
		chi += d * d / (draws / n)
	}
	if chi > 22.5 { // p = 0.001 at 6 degrees of freedom
		t.Errorf("chi-square %.1f, counts %v", chi, count)
	}
}

func TestNormMoments(t *testing.T) {
	s := New(2).Stream()
	const n = 200000
	var sum, sq float64
	for range n {
		x := s.Norm()
		sum += x
		sq += x * x
	}
	if m := sum / n; math.Abs(m) > 0.01 {
		t.Errorf("mean %v", m)
	}
	if v := sq / n; math.Abs(v-1) > 0.02 {
		t.Errorf("variance %v", v)
	}
}

func TestSampleIsDistinctAndUniform(t *testing.T) {
	s := New(3).Stream()
	const n, k, rounds = 10, 4, 20000
	dst, scratch := make([]int, k), make([]int, n)
	var first [n]int
	for range rounds {
		s.Sample(dst, scratch, n)
		var seen [n]bool
		for _, i := range dst {
			if seen[i] {
				t.Fatalf("repeated %d in %v", i, dst)
			}
			seen[i] = true
		}
		first[dst[0]]++
	}
	for i, c := range first {
		if math.Abs(float64(c)-rounds/n) > 200 { // about 4.7 standard deviations
			t.Errorf("%d came first %d times of %d", i, c, rounds)
		}
	}
}

func TestPermIsAPermutation(t *testing.T) {
	s := New(4).Stream()
	p := make([]int, 50)
	s.Perm(p)
	var seen [50]bool
	for _, i := range p {
		if seen[i] {
			t.Fatalf("repeated %d", i)
		}
		seen[i] = true
	}
}

func TestDrawsDoNotAllocate(t *testing.T) {
	s := New(5).Stream()
	if n := testing.AllocsPerRun(100, func() { s.Norm(); s.Intn(10); e := FromSeed(s.Uint64()); e.Float64() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkUint64(b *testing.B) {
	s := New(1).Stream()
	for b.Loop() {
		s.Uint64()
	}
}
