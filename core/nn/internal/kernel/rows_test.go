package kernel

import (
	"math"
	"testing"
)

var rowWidths = []int{1, 2, 5, 7, 8, 9, 15, 16, 17, 25, 31, 32, 33, 64, 70, 100, 128}

func TestBiasAct(t *testing.T) {
	acts := map[Act]func(float64) float64{
		ActNone: func(x float64) float64 { return x },
		ActReLU: func(x float64) float64 { return max(x, 0) },
		ActAbs:  math.Abs,
	}
	eachPath(t, func(t *testing.T) {
		for _, cols := range rowWidths {
			for act, f := range acts {
				for _, bias := range [][]float32{nil, noise(cols, 2)} {
					for gap := range 2 {
						const rows = 3
						flat := noise(rows*cols, 1)
						x := padded(rows, cols, cols+gap, flat)
						BiasAct(rows, cols, x, cols+gap, bias, act)
						for i := range rows {
							want := make([]float64, cols)
							for j := range want {
								want[j] = float64(flat[i*cols+j])
								if bias != nil {
									want[j] += float64(bias[j])
								}
								want[j] = f(want[j])
							}
							if err := near(x[i*(cols+gap):][:cols], want, 1e-7); err != nil {
								t.Fatalf("cols=%d act=%d bias=%v: row %d: %v", cols, act, bias != nil, i, err)
							}
						}
						if err := gapsIntact(rows, cols, cols+gap, x); err != nil {
							t.Fatalf("cols=%d act=%d: %v", cols, act, err)
						}
					}
				}
			}
		}
	})
}

func TestColSumAdd(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, cols := range rowWidths {
			const rows = 37
			flat, dst := noise(rows*cols, 1), noise(cols, 2)
			chain := append([]float32(nil), dst...)
			for i := range rows {
				for j := range chain {
					chain[j] += flat[i*cols+j]
				}
			}
			ColSumAdd(dst, rows, cols, padded(rows, cols, cols+3, flat), cols+3)
			if err := sameBits(dst, chain); err != nil {
				t.Errorf("cols=%d: %v", cols, err)
			}
		}
	})
}

func TestSoftmaxRows(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, cols := range rowWidths {
			const rows = 4
			flat := noise(rows*cols, 1)
			for i := range flat {
				flat[i] *= 30
			}
			// Rows close together, with a gap, and whole registers apart have the same bits.
			dense := append([]float32(nil), flat...)
			SoftmaxRows(rows, cols, dense, cols)
			for i := range rows {
				if err := near(dense[i*cols:(i+1)*cols], softmax64(flat[i*cols:(i+1)*cols]), 3e-7); err != nil {
					t.Errorf("cols=%d: %v", cols, err)
				}
			}
			for _, ld := range []int{cols + 2, (cols + 15) / 16 * 16} {
				x := padded(rows, cols, ld, flat)
				SoftmaxRows(rows, cols, x, ld)
				for i := range rows {
					if err := sameBits(x[i*ld:][:cols], dense[i*cols:(i+1)*cols]); err != nil {
						t.Errorf("cols=%d, ld=%d: %v", cols, ld, err)
					}
				}
				if err := gapsIntact(rows, cols, ld, x); err != nil {
					t.Errorf("cols=%d, ld=%d: %v", cols, ld, err)
				}
			}
		}
	})
}

// softmax64 is the definition.
func softmax64(x []float32) []float64 {
	top, sum := math.Inf(-1), 0.0
	for _, v := range x {
		top = max(top, float64(v))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Exp(float64(v) - top)
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
	return y
}

func TestSoftmaxRowsGrad(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, cols := range rowWidths {
			const rows = 3
			y, dy := noise(rows*cols, 1), noise(rows*cols, 2)
			SoftmaxRows(rows, cols, y, cols)
			want := make([]float64, rows*cols)
			for i := range rows {
				var sum float64
				for j := range cols {
					sum += float64(y[i*cols+j]) * float64(dy[i*cols+j])
				}
				for j := range cols {
					want[i*cols+j] = float64(y[i*cols+j]) * (float64(dy[i*cols+j]) - sum)
				}
			}
			SoftmaxRowsGrad(rows, cols, dy, y, dy, cols)
			if err := near(dy, want, 3e-7); err != nil {
				t.Errorf("cols=%d: %v", cols, err)
			}
		}
	})
}

