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

// swappedTeam exchanges two agents of an episode as all others see them, and
// the first two enemies.
func swappedTeam(s core.EnvSpec, e *episode.Episode) *episode.Episode {
	x, k := *e, s.Entities
	x.State = slices.Clone(e.State)
	for t := range e.T + 1 {
		row := x.State[t*s.StateWidth : (t+1)*s.StateWidth]
		swapRows(row, k.AllyState)
		swapRows(row[s.Agents*k.AllyState:], k.EnemyState)
		last := row[s.Agents*k.AllyState+k.Enemies*k.EnemyState:]
		swapRows(last, s.Actions)
		for i := range s.Agents { // and attacks at them
			swapRows(last[i*s.Actions+k.NonAttack:], 1)
		}
	}
	x.Obs = slices.Clone(e.Obs)
	for r := range (e.T + 1) * s.Agents {
		row := x.Obs[r*s.ObsWidth : (r+1)*s.ObsWidth]
		swapRows(row[k.Move:], k.EnemyObs)
		swapRows(row[k.Move+k.Enemies*k.EnemyObs:], k.AllyObs)
	}
	return &x
}

// swapRows exchanges the first two rows.
func swapRows(x []float32, width int) {
	for j := range width {
		x[j], x[width+j] = x[width+j], x[j]
	}
}

