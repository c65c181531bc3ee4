package macpro

import (
	"encoding/json"
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

// forTeams adds the keys for entities.
func forTeams(c *settings) *settings {
	c.ShapeFeature, c.ShapeScale, c.AgentCode, c.StateUnits = true, 0.01, "own", "first"
	c.Embed, c.Attn, c.IDLength = 64, 8, 4
	return c
}

// tinyTeams are the settings of the recordings.
func tinyTeams() *settings {
	c := forTeams(tiny())
	c.ShapeScale, c.AgentCode, c.StateUnits, c.Embed, c.Attn = 1, keyCycling, keyLast, 6, 4
	return c
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

// The losses, all gradients, and the parameters after Adam of a context step on
// two tasks with teams of different sizes.
func TestTeamContextStepMatchesRecording(t *testing.T) {
	var r struct {
		BS, T   int
		Tasks   []string
		Batches map[string][]tensors
		Weights map[string]tensors
		Steps   []struct {
			Noise   []json.RawMessage      `json:"noise_in_call_order"`
			Picks   [][]int                `json:"sampled_idx_in_call_order"`
			Model   float64                `json:"rec_loss"`
			Approx  float64                `json:"approx_loss"`
			PosG    float64                `json:"pos_loss"`
			NegG    float64                `json:"neg_loss"`
			PosL    float64                `json:"pos_loss_agent"`
			NegL    float64                `json:"neg_loss_agent"`
			Context float64                `json:"oracle_loss"`
			Local   float64                `json:"individual_loss"`
			ClipG   struct{ Norm float64 } `json:"global_clip"`
			ClipF   struct{ Norm float64 } `json:"individual_clip"`
			Grads   map[string]tensors     `json:"grads_before_clip"`
			After   map[string]tensors
		}
	}
	readRecorded(t, "context_teams", &r)
	specs := []core.EnvSpec{marines(r.Tasks[0], 3, 4, r.T), marines(r.Tasks[1], 2, 3, r.T)}
	tr := teamTrainer(t, tinyTeams(), specs...)
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
		noise := flat(t, step.Noise[2*k])
		at := len(b.noise)
		b.noise = append(b.noise, make([]float32, len(noise))...)
		narrow(b.noise[at:], noise)
	}
	b.picksL = recordedPicks(specs, r.BS, step.Picks[1:])
	l, _, err := tr.step(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"model loss", l.Model, step.Model}, {"distance of f to g", l.Approx, step.Approx},
		{"attraction of g", l.PosG, step.PosG}, {"repulsion of g", l.NegG, step.NegG},
		{"attraction of f", l.PosL, step.PosL}, {"repulsion of f", l.NegL, step.NegL},
		{"loss of g and h", l.Context, step.Context}, {"loss of f", l.Local, step.Local},
		{"gradient norm of g and h", l.G.Norm, step.ClipG.Norm}, {"gradient norm of f", l.F.Norm, step.ClipF.Norm},
	} {
		nearOne(t, c.what, c.got, c.want, 2e-5)
	}
	grads, after := step.Grads, step.After
	for i, net := range []*nn.Network{tr.g.net, tr.f.net} {
		norm := []float64{l.G.Norm, l.F.Norm}[i]
		for _, w := range net.Tensors() {
			from, name := recordedTeam(r.Tasks, w.Name)
			nearSum(t, "gradient of "+w.Name, w.Range.Of(net.Grads), flat(t, grads[from][name]), 2e-3, 1e-7*norm)
			updated(t, w.Name, w.Range.Of(net.Params), flat(t, after[from][name]), flat(t, grads[from][name]), norm)
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

// updated fails unless parameters are as recorded after Adam. Its first step is
// as long for the smallest gradient as for the largest, so that elements whose
// gradient is rounding noise may differ by two steps.
func updated(t *testing.T, what string, got []float32, want, grad []float64, norm float64) {
	t.Helper()
	for i, w := range want {
		tol := 2e-5
		if math.Abs(grad[i]) < 1e-5*norm {
			tol = 1.01e-3
		}
		if !(math.Abs(float64(got[i])-w) <= tol) {
			t.Fatalf("%s after Adam: element %d is %v, want %v; its gradient is %v", what, i, got[i], w, grad[i])
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
