//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

//go:generate sh -c "cd ../../../../tools && go run ./kernelgen -pkg kernel -out ../core/nn/internal/kernel/asm_amd64.s -stubs ../core/nn/internal/kernel/asm_amd64.go"

// machinePaths returns the assembly path if this processor can run it.
func machinePaths() []path {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		return []path{avx2{}}
	}
	return nil
}

// avx2 is the path in assembly for AVX2 and FMA. Its methods turn slices,
// whose lengths have been checked, into pointers and counts.
type avx2 struct{}

func (avx2) name() string { return "avx2" }
