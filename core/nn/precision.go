package nn

import "macpro/core/nn/internal/kernel"

// Precision is the one of the operands of large matrix products. Weights,
// gradients, activations, sums and everything else are float32.
type Precision string

// The precisions. Float32 is also the zero value.
const (
	Float32 Precision = "float32"
	// BF16 rounds the operands of a large product to bfloat16: the first eight
	// bits of a float32's mantissa. Results do not depend on the processor.
	BF16 Precision = "bf16"
)

// largeWidth is the least number of inputs and of outputs of a layer whose
// products are large: forward pass, input gradient and weight gradient.
const largeWidth = 32

// rounds tells whether a layer of the segment takes its operands in bf16. It
// does not depend on the number of rows.
func (s Segment) rounds(in, out int) bool { return s.precision == BF16 && min(in, out) >= largeWidth }

// product returns op in the precision of a layer.
func (s Segment) product(op kernel.Op, in, out int) kernel.Op {
	if s.rounds(in, out) {
		return op | kernel.BF16
	}
	return op
}

// pack packs a layer's weights, [k,n] or transposed, in the precision of the
// layer.
func (s Segment) pack(p *kernel.Packed, trans bool, k, n int, w []float32, ld int) {
	if s.rounds(k, n) {
		p.PackBF16(trans, k, n, w, ld)
	} else {
		p.Pack(trans, k, n, w, ld)
	}
}
