package qlearn_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/cputime"
	"macpro/core/nn"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

// precise makes a learner with networks of the default sizes.
func precise(t testing.TB, spec core.EnvSpec, mixer string, precision nn.Precision, threads int) *qlearn.Learner {
	t.Helper()
	s, err := qlearntest.Settings(core.Settings{"precision": string(precision)})
	must(t, err)
	l, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(1), Threads: threads}, mixers[mixer])
	must(t, err)
	return l
}

// inBF16 are tasks of all kinds of networks.
var inBF16 = []core.EnvSpec{foraging, battle(3, 4, 12)}

// distance is the length of a-b over that of b.
func distance(a, b []float32) float64 {
	var d, n float64
	for i, y := range b {
		d += float64(a[i]-y) * float64(a[i]-y)
		n += float64(y) * float64(y)
	}
	return math.Sqrt(d / n)
}

// With bf16 operands, of which each is off by at most 2^-9, the gradients of the
// same networks are close to those with float32, and so are the losses of a
// number of steps.
func TestPrecisionStaysClose(t *testing.T) {
	const grad, loss = 0.1, 0.05
	for _, spec := range inBF16 {
		for mixer := range mixers {
			t.Run(spec.Env+"/"+mixer, func(t *testing.T) {
				exact, rounded := precise(t, spec, mixer, nn.Float32, 1), precise(t, spec, mixer, nn.BF16, 1)
				s := rng.New(5).Stream()
				for step := range 12 {
					eps := qlearntest.Episodes(s, spec, 8)
					if step == 0 {
						for _, scope := range []core.Scope{core.ScopeFeatures, core.ScopeHead, core.ScopeAll} {
							want, err := exact.Gradient(scope, eps, nil)
							must(t, err)
							got, err := rounded.Gradient(scope, eps, nil)
							must(t, err)
							if d := distance(got, want); !(d > 0 && d < grad) {
								t.Errorf("the gradient of %s is off by %.2g of its length, want at most %g and not nothing", scope, d, grad)
							}
						}
					}
					want, got := train(t, exact, eps).TDLoss, train(t, rounded, eps).TDLoss
					if d := math.Abs(got-want) / want; !(d < loss) {
						t.Errorf("step %d: loss %v, with float32 %v", step, got, want)
					}
				}
			})
		}
	}
}

// Acting in bf16 gives the values of training, bit by bit, one row like many, and
// any number of threads the same networks.
func TestPrecisionKeepsTheContract(t *testing.T) {
	for _, spec := range inBF16 {
		t.Run(spec.Env, func(t *testing.T) {
			l, other := precise(t, spec, "qmix", nn.BF16, 2), precise(t, spec, "qmix", nn.BF16, 1)
			l.SetLR(0)
			other.SetLR(0)
			eps := qlearntest.Episodes(rng.New(6).Stream(), spec, 5)
			train(t, l, eps)
			values := map[[2]int64][]float32{}
			for _, k := range l.LastStep() {
				values[[2]int64{k.Episode, int64(k.T)}] = slices.Clone(k.Values)
			}
			for _, e := range eps {
				step := newActStep(l, spec, 1)
				for u := range e.T {
					step.Obs = e.Obs[u*spec.Agents*spec.ObsWidth : (u+1)*spec.Agents*spec.ObsWidth]
					must(t, l.Act(step))
					avail := e.Avail[u*len(step.Q) : (u+1)*len(step.Q)]
					got, want := available(step.Q, avail), available(values[[2]int64{e.Index, int64(u)}], avail)
					if !slices.Equal(got, want) {
						t.Fatalf("episode %d, step %d: acting %v, training %v", e.Index, u, got, want)
					}
					copy(step.LastActions, e.Actions[u*spec.Agents:])
				}
			}
			train(t, other, eps)
			if !slices.Equal(bytesOf(t, l), bytesOf(t, other)) {
				t.Error("one thread gives other bits than two")
			}
			if n := testing.AllocsPerRun(5, func() { train(t, other, eps) }); n != 0 {
				t.Errorf("%v allocations in a step, want none", n)
			}
		})
	}
}

// A learner goes on with the networks of one of the other precision.
func TestPrecisionOfLoadedNetworks(t *testing.T) {
	exact, rounded := precise(t, foraging, "qmix", nn.Float32, 1), precise(t, foraging, "qmix", nn.BF16, 1)
	train(t, rounded, qlearntest.Episodes(rng.New(6).Stream(), foraging, 4))
	must(t, exact.Load(bytes.NewReader(bytesOf(t, rounded))))
	if !slices.Equal(exact.Parameters(core.ScopeAll, nil), rounded.Parameters(core.ScopeAll, nil)) {
		t.Error("the weights changed on the way")
	}
}

// BenchmarkPrecision measures steps with float32 and with bf16 operands in turn:
// the median processor times of both and their ratio.
func BenchmarkPrecision(b *testing.B) {
	for _, c := range []struct {
		spec   core.EnvSpec
		mixers []string
	}{{foraging, []string{"vdn", "qmix", "qplex"}}, {prey, []string{"qmix"}}, {battle(4, 4, 70), []string{"qmix"}}, {battle(8, 9, 70), []string{"qmix"}}} {
		for _, mixer := range c.mixers {
			b.Run(c.spec.Task+"/"+c.spec.Env+"/"+mixer, func(b *testing.B) {
				eps := benchEpisodes(c.spec, true)
				both := [2]*qlearn.Learner{precise(b, c.spec, mixer, nn.Float32, 1), precise(b, c.spec, mixer, nn.BF16, 1)}
				trainInTurn(b, "float32", "bf16", both, eps)
			})
		}
	}
}

// BenchmarkPrecisionOfActing does the same for time steps of acting.
func BenchmarkPrecisionOfActing(b *testing.B) {
	for _, lanes := range []int{1, 32} {
		b.Run(map[bool]string{true: "one", false: "many"}[lanes == 1], func(b *testing.B) {
			var both [2]*qlearn.Learner
			var steps [2]*core.ActStep
			for i, p := range []nn.Precision{nn.Float32, nn.BF16} {
				both[i] = precise(b, foraging, "vdn", p, 1)
				steps[i] = newActStep(both[i], foraging, lanes)
			}
			cputime.InTurn(b, "float32", "bf16", func(i int) func() {
				return func() {
					for range 100 {
						must(b, both[i].Act(steps[i]))
					}
				}
			})
		})
	}
}