// layerNorm64 is the definition for one row.
func layerNorm64(x, gamma, beta []float64, eps float64) []float64 {
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = gamma[i]*(v-mean)/math.Sqrt(variance+eps) + beta[i]
	}
	return y
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// layerNormCase is one normalisation with everything its gradient needs.
type layerNormCase struct {
	rows, cols                        int
	x, gamma, beta, out, mean, rstd   []float32
	dy, dx, dgamma, dbeta, gamma0, b0 []float32
}

func newLayerNormCase(rows, cols int) *layerNormCase {
	c := &layerNormCase{rows: rows, cols: cols, x: noise(rows*cols, 1), gamma: noise(cols, 2), beta: noise(cols, 3),
		out: make([]float32, rows*cols), mean: make([]float32, rows), rstd: make([]float32, rows),
		dy: noise(rows*cols, 4), dx: make([]float32, rows*cols), dgamma: noise(cols, 5), dbeta: noise(cols, 6)}
	c.gamma0, c.b0 = append([]float32(nil), c.dgamma...), append([]float32(nil), c.dbeta...)
	return c
}

func (c *layerNormCase) forward() {
	LayerNormRows(c.rows, c.cols, c.x, c.gamma, c.beta, 1e-2, c.out, c.mean, c.rstd)
}

func (c *layerNormCase) backward() {
	LayerNormRowsGrad(c.rows, c.cols, c.x, c.gamma, c.mean, c.rstd, c.dy, c.dx, c.dgamma, c.dbeta)
}

func TestLayerNormRows(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, cols := range rowWidths {
			c := newLayerNormCase(3, cols)
			c.forward()
			for i := range c.rows {
				row := widen(c.x[i*cols : (i+1)*cols])
				want := layerNorm64(row, widen(c.gamma), widen(c.beta), 1e-2)
				if err := near(c.out[i*cols:(i+1)*cols], want, 2e-6); err != nil {
					t.Errorf("cols=%d row %d: %v", cols, i, err)
				}
			}
		}
	})
}

// TestLayerNormRowsGrad checks the gradient against central differences of the
// float64 definition.
func TestLayerNormRowsGrad(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, cols := range []int{1, 5, 8, 17, 32, 64} {
			c := newLayerNormCase(3, cols)
			gamma, beta := widen(c.gamma), widen(c.beta)
			loss := func(i int, x []float64) (sum float64) {
				for j, v := range layerNorm64(x, gamma, beta, 1e-2) {
					sum += v * float64(c.dy[i*cols+j])
				}
				return sum
			}
			wantDx := make([]float64, c.rows*cols)
			wantGamma, wantBeta := widen(c.gamma0), widen(c.b0)
			for i := range c.rows {
				x := widen(c.x[i*cols : (i+1)*cols])
				for j := range cols {
					wantDx[i*cols+j] = slope(func(v float64) float64 { x[j] = v; return loss(i, x) }, x[j])
					wantGamma[j] += slope(func(v float64) float64 { gamma[j] = v; return loss(i, x) }, gamma[j])
					wantBeta[j] += slope(func(v float64) float64 { beta[j] = v; return loss(i, x) }, beta[j])
				}
			}
			c.forward()
			c.backward()
			for name, pair := range map[string]struct {
				got  []float32
				want []float64
			}{"dx": {c.dx, wantDx}, "dgamma": {c.dgamma, wantGamma}, "dbeta": {c.dbeta, wantBeta}} {
				if err := near(pair.got, pair.want, 1e-5); err != nil {
					t.Errorf("cols=%d %s: %v", cols, name, err)
				}
			}
			want := append([]float32(nil), c.dx...)
			c.dx = c.dy
			c.backward()
			if err := sameBits(c.dx, want); err != nil {
				t.Errorf("cols=%d: dx in the place of dy: %v", cols, err)
			}
		}
	})
}

// slope is the central difference of f at x; it leaves f called with x.
func slope(f func(float64) float64, x float64) float64 {
	const h = 1e-5
	d := (f(x+h) - f(x-h)) / (2 * h)
	f(x)
	return d
}
