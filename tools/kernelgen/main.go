// Command kernelgen writes the AVX2+FMA and AVX-512 assembly of the kernel package. It is
// run by go generate in core/nn/internal/kernel and its output is committed,
// so that building macpro needs neither this module nor a C toolchain.
//
// Each file of the generator holds one family: gemm.go the matrix-product
// tiles, gemm512.go their AVX-512 forms, pack.go the copies into panel order,
// pairs.go those that round to bf16, encode.go the instructions that Go's assembler
// lacks, elementwise.go the activations
// and arithmetic, update.go the optimisers and the GRU cell, rows.go the
// reductions along a row, rows512.go their AVX-512 forms; loop.go is the walk over a slice that they share and
// math.go the exponentials. All functions take raw pointers and counts; the
// Go wrappers around them have checked the lengths. No function reads or
// writes outside the counted elements: what is left of a row after the last
// full vector is done with masked loads and stores by the same arithmetic.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("!purego")
	for _, t := range tiles {
		genTile(t)
	}
	genPack()
	genPairs()
	genElementwise()
	genRows()
	genPeak("fmaLoop", "multiply-adds of eight lanes", multiplyAdd)
	for _, t := range tiles512 {
		genTile512(t)
	}
	wide = true
	genPeak("fmaLoop", "multiply-adds of sixteen lanes", multiplyAdd)
	genPeak("dotLoop", "sums of sixteen pairs of products", sumPairs)
	genElementwise()
	genRows512()
	genPairs()
	Generate()
	encodeOutput()
}
