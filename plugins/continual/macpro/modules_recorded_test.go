package macpro

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// recordedFolder has the recordings of networks on entities, from testdata.
const recordedFolder = "../../../../core/qlearn/testdata/"

// closely and closer are how near networks in float32 come to those in float64,
// relative to the largest element: within ten times what is seen.
const (
	closely = 2e-6 // codes of the model and gradients
	closer  = 9e-7
)

// moduleDims are the sizes of a recorded task, with the names of both files.
type moduleDims struct {
	Agents   int `json:"n_agents"`
	Actions  int `json:"n_actions"`
	Obs      int
	State    int
	Own      int `json:"own"`    // with the move features
	EnemyObs int `json:"obs_en"` // of one enemy
	AllyObs  int `json:"obs_al"`
	Ally     int `json:"st_al"`
	Enemy    int `json:"st_en"`

	Own2      int `json:"own_obs"`
	EnemyObs2 int `json:"obs_nf_en"`
	AllyObs2  int `json:"obs_nf_al"`
	Ally2     int `json:"state_nf_al"`
	Enemy2    int `json:"state_nf_en"`
}

func (d moduleDims) spec(name string, limit int) core.EnvSpec {
	return core.EnvSpec{
		Env: "recorded", Task: name, Agents: d.Agents, Actions: d.Actions, ObsWidth: d.Obs, StateWidth: d.State, Limit: limit,
		Entities: &core.Entities{
			NonAttack: 6, Move: 4, OwnObs: d.Own + d.Own2 - 4, Enemies: d.Actions - 6,
			EnemyObs: d.EnemyObs + d.EnemyObs2, AllyObs: d.AllyObs + d.AllyObs2, EnemyState: d.Enemy + d.Enemy2, AllyState: d.Ally + d.Ally2,
		},
	}
}

// moduleOf names the recorded module of the tensor that recordedTeam names. Two
// of ours may have the weights of one module.
func moduleOf(ours string) (module, tensor string) {
	net, tensor := recordedTeam([]string{""}, ours)
	net, _, _ = strings.Cut(net, "_transformer")
	net, _, _ = strings.Cut(net, "_model")
	switch net {
	case "global_encoder", "individual_encoder":
		return "encoder", tensor
	case "world":
		return "world_model", tensor
	}
	return net, tensor
}

// loadModules sets all tensors that belong to a recorded module, and returns how
// many.
func loadModules(t *testing.T, net *nn.Network, modules map[string]map[string][]float64) int {
	t.Helper()
	n := 0
	for _, w := range net.Tensors() {
		module, name := moduleOf(w.Name)
		if modules[module] == nil {
			continue
		}
		want := modules[module][name]
		if len(want) != w.Range.Len() {
			t.Fatalf("%s has %d floats, recorded %s of %s has %d", w.Name, w.Range.Len(), name, module, len(want))
		}
		narrow(w.Range.Of(net.Params), want)
		n++
	}
	net.Touch()
	return n
}

// formula gives the weights of a module, of which names and shapes are recorded.
func formula(t *testing.T, params [][2]json.RawMessage) map[string][]float64 {
	t.Helper()
	all := map[string][]float64{}
	for p, raw := range params {
		var name string
		if err := json.Unmarshal(raw[0], &name); err != nil {
			t.Fatal(err)
		}
		shape := flat(t, raw[1])
		n, scale, shift := 1, 0.2, 0.0
		for _, d := range shape {
			n *= int(d)
		}
		switch {
		case len(shape) > 1:
			scale = 2 / math.Sqrt(shape[len(shape)-1])
		case strings.Contains(name, "norm") && strings.HasSuffix(name, "weight"):
			shift = 1
		}
		for k := range n {
			all[name] = append(all[name], shift+scale*(float64((k*7919+p*104729+12345)%10007)/10007-0.5))
		}
	}
	return all
}

// recordedEpisodes are two episodes of the given number of transitions, of a
// batch with as many records as the time limit. Records after that are zero.
func recordedEpisodes(s core.EnvSpec, state, obs, actions []float64, transitions [2]int) []*episode.Episode {
	var eps []*episode.Episode
	for k, steps := range transitions {
		e := &episode.Episode{T: steps, N: s.Agents, A: s.Actions, ObsWidth: s.ObsWidth, StateWidth: s.StateWidth,
			State: make([]float32, (steps+1)*s.StateWidth), Obs: make([]float32, (steps+1)*s.Agents*s.ObsWidth), Reward: make([]float32, steps)}
		part := func(x []float64, most int) []float64 { return x[k*len(x)/2:][:min(len(x)/2, most)] }
		narrow(e.State, part(state, len(e.State)))
		narrow(e.Obs, part(obs, len(e.Obs)))
		for _, a := range part(actions, steps*s.Agents) {
			e.Actions = append(e.Actions, int32(a))
		}
		eps = append(eps, e)
	}
	return eps
}

// recordedModules are the outputs of the context networks for two episodes with
// three records, of which the last one of the second is padding.
type recordedModules struct {
	Dims                   moduleDims
	State, Obs, Actions, Z []float64
	StateFeature           []float64 `json:"state_feature"`
	ObsFeature             []float64 `json:"obs_feature"`
	OAFeatureMean          []float64 `json:"oa_feature_mean"`
	Rep                    []float64 `json:"encoder_mu_logvar"`
	ModelOut               []float64 `json:"world_model_out"`
}