// What is said of an episode depends neither on the order of entities nor on
// which episodes of which teams are read with it, and the same parameters serve
// teams that no task had.
func TestTeamContextsStandAlone(t *testing.T) {
	small, large, unseen := marines("3m", 3, 3, 60), marines("5m_vs_6m", 5, 6, 70), marines("27m_vs_30m", 27, 30, 20)
	tr := teamTrainer(t, defaults(t), small, large)
	from := rng.New(9).Stream()
	e := noisy(small, 12, from)
	other := noisy(large, 30, from)
	other.Task = 1
	late := noisy(unseen, 5, from)
	late.Task = -1
	tr.cfg.IDLength = 4
	if err := tr.visit(unseen); err != nil {
		t.Fatal(err)
	}
	for what, r := range map[string]*reader{"g": tr.readG, "f": tr.readF} {
		read := func(eps ...*episode.Episode) [][]float32 {
			m, err := r.means(eps)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		alone, swapped := read(e), read(swappedTeam(small, e))
		for i, m := range alone {
			near(t, what+" of entities in another order", swapped[i], doubles(m), 1e-4)
		}
		n, first := r.encoder.tracks(e), r.encoder.tracks(other)
		among := read(other, e, late, other, e)
		for i, m := range alone {
			if !slices.Equal(among[first+i], m) || !slices.Equal(among[len(among)-n+i], m) {
				t.Fatalf("%s of a track among others differs from that of the track alone", what)
			}
		}
	}
}

// Tasks that begin later change nothing of what the encoders were.
func TestLaterTasksKeepTheEncoders(t *testing.T) {
	specs := []core.EnvSpec{marines("3m", 3, 3, 60), marines("3m_vs_4m", 3, 4, 60)}
	tr := teamTrainer(t, teamsOf(t), specs[0])
	b := teamBatch(tr, 2, 3)
	if _, _, err := tr.step(b); err != nil {
		t.Fatal(err)
	}
	params, moments := slices.Clone(tr.g.net.Params), slices.Clone(tr.adamG.State()[1].Data)
	if err := tr.begin(specs[1]); err != nil {
		t.Fatal(err)
	}
	n := len(params)
	if len(tr.g.net.Params) <= n || !slices.Equal(tr.g.net.Params[:n], params) || !slices.Equal(tr.adamG.State()[1].Data[:n], moments) {
		t.Fatal("a second task changed what was learned in the first")
	}
	if _, _, err := tr.step(teamBatch(tr, 2, 3)); err != nil {
		t.Fatal(err)
	}
}

// teamBatch makes a batch of groups that mix the trainer's tasks.
func teamBatch(tr *trainer, groups, bs int) *batch {
	from := rng.New(5).Stream()
	b := &batch{noise: make([]float32, groups*bs*tr.cfg.ZDim)}
	for i := range b.noise {
		b.noise[i] = float32(from.Norm())
	}
	rows := 0
	for k := range groups {
		var eps []*episode.Episode
		for i := range bs {
			task := (k + i%2) % len(tr.tasks)
			e := noisy(tr.tasks[task], 20+from.Intn(20), from)
			e.Task, rows = task, rows+e.N
			eps = append(eps, e)
		}
		b.groups = append(b.groups, eps)
	}
	b.picksG, b.picksL = make([]int, bs), make([]int, bs)
	from.Sample(b.picksG, make([]int, groups*bs), groups*bs)
	from.Sample(b.picksL, make([]int, rows), rows)
	return b
}

// The gradients of all parameters are those of the losses, for groups that mix
// teams of several sizes.
func TestTeamGradients(t *testing.T) {
	for name, change := range map[string]func(*settings){
		"default": func(*settings) {}, "without shapes": func(c *settings) { c.ShapeFeature = false }, "paper": literal,
	} {
		c := teamsOf(t)
		c.Embed, c.Attn, c.GradNormClip, c.LR, c.ContEps = 6, 4, 0, 0, 1
		change(c)
		tr := teamTrainer(t, c, marines("3m", 3, 3, 60), marines("3m_vs_4m", 3, 4, 60), marines("2m", 2, 2, 60))
		b := teamBatch(tr, 3, 4)
		if _, _, err := tr.step(b); err != nil {
			t.Fatal(err)
		}
		loss := func(net *nn.Network) float64 {
			net.Touch()
			l, _, err := tr.step(b)
			if err != nil {
				t.Fatal(err)
			}
			if net == tr.g.net {
				return l.Context
			}
			return l.Local
		}
		for _, net := range []*nn.Network{tr.g.net, tr.f.net} {
			along(t, name, net, slices.Clone(net.Grads), func() float64 { return loss(net) })
		}
	}
}

// along compares the slope of a loss along the gradient of every tensor with
// the gradient's length.
func along(t *testing.T, name string, net *nn.Network, grads []float32, loss func() float64) {
	t.Helper()
	longest := 0.0
	length := func(g []float32) float64 { return math.Sqrt(nn.SumSq(g)) }
	for _, w := range net.Tensors() {
		longest = max(longest, length(w.Range.Of(grads)))
	}
	for _, w := range net.Tensors() {
		params, g := w.Range.Of(net.Params), w.Range.Of(grads)
		was, norm := slices.Clone(params), length(g)
		if norm < 2e-2*longest {
			continue
		}
		const step = 2e-3
		var at [2]float64
		for i, sign := range []float64{1, -1} {
			for j := range params {
				params[j] = was[j] + float32(sign*step*float64(g[j])/norm)
			}
			at[i] = loss()
		}
		copy(params, was)
		net.Touch()
		if slope := (at[0] - at[1]) / (2 * step); math.Abs(slope-norm) > 0.03*norm+2e-4 {
			t.Errorf("%s, %s: slope %v along a gradient of length %v", name, w.Name, slope, norm)
		}
	}
}

// Where the number of floats of a state or observation counts, it is scaled by
// the file's factor: in the tokens of both encoders and in the forward model.
func TestShapeFeatureIsScaled(t *testing.T) {
	c := teamsOf(t)
	if c.ShapeScale != 0.01 || !c.ShapeFeature {
		t.Fatalf("encoder_shape_scale %v, encoder_shape_feature %v", c.ShapeScale, c.ShapeFeature)
	}
	spec := marines("3m", 3, 3, 60)
	tr := teamTrainer(t, c, spec)
	if _, _, err := tr.step(teamBatch(tr, 2, 2)); err != nil {
		t.Fatal(err)
	}
	state, obs := []float32{0.01 * float32(spec.StateWidth)}, []float32{0.01 * float32(spec.ObsWidth)}
	last := func(p *pass) []float32 { return rowOf(p.parts[0].source.value(), 0)[c.Embed:] }
	s := tr.graphs
	if g, f, h := last(s.passG), last(s.passF), s.team.lanes[0].input.shape; !slices.Equal(g, state) || !slices.Equal(f, obs) || !slices.Equal(h, state) {
		t.Errorf("%v for g and %v for h, want %v; %v for f, want %v", g, h, state, f, obs)
	}
}

// An agent's rows are marked with its own number, the same at all times, unless
// the numbers are to cycle.
func TestAgentCodes(t *testing.T) {
	spec := marines("3m", 3, 3, 60)
	code := func(kind string, agent, at int) int {
		return coder(&settings{Config: Config{AgentCode: kind}}, &spec, agent, at)
	}
	for agent := range 3 {
		for at := range 7 {
			if own, turn := code("own", agent, at), code("cycling", agent, at); own != agent || turn != (agent*60+at)%3 {
				t.Errorf("agent %d at time %d has the codes %d and, cycling, %d", agent, at, own, turn)
			}
		}
	}
}

func TestTeamContextStepDoesNotAllocate(t *testing.T) {
	allocs := func(bs int) float64 {
		tr := teamTrainer(t, teamsOf(t), marines("3m", 3, 3, 60), marines("5m_vs_6m", 5, 6, 70))
		b := teamBatch(tr, 2, bs)
		return testing.AllocsPerRun(3, func() {
			if _, _, err := tr.step(b); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(2), allocs(16); few > 0 || many > 0 {
		t.Fatalf("%v allocations for 4 episodes, %v for 32, want none", few, many)
	}
}

func doubles(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}
