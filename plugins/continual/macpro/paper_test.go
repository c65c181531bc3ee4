package macpro

import (
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/rng"
)

// literal are the paper's settings of the networks and the model loss.
func literal(c *settings) { c.EncOutput, c.LastRecord, c.ModelLoss = keyStd, true, keySum }

// Rows of means and standard deviations: x stands for log(1+exp(x)). With
// deviations 1 and 2 the precisions are 1 and 1/4.
func TestExpertsOfStandardDeviations(t *testing.T) {
	seqs := new(nn.Sequences)
	if err := seqs.Add(2, 2); err != nil {
		t.Fatal(err)
	}
	rows := []float32{1, float32(math.Log(math.E - 1)), 3, float32(math.Log(math.E*math.E - 1))}
	for _, c := range []struct {
		prior          float64
		mean           bool
		want, variance float64
	}{
		{0, false, 1.75 / 1.25, 1 / 1.25},
		{1, false, 1.75 / 2.25, 1 / 2.25},
		{0, true, 2, 2.5},
	} {
		o := &experts{seqs: seqs, tracks: &nn.Extent{Cap: 1, N: 1}, prior: c.prior, mean: c.mean, std: true, weight: []float64{1}}
		out := nn.Mat{Rows: 1, Cols: 2, Data: make([]float32, 2)}
		if err := o.Forward([]nn.Mat{{Rows: 2, Cols: 2, Data: rows}}, out); err != nil {
			t.Fatal(err)
		}
		nearOne(t, "mean", float64(out.Data[0]), c.want, 1e-6)
		nearOne(t, "variance", math.Exp(float64(out.Data[1])), c.variance, 1e-6)
	}
}

// still is an episode in which every float of the state is 1, of an observation 2
// and every reward 3.
func still(spec core.EnvSpec, task, transitions int) *episode.Episode {
	e := noisy(spec, transitions, rng.New(1).Stream())
	e.Task = task
	for i := range e.State {
		e.State[i] = 1
	}
	for i := range e.Obs {
		e.Obs[i] = 2
	}
	for i := range e.Reward {
		e.Reward[i] = 3
	}
	return e
}

// A model whose parameters are all zero predicts zeros, so that the loss is that
// of the targets: with S floats of the state and n observations of o floats a
// transition has S*1 + n*o*4 + 9. The sum over transitions of 2, 4 and 3, 5 ones
// averages to 3 and 4 in two groups, so to 3.5 of these.
func TestModelLossIsASum(t *testing.T) {
	lengths := [][]int{{2, 4}, {3, 5}}
	for name, specs := range map[string][]core.EnvSpec{
		"flat": {lbfSpec, lbfSpec}, "teams": {marines("3m", 3, 3, 60), marines("3m", 3, 3, 60)},
	} {
		for _, kind := range []string{"mean", "sum"} {
			c := defaults(t, append([]any{"model_loss", kind, "model_state_target", "next"}, recordedSizes...)...)
			tr := teamTrainer(t, c, specs...)
			clear(tr.g.net.Params)
			tr.g.net.Touch()
			b := &batch{noise: make([]float32, 4*c.ZDim)}
			for k, ls := range lengths {
				var eps []*episode.Episode
				for _, n := range ls {
					eps = append(eps, still(specs[k], k, n))
				}
				b.groups = append(b.groups, eps)
			}
			l, _, err := tr.step(b)
			if err != nil {
				t.Fatal(err)
			}
			s := specs[0]
			floats := s.StateWidth + s.Agents*s.ObsWidth + 1
			each := float64(s.StateWidth + s.Agents*s.ObsWidth*4 + 9)
			want := each / float64(floats)
			if kind == "sum" {
				want = each * 3.5
			}
			nearOne(t, name+", "+kind, l.Model, want, 1e-6)
		}
	}
}

// With enc_last_record the context of an episode is that of one with a transition
// more, whose first records are the same, without it.
func TestLastRecordIsRead(t *testing.T) {
	long := noisy(lbfSpec, 6, rng.New(4).Stream())
	short := new(episode.Episode)
	short.CopyFrom(long)
	short.T = 5
	short.State, short.Obs = short.State[:6*short.StateWidth], short.Obs[:6*short.N*short.ObsWidth]
	short.Avail, short.Actions, short.Reward = short.Avail[:6*short.N*short.A], short.Actions[:5*short.N], short.Reward[:5]
	means := func(last bool, e *episode.Episode) (all []float32) {
		tr := newTiny(t, func(c *settings) { c.LastRecord = last })
		for _, r := range []*reader{tr.readG, tr.readF} {
			m, err := r.means([]*episode.Episode{e})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, slices.Concat(m...)...)
		}
		return all
	}
	if want := means(false, long); !slices.Equal(means(true, short), want) || slices.Equal(means(false, short), want) {
		t.Error("the record after the last action is not what the longer episode adds")
	}
	whole := noisy(lbfSpec, lbfSpec.Limit, rng.New(5).Stream()) // has a record more than transitions are allowed
	means(true, whole)
}

