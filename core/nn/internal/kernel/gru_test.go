package kernel

import (
	"math"
	"testing"
)

// gruCase is one call of GRUGates and GRUGatesGrad.
type gruCase struct {
	rows, h              int
	gx, gh, dgx, dgh     []float32
	hPrev, r, z, n, hOut []float32
	dh, dhPrev           []float32
}

func newGRUCase(rows, h int) *gruCase {
	c := &gruCase{rows: rows, h: h, gx: noise(rows*3*h, 1), gh: noise(rows*3*h, 2), hPrev: noise(rows*h, 3), dh: noise(rows*h, 4)}
	c.dgx, c.dgh = make([]float32, rows*3*h), make([]float32, rows*3*h)
	c.r, c.z, c.n = make([]float32, rows*h), make([]float32, rows*h), make([]float32, rows*h)
	c.hOut, c.dhPrev = make([]float32, rows*h), make([]float32, rows*h)
	return c
}

func (c *gruCase) forward() { GRUGates(c.rows, c.h, c.gx, c.gh, c.hPrev, c.r, c.z, c.n, c.hOut) }

func (c *gruCase) backward() {
	GRUGatesGrad(c.rows, c.h, c.gh, c.hPrev, c.r, c.z, c.n, c.dh, c.dgx, c.dgh, c.dhPrev)
}

// gru64 is the definition for one element; g holds the r, z and n parts of gx
// and of gh.
func gru64(gx, gh [3]float64, h float64) float64 {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	r, z := sigmoid(gx[0]+gh[0]), sigmoid(gx[1]+gh[1])
	return (1-z)*math.Tanh(gx[2]+r*gh[2]) + z*h
}

// gates returns the three parts of element j of row i.
func (c *gruCase) gates(x []float32, i, j int) (g [3]float64) {
	for t := range g {
		g[t] = float64(x[(i*3+t)*c.h+j])
	}
	return g
}

func TestGRUGates(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, h := range []int{1, 3, 8, 13, 16, 64, 67} {
			c := newGRUCase(3, h)
			c.forward()
			want := make([]float64, 3*h)
			for i := range 3 {
				for j := range h {
					want[i*h+j] = gru64(c.gates(c.gx, i, j), c.gates(c.gh, i, j), float64(c.hPrev[i*h+j]))
				}
			}
			if err := near(c.hOut, want, 5e-7); err != nil {
				t.Errorf("h=%d: %v", h, err)
			}
			out := c.hOut
			c.hOut = c.hPrev
			c.forward()
			if err := sameBits(c.hOut, out); err != nil {
				t.Errorf("h=%d: hOut in the place of hPrev: %v", h, err)
			}
		}
	})
}

// TestGRUGatesAreTheVectorFunctions ties the fused cell to Sigmoid and Tanh.
func TestGRUGatesAreTheVectorFunctions(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		c := newGRUCase(1, 21)
		c.forward()
		for part, got := range [][]float32{c.r, c.z} {
			want := append([]float32(nil), c.gx[part*21:(part+1)*21]...)
			Add(want, c.gh[part*21:(part+1)*21])
			Sigmoid(want, want)
			if err := sameBits(got, want); err != nil {
				t.Errorf("gate %d: %v", part, err)
			}
		}
	})
}

func TestGRUGatesGrad(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, h := range []int{1, 7, 8, 13, 64} {
			c := newGRUCase(2, h)
			c.forward()
			c.backward()
			wantX, wantH, wantPrev := make([]float64, 6*h), make([]float64, 6*h), make([]float64, 2*h)
			for i := range 2 {
				for j := range h {
					gx, gh, hp, d := c.gates(c.gx, i, j), c.gates(c.gh, i, j), float64(c.hPrev[i*h+j]), float64(c.dh[i*h+j])
					for p := range 3 {
						at := (i*3+p)*h + j
						wantX[at] = d * slope(func(v float64) float64 { gx[p] = v; return gru64(gx, gh, hp) }, gx[p])
						wantH[at] = d * slope(func(v float64) float64 { gh[p] = v; return gru64(gx, gh, hp) }, gh[p])
					}
					wantPrev[i*h+j] = d * slope(func(v float64) float64 { return gru64(gx, gh, v) }, hp)
				}
			}
			for name, pair := range map[string]struct {
				got  []float32
				want []float64
			}{"dgx": {c.dgx, wantX}, "dgh": {c.dgh, wantH}, "dhPrev": {c.dhPrev, wantPrev}} {
				if err := near(pair.got, pair.want, 1e-6); err != nil {
					t.Errorf("h=%d %s: %v", h, name, err)
				}
			}
			wantG, wantP := append([]float32(nil), c.dgh...), append([]float32(nil), c.dhPrev...)
			c.dgh, c.dhPrev = c.gh, c.dh
			c.backward()
			if err := sameBits(c.dgh, wantG); err != nil {
				t.Errorf("h=%d: dgh in the place of gh: %v", h, err)
			}
			if err := sameBits(c.dhPrev, wantP); err != nil {
				t.Errorf("h=%d: dhPrev in the place of dh: %v", h, err)
			}
		}
	})
}
