package macpro

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/rng"
)

// marines is a task with entities of the Marines family.
func marines(name string, agents, enemies, limit int) core.EnvSpec {
	e := core.Entities{NonAttack: 6, Move: 4, OwnObs: 1, Enemies: enemies, EnemyObs: 5, AllyObs: 5, EnemyState: 3, AllyState: 4}
	return core.EnvSpec{
		Env: "marines", Task: name, Agents: agents, Actions: 6 + enemies, Limit: limit, Entities: &e,
		ObsWidth: 4 + 5*enemies + 5*(agents-1) + 1, StateWidth: agents*(4+6+enemies) + 3*enemies,
	}
}

func teamTrainer(t testing.TB, c *settings, specs ...core.EnvSpec) *trainer {
	t.Helper()
	tr, err := newTrainer(c, specs[0], rng.New(1))
	for _, s := range specs[1:] {
		if err == nil {
			err = tr.begin(s)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

var taskDecoder = regexp.MustCompile(`^h\.task(\d+)\.(state|obs)\.(.*)$`)

// recordedTeam gives the recorded network and tensor of one of our tensors.
func recordedTeam(tasks []string, name string) (net, tensor string) {
	layers := strings.NewReplacer("fc1", "fc.0", "fc2", "fc.2", "fc3", "fc.4")
	if m := taskDecoder.FindStringSubmatch(name); m != nil {
		return "rec_" + m[2] + ":" + tasks[m[1][0]-'0'], layers.Replace(m[3])
	}
	for prefix, net := range map[string]string{
		"g.state.": "state2feature_transformer", "h.state.": "state2feature_model", "f.view.": "obs2feature", "h.act.": "oa2feature",
	} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if one, ok := strings.CutPrefix(rest, "attention."); ok {
			return net, strings.Replace(one, "own.", "own_value.", 1)
		}
		if one, ok := strings.CutPrefix(rest, "mlp."); ok {
			return net, strings.NewReplacer("fc1", "rnn.0", "fc2", "rnn.2").Replace(one)
		}
		return net, strings.NewReplacer("ally.fc1", "ally_encoder", "enemy.fc1", "enemy_encoder", ".fc1", "").Replace(rest)
	}
	if rest, ok := strings.CutPrefix(name, "h.model."); ok {
		return "world_model", layers.Replace(rest)
	}
	if name[0] == 'g' {
		return "global_encoder", recordedName(name)
	}
	return "individual_encoder", recordedName(name)
}

// teamTolerances are those of gradients and first moments, and of second moments,
// up to ten times the differences that are seen: keys of attention in g have
// gradients that are small sums of large parts.
var teamTolerances = map[byte][2]float64{'g': {4e-3, 8e-3}, 'h': {1e-6, 1e-4}, 'f': {2e-3, 2e-3}}

// The losses, all gradients, and the parameters after Adam of a context step on
// two tasks with teams of different sizes.
func TestTeamContextStepMatchesRecording(t *testing.T) {
	var r recordedContext
	readRecorded(t, "context_teams", &r)
	specs := []core.EnvSpec{marines(r.Tasks[0], 3, 4, r.T), marines(r.Tasks[1], 2, 3, r.T)}
	tr := teamTrainer(t, tinyTeams(t), specs...)
	weights := r.Weights
	for _, net := range []*nn.Network{tr.g.net, tr.f.net} {
		for _, w := range net.Tensors() {
			from, name := recordedTeam(r.Tasks, w.Name)
			want := flat(t, weights[from][name])
			if len(want) != w.Range.Len() {
				t.Fatalf("%s has %d floats, recorded %s of %s has %d", w.Name, w.Range.Len(), name, from, len(want))
			}
			narrow(w.Range.Of(net.Params), want)
		}
		net.Touch()
	}
	step := r.Steps[0]
	b := &batch{picksG: step.Picks[0]}
	for k, s := range specs {
		var eps []*episode.Episode
		for _, x := range r.Batches[s.Task] {
			eps = append(eps, episodeOf(t, x, k, s.Agents, s.Actions, s.ObsWidth, s.StateWidth))
		}
		b.groups = append(b.groups, eps)
		b.noise = append(b.noise, singles(flat(t, step.Noise[2*k]))...)
	}
	b.picksL = recordedPicks(specs, r.BS, step.Picks[1:])
	l, _, err := tr.step(b)
	if err != nil {
		t.Fatal(err)
	}
	step.near(t, l, losses{Model: 2e-8, Approx: 1e-6, PosG: 8e-5, NegG: 3e-6, PosL: 1e-5, NegL: 5e-8, Context: 3e-6, Local: 4e-8,
		G: nn.StepInfo{Norm: 1e-4}})
	nearOne(t, "gradient norm of f", l.F.Norm, step.ClipF.Norm, 1e-5)
	grads, after := step.Grads, step.After
	for i, net := range []*nn.Network{tr.g.net, tr.f.net} {
		info, adam := []nn.StepInfo{l.G, l.F}[i], []*nn.Adam{tr.adamG, tr.adamF}[i]
		for _, w := range net.Tensors() {
			from, name := recordedTeam(r.Tasks, w.Name)
			u := firstUpdate{grad: flat(t, grads[from][name]), after: flat(t, after[from][name]), before: flat(t, weights[from][name]),
				params: w.Range.Of(net.Params), lr: tr.cfg.LR, info: info}
			for _, s := range adam.State() {
				switch s.Name {
				case "m":
					u.m = w.Range.Of(s.Data)
				case "v":
					u.v = w.Range.Of(s.Data)
				}
			}
			nearSum(t, "gradient of "+w.Name, w.Range.Of(net.Grads), u.grad, teamTolerances[w.Name[0]][0], 1e-7*info.Norm)
			u.check(t, w.Name)
		}
	}
}

// recordedPicks turns the recorded draws into rows: for each task whose team is
// larger than the smallest one the rows that stay, then those among all.
func recordedPicks(specs []core.EnvSpec, bs int, draws [][]int) []int {
	least := min(specs[0].Agents, specs[1].Agents)
	var pool []int
	first := 0
	for _, s := range specs {
		if s.Agents > least {
			for _, k := range draws[0] {
				pool = append(pool, first+k)
			}
			draws = draws[1:]
		} else {
			for k := range bs * s.Agents {
				pool = append(pool, first+k)
			}
		}
		first += bs * s.Agents
	}
	picks := slices.Clone(draws[0])
	for i, k := range picks {
		picks[i] = pool[k]
	}
	return picks
}

// firstUpdate is the first step of Adam on a tensor, recorded and ours.
type firstUpdate struct {
	before, grad, after []float64 // recorded; the gradient is not clipped yet
	m, v, params        []float32
	lr                  float64
	info                nn.StepInfo
}

// clipped is the recorded gradient after the clip.
func (u *firstUpdate) clipped() []float64 {
	g := slices.Clone(u.grad)
	for i := range g {
		g[i] *= u.info.Clip
	}
	return g
}

// check compares both moments with those of the recorded gradient and every
// parameter with what our moments make of the recorded one. The first step is as
// long for the smallest gradient as for the largest, so that the recorded
// parameters themselves tell only where a gradient is more than rounding noise.
func (u *firstUpdate) check(t *testing.T, what string) {
	t.Helper()
	var m, v []float64
	for _, g := range u.clipped() {
		m, v = append(m, 0.1*g), append(v, 0.001*g*g)
	}
	nearSum(t, "first moment of "+what, u.m, m, teamTolerances[what[0]][0], 1e-8*u.info.Norm*u.info.Clip)
	nearSum(t, "second moment of "+what, u.v, v, teamTolerances[what[0]][1], 1e-17*u.info.Norm*u.info.Norm)
	for i, p := range u.params {
		mean, square := float64(u.m[i])/0.1, float64(u.v[i])/0.001
		if want := u.before[i] - u.lr*mean/(math.Sqrt(square)+1e-8); math.Abs(float64(p)-want) > 1e-6 {
			t.Fatalf("%s after Adam: element %d is %v, its moments give %v", what, i, p, want)
		}
		if math.Abs(u.grad[i]) > 1e-5*u.info.Norm && math.Abs(float64(p)-u.after[i]) > 2e-5 {
			t.Fatalf("%s after Adam: element %d is %v, want %v; its gradient is %v", what, i, p, u.after[i], u.grad[i])
		}
	}
}

// nearSum fails unless got is within tol of want, relative to the largest
// element, or within least: raw numbers of floats in the tokens leave some
// tensors with gradients that are small sums of large parts.
func nearSum(t *testing.T, what string, got []float32, want []float64, tol, least float64) {
	t.Helper()
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= tol*largest+least) {
			t.Fatalf("%s: element %d is %v, want %v (largest %v)", what, i, got[i], w, largest)
		}
	}
}
