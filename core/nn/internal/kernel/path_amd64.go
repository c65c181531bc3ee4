//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

//go:generate sh -c "cd ../../../../tools && go run ./kernelgen -pkg kernel -out ../core/nn/internal/kernel/asm_amd64.s -stubs ../core/nn/internal/kernel/asm_amd64.go"

// machinePaths returns the assembly paths that this processor and operating
// system can run.
func machinePaths() []path {
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return nil
	}
	if !x.HasAVX512F || !x.HasAVX512VL {
		return []path{avx2{}}
	}
	if !x.HasAVX512BW || !x.HasAVX512BF16 {
		return []path{avx2{}, avx512{}}
	}
	return []path{avx2{}, avx512{}, bf16Path{}}
}

// avx2 is the path in assembly for AVX2 and FMA. Its methods turn slices,
// whose lengths have been checked, into pointers and counts.
type avx2 struct{}

func (avx2) name() string { return "avx2" }

// avx512 is the path avx2 with its functions in assembly for AVX-512F and
// AVX-512VL, sums over whole slices and columns aside. Every result has the same
// bits.
type avx512 struct{ avx2 }

func (avx512) name() string { return "avx512" }

// bf16Path is the path avx512 with products of bf16 operands in AVX512_BF16. Every
// result has the same bits.
type bf16Path struct{ avx512 }

func (bf16Path) name() string { return "avx512bf16" }

func (bf16Path) pairPeak(rounds int) float64 {
	dotLoop512(rounds)
	return 12 * 32 * 2 * float64(rounds)
}