// All context networks at full size on the training tasks of both families.
func TestContextModulesMatchRecording(t *testing.T) {
	var families map[string]struct {
		Params map[string][][2]json.RawMessage
		Tasks  map[string]recordedModules
	}
	readRecorded(t, recordedFolder+"attn_modules", &families)
	tasks := 0
	for _, f := range families {
		modules := map[string]map[string][]float64{}
		for name, params := range f.Params {
			modules[name] = formula(t, params)
		}
		for name, r := range f.Tasks {
			tasks++
			t.Run(name, func(t *testing.T) {
				tr := teamTrainer(t, configured(t, "official", "marines"), r.Dims.spec(name, 3))
				if n, decoders := loadModules(t, tr.g.net, modules), 12; n != len(tr.g.net.Tensors())-decoders {
					t.Fatalf("%d tensors of g and h were recorded, there are %d", n, len(tr.g.net.Tensors()))
				}
				if n := loadModules(t, tr.f.net, modules); n != len(tr.f.net.Tensors()) {
					t.Fatalf("%d tensors of f were recorded, there are %d", n, len(tr.f.net.Tensors()))
				}
				checkEncoders(t, tr, &r)
				checkModel(t, tr, &r)
			})
		}
	}
	if tasks != 8 {
		t.Errorf("%d tasks, want the 8 training tasks", tasks)
	}
}

// checkEncoders compares the tokens of g and f and the contexts of g.
func checkEncoders(t *testing.T, tr *trainer, r *recordedModules) {
	t.Helper()
	spec := tr.tasks[0]
	eps := recordedEpisodes(spec, r.State, r.Obs, r.Actions, [2]int{3, 2})
	run := func(b *encoder, tracks int) part {
		g := nn.NewGraph()
		p, err := b.openFor(g, b.net, 2*tracks, 6*tracks, []lane{{spec: spec, index: -1, steps: 6}})
		if err == nil {
			err = g.Compile(nil)
		}
		if err == nil {
			err = p.fill(eps)
		}
		if err == nil {
			err = g.Run()
		}
		if err != nil {
			t.Fatal(err)
		}
		return p.parts[0]
	}
	g, f := run(tr.g, 1), run(tr.f, spec.Agents)
	nearFeatures(t, "embedded states", g.source.value(), r.StateFeature, tr.cfg.Embed)
	nearFeatures(t, "embedded observations", f.source.value(), r.ObsFeature, tr.cfg.Embed)
	near(t, "contexts", g.rep.Data(), r.Rep, closer)
}

// nearFeatures compares rows. The number of floats that may be their last
// feature is far larger than the others and must be the same.
func nearFeatures(t *testing.T, what string, v *nn.Value, want []float64, width int) {
	t.Helper()
	var got []float32
	var features []float64
	if len(v.Data()) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(v.Data()), len(want))
	}
	for i, x := range v.Data() {
		switch {
		case i%v.Width() < width:
			got, features = append(got, x), append(features, want[i])
		case float64(x) != want[i]:
			t.Fatalf("%s: the number of floats is %v, want %v", what, x, want[i])
		}
	}
	near(t, what, got, features, closer)
}

// checkModel compares what h reads and the code that it predicts.
func checkModel(t *testing.T, tr *trainer, r *recordedModules) {
	t.Helper()
	spec, m, g := tr.tasks[0], tr.team, nn.NewGraph()
	q := &lanePass{lane: lane{spec: spec, index: -1, steps: 6}, rows: g.Extent(6), agents: g.Extent(6 * spec.Agents)}
	q.states, q.views = openStates(g, m.cfg, spec, q.rows), openViews(g, m.cfg, spec, q.agents, true)
	q.input = &modelInput{agents: spec.Agents, z: m.cfg.ZDim, shape: []float32{float32(spec.StateWidth)}}
	q.loss = &prediction{agents: spec.Agents}
	rep := g.Input("contexts", g.Extent(2), 2*m.cfg.ZDim)
	c := &chain{g: g, net: tr.g.net}
	in := c.apply(q.input, c.keep(q.states.summarize(g, tr.g.net, m.state)), c.keep(q.views.view(g, tr.g.net, m.act)), rep)
	code := c.mlp(m.mlp, in)
	if c.err == nil {
		c.err = g.Compile(nil)
	}
	if c.err != nil {
		t.Fatal(c.err)
	}
	for k := range 2 { // without noise the sample is the mean
		narrow(rowOf(rep, k), r.Z[k*m.cfg.ZDim:(k+1)*m.cfg.ZDim])
	}
	q.input.reset(make([]float32, 2*m.cfg.ZDim))
	q.rows.N = 0
	for k, e := range recordedEpisodes(spec, r.State, r.Obs, r.Actions, [2]int{3, 3}) {
		for t := range 3 {
			q.add(m.cfg, e, t, k, 1)
		}
	}
	if err := g.Run(); err != nil {
		t.Fatal(err)
	}
	var acts []float32
	for k := range 6 {
		acts = append(acts, rowOf(in, k)[embedded(m.cfg):][:m.cfg.Embed]...)
	}
	near(t, "embedded observations with actions", acts, r.OAFeatureMean, closer)
	near(t, "codes", code.Data(), r.ModelOut, closely)
}
