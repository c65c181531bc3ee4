//go:build amd64 && !purego

package kernel

import (
	"math"
	"strings"
	"testing"
)

// widePaths returns the two assembly paths, or skips the test where the
// processor has only one.
func widePaths(t *testing.T) (narrow, wide path) {
	found := machinePaths()
	if len(found) < 2 {
		t.Skip("this processor or operating system has no AVX-512: there is nothing to compare")
	}
	return found[0], found[1]
}

// TestWideProductsHaveTheSameBits compares the products of both assembly paths
// over all small shapes around the edges of their tiles, and some large ones.
func TestWideProductsHaveTheSameBits(t *testing.T) {
	narrow, wide := widePaths(t)
	sizes := []int{1, 2, 3, 5, 11, 12, 13, 15, 16, 17, 24, 31, 32, 33, 47, 48, 49, 64, 65, 97}
	for _, m := range sizes {
		for _, n := range sizes {
			for _, k := range []int{1, 2, 7, 25, 64} {
				sameProducts(t, narrow, wide, m, n, k)
			}
		}
	}
	for _, s := range [][3]int{{1300, 64, 64}, {832, 192, 64}, {64, 192, 1300}, {96, 64, 192}, {257, 20, 128}} {
		sameProducts(t, narrow, wide, s[0], s[1], s[2])
	}
}

// sameProducts runs every kind of product of one shape on both paths, with
// leading dimensions larger than the rows.
func sameProducts(t *testing.T, narrow, wide path, m, n, k int) {
	t.Helper()
	seed := uint64(m*10000 + n*100 + k)
	start, bias := noise(m*(n+3), seed), noise(n, seed+1)
	both := func(what string, f func(p path, c []float32)) {
		x, y := append([]float32(nil), start...), append([]float32(nil), start...)
		f(narrow, x)
		f(wide, y)
		for i := range x {
			if math.Float32bits(x[i]) != math.Float32bits(y[i]) {
				t.Fatalf("%s of %dx%dx%d, element %d: %v on %s, %v on %s", what, m, n, k, i, x[i], narrow.name(), y[i], wide.name())
			}
		}
	}
	for _, acc := range []bool{false, true} {
		for _, op := range []Op{NN, NT, TN} {
			ra, ca, rb, cb := m, k, k, n
			if op == TN {
				ra, ca = k, m
			}
			if op == NT {
				rb, cb = n, k
			}
			a, b := noise(ra*(ca+1), seed+2), noise(rb*(cb+2), seed+3)
			both("product", func(p path, c []float32) {
				var s Scratch
				p.gemm(op, m, n, k, a, ca+1, b, cb+2, acc, c, n+3, &s)
			})
		}
		for _, trans := range []bool{false, true} {
			rb, cb := k, n
			if trans {
				rb, cb = n, k
			}
			a, b := noise(m*(k+1), seed+4), noise(rb*(cb+2), seed+5)
			for _, act := range []Act{ActNone, ActReLU, ActAbs} {
				both("product with packed weights", func(p path, c []float32) {
					pk := Packed{K: k, N: n}
					p.pack(&pk, trans, b, cb+2)
					p.gemmPacked(m, a, k+1, &pk, acc, bias, act, c, n+3)
				})
			}
		}
	}
}

// TestChoose checks that the variable names a path and that a wrong name is told
// what would be right.
func TestChoose(t *testing.T) {
	for _, p := range paths {
		if got, err := choose(p.name()); err != nil || got.name() != p.name() {
			t.Errorf("choose(%q) = %v, %v", p.name(), got, err)
		}
	}
	if got, err := choose(""); err != nil || got.name() != paths[len(paths)-1].name() {
		t.Errorf("choose of nothing = %v, %v, want the best", got, err)
	}
	if _, err := choose("sse"); err == nil || !strings.Contains(err.Error(), Variable) || !strings.Contains(err.Error(), "purego") {
		t.Errorf("choose(sse): error %v, want one that names the variable and the paths", err)
	}
}
