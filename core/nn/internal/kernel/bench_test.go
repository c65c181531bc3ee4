package kernel

import (
	"fmt"
	"testing"
	"time"
)

// peakOnce is the roof that the matrix benchmarks are reported against,
// measured once a path.
var peakOnce = map[string]float64{}

// reportRate states the rate of a benchmark and its fraction of the roof.
func reportRate(b *testing.B, flops float64) {
	b.StopTimer()
	roof, ok := peakOnce[Path()]
	if !ok {
		roof = Peak(200 * time.Millisecond)
		peakOnce[Path()] = roof
	}
	rate := flops * float64(b.N) / float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(rate, "GFLOP/s")
	b.ReportMetric(100*rate/roof, "%peak")
}

// BenchmarkGemm runs the shapes of a training step: dense layers of 128, a GRU
// of 64, attention of 32, and their gradients.
func BenchmarkGemm(b *testing.B) {
	for _, c := range []struct {
		op      Op
		m, n, k int
	}{
		{NN, 2496, 128, 128}, {NN, 2496, 192, 64}, {NN, 2496, 128, 20}, {NN, 832, 96, 64}, {NN, 800, 32, 32},
		{NN, 96, 192, 64}, {NN, 64, 192, 64}, {NN, 3, 128, 128}, {NN, 2496, 5, 64}, {NN, 25, 32, 25},
		{NT, 2496, 128, 128}, {NT, 96, 64, 192}, {NT, 832, 64, 96}, {NT, 25, 25, 32}, {NT, 2496, 64, 5},
		{TN, 128, 128, 2496}, {TN, 20, 128, 2496}, {TN, 64, 192, 2496}, {TN, 64, 96, 832}, {TN, 32, 32, 800}, {TN, 64, 5, 2496}, {TN, 25, 32, 25},
	} {
		b.Run(fmt.Sprintf("%s_%dx%dx%d", opNames[c.op], c.m, c.n, c.k), func(b *testing.B) {
			p := newProblem(c.op, c.m, c.n, c.k, 0, false)
			var s Scratch
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				Gemm(p.op, p.m, p.n, p.k, p.a, p.lda, p.b, p.ldb, false, p.c, p.ldc, &s)
			}
			reportRate(b, 2*float64(c.m)*float64(c.n)*float64(c.k))
		})
	}
}

// BenchmarkGemmPacked is the acting path: few rows, packed weights, bias and
// ReLU fused.
func BenchmarkGemmPacked(b *testing.B) {
	for _, shape := range [][2]int{{128, 128}, {64, 192}, {64, 5}} {
		k, n := shape[0], shape[1]
		for _, m := range []int{1, 2, 3, 4, 5, 6, 12, 96} {
			b.Run(fmt.Sprintf("%dx%dx%d", m, n, k), func(b *testing.B) {
				p := newProblem(NN, m, n, k, 0, false)
				bias := noise(n, 4)
				var pk Packed
				pk.Pack(false, k, n, p.b, n)
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					GemmBiasAct(m, p.a, k, &pk, bias, ActReLU, p.c, n, nil)
				}
				reportRate(b, 2*float64(m)*float64(n)*float64(k))
			})
		}
	}
}

// BenchmarkPeak compares the loops without loads: multiply-adds of float32, and
// of pairs of bf16 where the processor has them.
func BenchmarkPeak(b *testing.B) {
	for range b.N {
		b.ReportMetric(Peak(200*time.Millisecond), "float32-GFLOP/s")
		b.ReportMetric(PeakBF16(200*time.Millisecond), "bf16-GFLOP/s")
	}
}

// BenchmarkLayer is a layer's three products in both precisions, rounding and
// packing included: forward, input gradient and weight gradient of 96 rows, and of
// a whole batch for the recurrent cell.
func BenchmarkLayer(b *testing.B) {
	for _, shape := range [][3]int{{96, 128, 128}, {96, 64, 128}, {1600, 64, 192}, {64, 64, 192}, {128, 32, 96}, {128, 96, 32}, {128, 32, 128}, {96, 32, 32}, {96, 16, 64}, {2, 128, 128}} {
		rows, from, to := shape[0], shape[1], shape[2]
		x, w, d := noise(rows*from, 1), noise(from*to, 2), noise(rows*to, 3)
		y, dx, dw := make([]float32, rows*to), make([]float32, rows*from), make([]float32, from*to)
		for _, half := range []bool{false, true} {
			name, op := "float32", TN
			if half {
				name, op = "bf16", TN|BF16
			}
			b.Run(fmt.Sprintf("%dx%dx%d/%s", rows, from, to, name), func(b *testing.B) {
				var out, back Packed
				var s Scratch
				out.fill(half, true, from, to, w, from)
				back.fill(half, false, to, from, w, from)
				for range b.N {
					GemmBiasAct(rows, x, from, &out, nil, ActReLU, y, to, &s)
					GemmPacked(rows, d, to, &back, false, dx, from, &s)
					Gemm(op, to, from, rows, d, to, x, from, true, dw, from, &s)
				}
				reportRate(b, 6*float64(rows)*float64(from)*float64(to))
			})
		}
	}
}

