package kernel

import (
	"math"
	"testing"
)

// FuzzGemm tries sizes, gaps and accumulation of the three products on both
// paths against float64, packed against unpacked.
func FuzzGemm(f *testing.F) {
	f.Add(uint8(0), uint16(6), uint16(16), uint16(8), uint8(0), false)
	f.Add(uint8(1), uint16(13), uint16(33), uint16(300), uint8(3), true)
	f.Add(uint8(2), uint16(200), uint16(5), uint16(9), uint8(1), false)
	f.Fuzz(func(t *testing.T, op uint8, m, n, k uint16, gap uint8, acc bool) {
		o := Op(op % 3)
		mm, nn, kk := int(m%260)+1, int(n%140)+1, int(k%600)+1
		if mm*nn*kk > 1_000_000 {
			t.Skip("too large to be quick")
		}
		for _, p := range paths {
			use(t, p)
			if err := newProblem(o, mm, nn, kk, int(gap%20), acc).solve(acc); err != nil {
				t.Fatalf("%s %s m=%d n=%d k=%d gap=%d acc=%v: %v", p.name(), opNames[o], mm, nn, kk, gap%20, acc, err)
			}
		}
	})
}

// FuzzPair tries single sums of pairs, of any bits, on all paths against the one
// in plain Go. Low halves of the operands are what rounding sees.
func FuzzPair(f *testing.F) {
	f.Add(uint32(0x3f800000), uint32(0x3f818000), uint32(0x40490fdb), uint32(0xbf800000), uint32(0x3dcccccd))
	f.Add(uint32(0x00800000), uint32(0x0b800000), uint32(0x1b008001), uint32(0x9b0f0000), uint32(0x0c0f0000))
	f.Add(uint32(0xff800000), uint32(0x7f7fffff), uint32(0x7f7fffff), uint32(0x7f8fffff), uint32(0x00000001))
	f.Fuzz(func(t *testing.T, c, a0, a1, b0, b1 uint32) {
		of := math.Float32frombits
		p := pairProblem{m: 1, n: 1, k: 2, a: []float32{of(a0), of(a1)}, b: []float32{of(b0), of(b1)}, c: []float32{of(c)}}
		for _, path := range paths {
			use(t, path)
			if err := p.solve(true, copied); err != nil {
				t.Fatalf("%s: %v", path.name(), err)
			}
		}
	})
}

// FuzzUnary tries single values of the activations on both paths.
func FuzzUnary(f *testing.F) {
	f.Add(float32(0.3), uint8(3))
	f.Add(float32(-88.5), uint8(8))
	f.Fuzz(func(t *testing.T, v float32, at uint8) {
		for _, p := range paths {
			use(t, p)
			for _, c := range unary {
				x := make([]float32, int(at)+1)
				x[at] = v
				c.f(x, x)
				want := float32(c.ref(float64(v)))
				got := x[at]
				if got == want || got != got && want != want {
					continue
				}
				if d := max(got, want) - min(got, want); !(d <= 4e-7*max(want, -want)+0x1p-126) {
					t.Errorf("%s %s(%v) = %v, want %v", p.name(), c.name, v, got, want)
				}
			}
		}
	})
}