// The last three layers of an encoder that gives deviations are one MLP: a ReLU
// follows the first of them.
func TestThirdLayerIsBent(t *testing.T) {
	for _, output := range []string{"log_variance", keyStd} {
		tr := newTiny(t, func(c *settings) { c.EncOutput = output })
		e := tr.g.parts[0]
		clear(e.Mixed.Of(tr.g.net.Params))
		bias := e.Mixed.Of(tr.g.net.Params)[e.Mixed.Len-e.Blocks.Width:]
		for i := range bias {
			bias[i] = -1 // before a ReLU it is as good as 0
		}
		read := func() []float32 {
			tr.g.net.Touch()
			m, err := tr.readG.means([]*episode.Episode{noisy(lbfSpec, 3, rng.New(1).Stream())})
			if err != nil {
				t.Fatal(err)
			}
			return m[0]
		}
		negative := read()
		clear(bias)
		if same := slices.Equal(negative, read()); same != (output == keyStd) {
			t.Errorf("%s: a negative unit counts: %v", output, !same)
		}
	}
}

// The gradients of the encoders and the model on flat features with the paper's
// settings are those of the losses.
func TestGradientsOfThePaper(t *testing.T) {
	tr := newTiny(t, func(c *settings) {
		literal(c)
		c.GradNormClip, c.LR, c.ContEps, c.POEPrior = 0, 0, 1, false
	})
	b := &batch{picksG: []int{0, 1, 2, 3}, picksL: []int{0, 3, 5, 7}}
	from := rng.New(6).Stream()
	for range 2 {
		b.groups = append(b.groups, []*episode.Episode{noisy(lbfSpec, 3, from), noisy(lbfSpec, 5, from)})
	}
	for range 4 * tr.cfg.ZDim {
		b.noise = append(b.noise, float32(from.Norm()))
	}
	losses := func() losses {
		l, _, err := tr.step(b)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	losses()
	along(t, "g", tr.g.net, slices.Clone(tr.g.net.Grads), func() float64 { tr.g.net.Touch(); return losses().Context })
	along(t, "f", tr.f.net, slices.Clone(tr.f.net.Grads), func() float64 { tr.f.net.Touch(); return losses().Local })
}

// L_reg counts once for each agent of the task that is trained.
func TestRegSum(t *testing.T) {
	for kind, want := range map[string]float64{"once": 7, "agents": 7 * 2} {
		w := newWorld(t, "reg_sum", kind, "alpha_reg", 7.0)
		if n := w.spec("first").Agents; n != 2 {
			t.Fatalf("teams of %d", n)
		}
		w.learn(6, "first")
		w.begin("second")
		if p := w.learner.penalties; len(p) != 1 || p[0].Coef != want {
			t.Errorf("%s: %+v", kind, p)
		}
	}
}

// The gradient of f is as long as it is with clip_local false, whatever the clip;
// that of g never is.
func TestClipLocal(t *testing.T) {
	for _, clip := range []bool{true, false} {
		tr := newTiny(t, func(c *settings) { c.GradNormClip, c.ClipLocal = 1e-3, clip })
		from := rng.New(6).Stream()
		b := &batch{noise: make([]float32, 2*tr.cfg.ZDim), groups: [][]*episode.Episode{{noisy(lbfSpec, 3, from)}, {noisy(lbfSpec, 5, from)}}}
		l, _, err := tr.step(b)
		if err != nil {
			t.Fatal(err)
		}
		if l.F.Norm < 1e-3 || l.G.Clip >= 1 || (l.F.Clip < 1) != clip {
			t.Errorf("clip_local %v: g %+v, f %+v", clip, l.G, l.F)
		}
	}
}

// In the mode oracle, with oracle_merged live, tasks that were merged into the
// group of an earlier one are played by the live head: first and third share a
// head here, second has its own.
func TestOracleOnMergedTasks(t *testing.T) {
	for kind, third := range map[string]int32{"own": 0, "live": core.LiveHead} {
		w := newWorld(t, "oracle_merged", kind, "eval_current_head", "saved")
		w.learn(6, "first", "second", "third")
		w.m.tasks = []taskHead{{"first", 0}, {"second", 1}, {"third", 0}}
		for i, want := range []int32{0, 1, third} {
			p := w.plan(i, w.m.tasks[i].Name, ModeOracle)
			got := int32(core.LiveHead)
			if p.Heads != nil {
				got = p.Heads[0]
			}
			if p.Skip || got != want {
				t.Errorf("%s, task %d: head %d, want %d", kind, i, got, want)
			}
		}
	}
}

// With save_with_context the live head is saved at transitions at which a context
// step is due, kappa2 after the last save or later.
func TestSaveWithContext(t *testing.T) {
	for nested, want := range map[bool][]int64{false: {10, 20, 30, 40, 50}, true: {25, 50}} {
		w := newWorld(t, "save_with_context", nested, "kappa1", int64(25), "kappa2", int64(10), "context_min_groups", 1, "context_batch", 2)
		w.begin("first")
		w.collect(4) // so that a context step is possible
		w.m.lastContext, w.m.lastSave = 0, 0
		var at []int64
		for now := int64(1); now <= 50; now++ {
			w.learner.saves = nil
			w.must(w.m.Trained(core.Progress{TEnv: now}))
			if len(w.learner.saves) > 0 {
				at = append(at, now)
			}
		}
		if !slices.Equal(at, want) {
			t.Errorf("nested %v: saved at %v, want %v", nested, at, want)
		}
	}
}
