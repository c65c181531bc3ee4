package kernel

import (
	"fmt"
	"os"
	"strings"
)

// path is one complete implementation of the package. Arguments have been
// checked before a method is called.
type path interface {
	name() string
	bf16() BF16Means

	gemm(op Op, m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch)
	pack(p *Packed, trans bool, b []float32, ldb int)
	gemmPacked(m int, a []float32, lda int, p *Packed, acc bool, bias []float32, act Act, c []float32, ldc int)

	// The same with operands in bf16; gradPairs is a product TN.
	packPairs(p *Packed, trans bool, b []float32, ldb int)
	gemmPairs(m int, a []float32, lda int, p *Packed, acc bool, bias []float32, act Act, c []float32, ldc int, s *Scratch)
	gradPairs(m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch)

	exp(dst, x []float32)
	tanh(dst, x []float32)
	sigmoid(dst, x []float32)
	elu(dst, x []float32)
	relu(dst, x []float32)
	abs(dst, x []float32)
	eluGrad(dx, y, dy []float32)
	reluGrad(dx, y, dy []float32)
	absGrad(dx, x, dy []float32)
	add(dst, x []float32)
	sub(dst, x []float32)
	mul(dst, x []float32)
	axpy(dst []float32, alpha float32, x []float32)
	scale(dst []float32, alpha float32)
	dot(x, y []float32) float64

	biasAct(rows, cols int, x []float32, ld int, bias []float32, act Act)
	colSumAdd(dst []float32, rows, cols int, x []float32, ld int)
	softmax(rows, cols int, x []float32, ld int)
	softmaxGrad(rows, cols int, dx, y, dy []float32, ld int)
	layerNorm(rows, cols int, x, gamma, beta []float32, eps float32, out, mean, rstd []float32)
	layerNormGrad(rows, cols int, x, gamma, mean, rstd, dy, dx, dgamma, dbeta []float32)

	gru(rows, h int, gx, gh, hPrev, r, z, n, hOut []float32)
	gruGrad(rows, h int, gh, hPrev, r, z, n, dh, dgx, dgh, dhPrev []float32)

	rmsProp(p, g, v []float32, lr, alpha, eps, gscale float32)
	adam(p, g, m, v []float32, c adamCoeffs)

	// fma runs rounds times the multiply-adds that products are made of, with
	// nothing to wait for, and returns the number of operations done.
	fma(rounds int) float64
}

// paths lists the implementations that this process can run, the best last.
var paths = append([]path{pure{}}, machinePaths()...)

// Variable is the environment variable that names the path to use, for
// comparisons and for a machine whose best path is not its fastest. It does not
// start like the variables that set keys of the configuration.
const Variable = "MACPROKERNEL"

// active is the path in use. Only tests change it once the process has started.
var active = func() path {
	p, err := choose(os.Getenv(Variable))
	if err != nil {
		fmt.Fprintln(os.Stderr, "macpro:", err)
		os.Exit(2)
	}
	return p
}()

// choose returns the path of the given name, the best one if it is empty.
func choose(name string) (path, error) {
	if name == "" {
		return paths[len(paths)-1], nil
	}
	var names []string
	for _, p := range paths {
		if p.name() == name {
			return p, nil
		}
		names = append(names, p.name())
	}
	return nil, fmt.Errorf("environment variable %s is %q, want one of those that this machine can run: %s", Variable, name, strings.Join(names, ", "))
}

// Path returns the name of the implementation in use: "avx512bf16", "avx512",
// "avx2" or "purego".
func Path() string { return active.name() }

// BF16Means says what computes products of bf16 operands. Their bits do not depend
// on it.
type BF16Means string

// The means: the processor's instructions, those of AVX2 at about the speed of
// float32, plain Go at a small part of it.
const (
	BF16InProcessor BF16Means = "AVX512_BF16"
	BF16InAVX2      BF16Means = "emulated in AVX2"
	BF16InGo        BF16Means = "emulated in Go, slowly"
)

// PathBF16 returns the means of the path in use.
func PathBF16() BF16Means { return active.bf16() }

// sameLen panics unless every length equals n.
func sameLen(fn string, n int, lens ...int) {
	for _, l := range lens {
		if l != n {
			panic(fmt.Sprintf("kernel.%s: slices of lengths %d and %d, want equal lengths", fn, n, l))
		}
	}
}

// needMatrix panics unless x can hold rows x cols elements with leading
// dimension ld.
func needMatrix(fn, name string, rows, cols, ld, length int) {
	if rows < 0 || cols < 0 || ld < cols {
		panic(fmt.Sprintf("kernel.%s: %s is %dx%d with leading dimension %d, want sizes >= 0 and a leading dimension >= the columns", fn, name, rows, cols, ld))
	}
	if rows > 0 && cols > 0 && length < (rows-1)*ld+cols {
		panic(fmt.Sprintf("kernel.%s: %s has %d elements, want at least %d for %dx%d with leading dimension %d", fn, name, length, (rows-1)*ld+cols, rows, cols, ld))
	}
}

func needLen(fn, name string, n, length int) {
	if length < n {
		panic(fmt.Sprintf("kernel.%s: %s has %d elements, want at least %d", fn, name, length, n))
	}
}

func needAct(fn string, act Act) {
	if act > ActAbs {
		panic(fmt.Sprintf("kernel.%s: unknown activation %d, want ActNone, ActReLU or ActAbs", fn, act))
	}
}