func BenchmarkPack(b *testing.B) {
	for _, trans := range []bool{false, true} {
		b.Run(fmt.Sprintf("128x128_trans=%v", trans), func(b *testing.B) {
			x := noise(128*128, 1)
			var pk Packed
			b.SetBytes(4 * 128 * 128)
			for range b.N {
				pk.Pack(trans, 128, 128, x, 128)
			}
		})
	}
}

// perElement states the time of a benchmark for each of n elements.
func perElement(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
}

func BenchmarkVector(b *testing.B) {
	const n = 4096
	x, y, z, w := noise(n, 1), noise(n, 2), noise(n, 3), noise(n, 4)
	Abs(w, w)
	signs := make([]float32, n)
	for i := range signs {
		signs[i] = float32(1 - 2*(i%2))
	}
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"Exp", func() { Exp(y, x) }}, {"Tanh", func() { Tanh(y, x) }}, {"Sigmoid", func() { Sigmoid(y, x) }},
		{"ELU", func() { ELU(y, x) }}, {"ELUGrad", func() { ELUGrad(z, y, x) }},
		{"ReLU", func() { ReLU(y, x) }}, {"ReLUGrad", func() { ReLUGrad(z, y, x) }},
		{"Abs", func() { Abs(y, x) }}, {"Add", func() { Add(y, x) }}, {"Mul", func() { Mul(y, signs) }},
		{"Axpy", func() { Axpy(y, 1e-9, x) }}, {"Dot", func() { Dot(x, y) }}, {"SumSq", func() { SumSq(x) }},
		{"RMSProp", func() { RMSProp(y, x, w, 1e-9, 0.99, 1e-5, 1) }},
		{"Adam", func() { Adam(y, x, z, w, 1e-9, 0.9, 0.999, 1e-8, 1, 3) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				c.f()
			}
			perElement(b, n)
		})
	}
}

func BenchmarkRows(b *testing.B) {
	const rows = 96
	for _, cols := range []int{25, 32, 64, 128} {
		x, y, z, w := noise(rows*cols, 1), noise(rows*cols, 2), noise(rows*cols, 3), noise(rows*cols, 4)
		g, d, e, mean, rstd := noise(cols, 5), noise(cols, 6), noise(cols, 7), noise(rows, 8), noise(rows, 9)
		for _, c := range []struct {
			name string
			f    func()
		}{
			{"BiasReLU", func() { BiasAct(rows, cols, y, cols, d, ActReLU) }},
			{"ColSumAdd", func() { ColSumAdd(g, rows, cols, x, cols) }},
			{"Softmax", func() { SoftmaxRows(rows, cols, y, cols) }},
			{"SoftmaxGrad", func() { SoftmaxRowsGrad(rows, cols, z, y, x, cols) }},
			{"LayerNorm", func() { LayerNormRows(rows, cols, x, d, e, 1e-5, w, mean, rstd) }},
			{"LayerNormGrad", func() { LayerNormRowsGrad(rows, cols, x, d, mean, rstd, y, z, g, e) }},
		} {
			b.Run(fmt.Sprintf("%s_%d", c.name, cols), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					c.f()
				}
				perElement(b, rows*cols)
			})
		}
	}
}

func BenchmarkGRU(b *testing.B) {
	const rows, h = 96, 64
	gx, gh, dgx, dgh := noise(rows*3*h, 1), noise(rows*3*h, 2), make([]float32, rows*3*h), make([]float32, rows*3*h)
	hp, r, z, n, out, dh, dhp := noise(rows*h, 3), noise(rows*h, 4), noise(rows*h, 5), noise(rows*h, 6), noise(rows*h, 7), noise(rows*h, 8), noise(rows*h, 9)
	b.Run("Gates", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			GRUGates(rows, h, gx, gh, hp, r, z, n, out)
		}
		perElement(b, rows*h)
	})
	b.Run("Grad", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			GRUGatesGrad(rows, h, gh, hp, r, z, n, dh, dgx, dgh, dhp)
		}
		perElement(b, rows*h)
	})
}
