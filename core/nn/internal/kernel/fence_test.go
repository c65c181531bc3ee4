//go:build linux || darwin

package kernel

import (
	"fmt"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"
)

// fences hands out slices that touch forbidden memory: one step too far, for
// reading or writing, and the processor faults.
type fences struct {
	t     testing.TB
	atEnd bool // the forbidden page follows the slice, rather than precedes it
}

// of returns a fenced copy of x.
func (f fences) of(x []float32) []float32 {
	page := syscall.Getpagesize()
	size := (4*len(x) + page) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		f.t.Fatalf("mapping memory: %v", err)
	}
	f.t.Cleanup(func() { _ = syscall.Munmap(mem) })
	for _, guard := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			f.t.Fatalf("protecting memory: %v", err)
		}
	}
	from := page
	if f.atEnd {
		from = page + size - 4*len(x)
	}
	out := unsafe.Slice((*float32)(unsafe.Pointer(&mem[from])), len(x))
	copy(out, x)
	return out
}

// trapped runs f and turns a memory fault into an error.
func trapped(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	f()
	return nil
}

// eachFence runs f with the forbidden page behind and before the slices.
func eachFence(t *testing.T, f func(t *testing.T, fence fences)) {
	eachPath(t, func(t *testing.T) {
		for _, atEnd := range []bool{true, false} {
			t.Run(fmt.Sprintf("end=%v", atEnd), func(t *testing.T) { f(t, fences{t, atEnd}) })
		}
	})
}

// TestFenceCatches shows that the fences work.
func TestFenceCatches(t *testing.T) {
	x := fences{t, true}.of(make([]float32, 5))
	if err := trapped(func() { *(*float32)(unsafe.Add(unsafe.Pointer(&x[0]), 20)) = 1 }); err == nil {
		t.Error("a write behind the slice went unnoticed")
	}
	x = fences{t, false}.of(make([]float32, 5))
	if err := trapped(func() { x[0] = *(*float32)(unsafe.Add(unsafe.Pointer(&x[0]), -4)) }); err == nil {
		t.Error("a read before the slice went unnoticed")
	}
}

func TestGemmStaysInBounds(t *testing.T) {
	eachFence(t, func(t *testing.T, fence fences) {
		for op := range opNames {
			for _, m := range []int{1, 2, 3, 4, 5, 6, 7, 9, 14} {
				for _, n := range []int{1, 7, 8, 9, 15, 16, 33, 65} {
					for _, k := range []int{1, 7, 8, 17} {
						for gap := range 2 {
							acc := (m+n+k)%2 == 0
							p := newProblem(op, m, n, k, gap, acc)
							p.a, p.b, p.c = fence.of(p.a), fence.of(p.b), fence.of(p.c)
							var solveErr error
							if err := trapped(func() { solveErr = p.solve(acc) }); err != nil {
								t.Fatalf("%s m=%d n=%d k=%d gap=%d: %v", opNames[op], m, n, k, gap, err)
							}
							if solveErr != nil {
								t.Fatalf("%s m=%d n=%d k=%d gap=%d: %v", opNames[op], m, n, k, gap, solveErr)
							}
						}
					}
				}
			}
		}
	})
}

func TestGemmBiasActStaysInBounds(t *testing.T) {
	eachFence(t, func(t *testing.T, fence fences) {
		for _, n := range []int{1, 7, 9, 16, 17, 65} {
			for m := 1; m < 9; m++ {
				p := newProblem(NN, m, n, 5, 1, false)
				var pk Packed
				pk.Pack(false, 5, n, p.b, p.ldb)
				a, bias, c := fence.of(p.a), fence.of(noise(n, 4)), fence.of(p.c)
				if err := trapped(func() { GemmBiasAct(m, a, p.lda, &pk, bias, ActReLU, c, p.ldc, nil) }); err != nil {
					t.Fatalf("m=%d n=%d: %v", m, n, err)
				}
				if err := gapsIntact(m, n, p.ldc, c); err != nil {
					t.Fatalf("m=%d n=%d: %v", m, n, err)
				}
			}
		}
	})
}

func TestPairsStayInBounds(t *testing.T) {
	eachFence(t, func(t *testing.T, fence fences) {
		for _, m := range []int{1, 2, 3, 6, 7, 13} {
			for _, n := range []int{1, 8, 15, 33, 65} {
				for _, k := range []int{1, 2, 9, 16, 17, 33} {
					p := newPairProblem(m, n, k, (m+n)%2, 0)
					var solveErr error
					if err := trapped(func() { solveErr = p.solve(k%3 == 0, fence.of) }); err != nil || solveErr != nil {
						t.Fatalf("m=%d n=%d k=%d: %v, %v", m, n, k, err, solveErr)
					}
				}
			}
		}
	})
}

func TestVectorsStayInBounds(t *testing.T) {
	eachFence(t, func(t *testing.T, fence fences) {
		for n := range 35 {
			d, x, y, z := fence.of(noise(n, 1)), fence.of(noise(n, 2)), fence.of(noise(n, 3)), fence.of(noise(n, 4))
			for _, c := range elementwise {
				if err := trapped(func() { c.f(d, x, y) }); err != nil {
					t.Fatalf("%s on %d elements: %v", c.name, n, err)
				}
			}
			if err := trapped(func() {
				Dot(x, y)
				RMSProp(d, x, y, 0.1, 0.9, 1e-5, 1)
				Adam(d, x, y, z, 0.1, 0.9, 0.9, 1e-5, 1, 1)
			}); err != nil {
				t.Fatalf("sums and optimisers on %d elements: %v", n, err)
			}
		}
	})
}

func TestRowsStayInBounds(t *testing.T) {
	eachFence(t, func(t *testing.T, fence fences) {
		for _, cols := range rowWidths {
			const rows = 3
			x, y, z, bias := fence.of(noise(rows*cols, 1)), fence.of(noise(rows*cols, 2)), fence.of(noise(rows*cols, 3)), fence.of(noise(cols, 4))
			ln, gru := newLayerNormCase(rows, cols), newGRUCase(rows, cols)
			for _, s := range []*[]float32{&ln.x, &ln.gamma, &ln.beta, &ln.out, &ln.mean, &ln.rstd, &ln.dy, &ln.dx, &ln.dgamma, &ln.dbeta,
				&gru.gx, &gru.gh, &gru.dgx, &gru.dgh, &gru.hPrev, &gru.r, &gru.z, &gru.n, &gru.hOut, &gru.dh, &gru.dhPrev} {
				*s = fence.of(*s)
			}
			if err := trapped(func() {
				BiasAct(rows, cols, x, cols, bias, ActReLU)
				BiasAct(rows, cols, x, cols, nil, ActAbs)
				ColSumAdd(bias, rows, cols, x, cols)
				SoftmaxRows(rows, cols, y, cols)
				SoftmaxRowsGrad(rows, cols, z, y, x, cols)
				ln.forward()
				ln.backward()
				gru.forward()
				gru.backward()
			}); err != nil {
				t.Fatalf("cols=%d: %v", cols, err)
			}
		}
	})
}
