package macpro

import (
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/cputime"
)

// The precisions of a context step.
var precisions = []any{"float32", "bf16"}

// preciseTrainer has encoders of the default sizes.
func preciseTrainer(t testing.TB, precision any, specs ...core.EnvSpec) *trainer {
	return teamTrainer(t, defaults(t, "precision", precision), specs...)
}

// preciseBatch is one of two groups.
func preciseBatch(tr *trainer, bs int) *batch {
	if tr.teams() {
		return teamBatch(tr, 2, bs)
	}
	return noisyBatch(tr.spec, 2, bs, tr.cfg.ZDim, full(tr.spec))
}

// The losses and gradients of a context step with bf16 operands are close to
// those with float32, and the bits do not depend on the number of threads.
func TestPrecisionOfAContextStep(t *testing.T) {
	for _, spec := range []core.EnvSpec{lbfSpec, marines("4m", 4, 4, 60)} {
		t.Run(spec.Env, func(t *testing.T) {
			var all [3]losses
			var params [3][]float32
			for i, c := range []struct {
				precision any
				threads   int
			}{{precisions[0], 1}, {precisions[1], 1}, {precisions[1], 2}} {
				tr := preciseTrainer(t, c.precision, spec)
				tr.threads = c.threads
				var err error
				if all[i], _, err = tr.step(preciseBatch(tr, 4)); err != nil {
					t.Fatal(err)
				}
				params[i] = slices.Concat(tr.g.net.Params, tr.f.net.Params)
			}
			want, got := all[0], all[1]
			for name, x := range map[string][2]float64{
				"model": {got.Model, want.Model}, "context": {got.Context, want.Context}, "local": {got.Local, want.Local},
				"gradient of g": {got.G.Norm, want.G.Norm}, "gradient of f": {got.F.Norm, want.F.Norm},
			} {
				if d := math.Abs(x[0]-x[1]) / math.Abs(x[1]); !(d > 0 && d < 0.1) {
					t.Errorf("%s: %v, with float32 %v", name, x[0], x[1])
				}
			}
			if slices.Equal(params[0], params[1]) {
				t.Error("the precision changes nothing")
			}
			if !slices.Equal(params[1], params[2]) {
				t.Error("two threads give other bits than one")
			}
		})
	}
}

// BenchmarkPrecision measures context steps with float32 and with bf16 operands
// in turn: the median processor times of both and their ratio.
func BenchmarkPrecision(b *testing.B) {
	for _, spec := range []core.EnvSpec{lbfSpec, ppSpec, marines("4m", 4, 4, 60), marines("13m", 13, 13, 100)} {
		b.Run(spec.Env+"/"+spec.Task, func(b *testing.B) {
			var both [2]*trainer
			for i, p := range precisions {
				both[i] = preciseTrainer(b, p, spec)
			}
			eps := preciseBatch(both[0], 32)
			cputime.InTurn(b, "float32", "bf16", func(i int) func() {
				return func() {
					if _, _, err := both[i].step(eps); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
