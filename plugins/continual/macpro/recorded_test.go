package macpro

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform/recorded"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/rng"
)

// What the authors' implementation computed on small networks, in float64 with
// PyTorch 1.13. Names are PyTorch's, tensors nested lists.

type tensors map[string]json.RawMessage

func readRecorded(t *testing.T, name string, v any) {
	t.Helper()
	recorded.Read(t, "testdata/"+name+".json.gz", v)
}

// flat reads nested lists of numbers.
func flat(t *testing.T, raw json.RawMessage) []float64 {
	t.Helper()
	var one float64
	if json.Unmarshal(raw, &one) == nil {
		return []float64{one}
	}
	var many []json.RawMessage
	if err := json.Unmarshal(raw, &many); err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, m := range many {
		out = append(out, flat(t, m)...)
	}
	return out
}

var blockName = regexp.MustCompile(`^[^.]+\.blocks\.block(\d+)\.(.*)$`)

// recordedName is PyTorch's name of one of our tensors.
func recordedName(ours string) string {
	if m := blockName.FindStringSubmatch(ours); m != nil {
		part, kind, _ := strings.Cut(m[2], ".")
		part = map[string]string{
			"queries": "attention.toqueries", "keys": "attention.tokeys", "values": "attention.tovalues", "unify": "attention.unifyheads",
			"norm1": "norm1", "norm2": "norm2", "ff1": "ff.0", "ff2": "ff.2",
		}[part]
		return "transformer.tblocks." + m[1] + "." + part + "." + kind
	}
	name := ours[strings.Index(ours, ".")+1:]
	return strings.NewReplacer("embed.fc1", "transformer.token_embedding", "mixed.fc1", "transformer.toprobs", "stats.", "",
		"fc1", "fc.0", "fc2", "fc.2", "fc3", "fc.4").Replace(name)
}

// load sets a network's parameters, each segment from the tensors that from
// names.
func load(t *testing.T, net *nn.Network, from func(name string) tensors) {
	t.Helper()
	for _, w := range net.Tensors() {
		want := flat(t, from(w.Name)[recordedName(w.Name)])
		if len(want) != w.Range.Len() {
			t.Fatalf("%s (%s) has %d floats, recorded were %d", w.Name, recordedName(w.Name), w.Range.Len(), len(want))
		}
		narrow(w.Range.Of(net.Params), want)
	}
	net.Touch()
}

// near fails unless got is within tol of want, relative to the largest element.
func near(t *testing.T, what string, got []float32, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	scale := 1e-6
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= tol*scale) {
			t.Fatalf("%s: element %d is %v, want %v (largest %v)", what, i, got[i], w, scale)
		}
	}
}

func nearOne(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1e-6, math.Abs(want))) {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

type recordedContext struct {
	BS, T int
	Tasks []string
	Spec  map[string]struct {
		Agents  int `json:"n_agents"`
		Actions int `json:"n_actions"`
		State   int
		Obs     int
	}
	Batches map[string][]tensors
	Weights map[string]tensors
	Steps   []recordedStep
}

type recordedStep struct {
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
	Centers map[string][]float64
	Radii   map[string]float64
}

// near compares the losses of a step and the gradient norm of g and h, each within a
// tolerance.
func (r *recordedStep) near(t *testing.T, got, tol losses) {
	t.Helper()
	for _, c := range []struct {
		what           string
		got, want, tol float64
	}{
		{"model loss", got.Model, r.Model, tol.Model}, {"distance of f to g", got.Approx, r.Approx, tol.Approx},
		{"attraction of g", got.PosG, r.PosG, tol.PosG}, {"repulsion of g", got.NegG, r.NegG, tol.NegG},
		{"attraction of f", got.PosL, r.PosL, tol.PosL}, {"repulsion of f", got.NegL, r.NegL, tol.NegL},
		{"loss of g and h", got.Context, r.Context, tol.Context}, {"loss of f", got.Local, r.Local, tol.Local},
		{"gradient norm of g and h", got.G.Norm, r.ClipG.Norm, tol.G.Norm},
	} {
		nearOne(t, c.what, c.got, c.want, c.tol)
	}
}

// singles rounds numbers to float32.
func singles(x []float64) []float32 {
	out := make([]float32, len(x))
	narrow(out, x)
	return out
}

// of picks the recorded network that one of our tensors belongs to.
func of(nets map[string]tensors) func(string) tensors {
	return func(name string) tensors {
		switch name[0] {
		case 'g':
			return nets["global_encoder"]
		case 'h':
			return nets["world_model"]
		}
		return nets["individual_encoder"]
	}
}

// episodeOf makes an episode of a recorded batch of one. Padding is dropped.
func episodeOf(t *testing.T, b tensors, task int, n, a, o, s int) *episode.Episode {
	t.Helper()
	filled := 0
	for _, f := range flat(t, b["filled"]) {
		filled += int(f)
	}
	e := &episode.Episode{Task: task, Head: task, T: filled - 1, N: n, A: a, ObsWidth: o, StateWidth: s}
	single := func(name string, floats int) []float32 { return singles(flat(t, b[name])[:floats]) }
	e.State, e.Obs, e.Reward = single("state", filled*s), single("obs", filled*n*o), single("reward", e.T)
	for _, x := range flat(t, b["avail_actions"])[:filled*n*a] {
		e.Avail = append(e.Avail, uint8(x))
	}
	for _, x := range flat(t, b["actions"])[:e.T*n] {
		e.Actions = append(e.Actions, int32(x))
	}
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	return e
}

// stepTolerances are those of gradients and of parameters after Adam, up to ten
// times the differences that are seen.
var stepTolerances = map[byte][2]float64{'g': {3e-5, 1e-6}, 'h': {2e-6, 8e-7}, 'f': {3e-4, 6e-6}}

// The losses, all gradients, the centers and radii and the parameters after
// Adam of two consecutive context steps, with two and with three groups.
func TestContextStepMatchesRecording(t *testing.T) {
	for _, name := range []string{"context_2groups", "context_3groups"} {
		t.Run(name, func(t *testing.T) {
			var r recordedContext
			readRecorded(t, name, &r)
			s := r.Spec[r.Tasks[0]]
			spec := core.EnvSpec{Agents: s.Agents, Actions: s.Actions, ObsWidth: s.Obs, StateWidth: s.State, Limit: r.T}
			tr, err := newTrainer(tiny(t), spec, rng.New(1))
			if err != nil {
				t.Fatal(err)
			}
			load(t, tr.g.net, of(r.Weights))
			load(t, tr.f.net, of(r.Weights))
			var groups [][]*episode.Episode
			for k, task := range r.Tasks {
				var eps []*episode.Episode
				for _, b := range r.Batches[task] {
					eps = append(eps, episodeOf(t, b, k, s.Agents, s.Actions, s.Obs, s.State))
				}
				groups = append(groups, eps)
			}
			for _, step := range r.Steps {
				b := &batch{groups: groups, picksG: step.Picks[0], picksL: step.Picks[1]}
				for k := range r.Tasks {
					b.noise = append(b.noise, singles(flat(t, step.Noise[2*k]))...)
				}
				l, means, err := tr.step(b)
				if err != nil {
					t.Fatal(err)
				}
				step.near(t, l, losses{Model: 3e-8, Approx: 8e-7, PosG: 7e-6, NegG: 1e-5, PosL: 8e-6, NegL: 5e-6, Context: 8e-6, Local: 4e-6,
					G: nn.StepInfo{Norm: 1e-5}})
				if l.F.Clip != 1 {
					t.Errorf("the gradient of f was clipped: %+v", l.F)
				}
				for _, net := range []*nn.Network{tr.g.net, tr.f.net} {
					for _, w := range net.Tensors() {
						tol := stepTolerances[w.Name[0]]
						near(t, "gradient of "+w.Name, w.Range.Of(net.Grads), flat(t, of(step.Grads)(w.Name)[recordedName(w.Name)]), tol[0])
						near(t, w.Name+" after Adam", w.Range.Of(net.Params), flat(t, of(step.After)(w.Name)[recordedName(w.Name)]), tol[1])
					}
				}
				for k, task := range r.Tasks {
					c := centerOf(k, means[k*r.BS:(k+1)*r.BS])
					near(t, "center", c.mean, step.Centers[task], 1e-6)
					nearOne(t, "radius", c.radius, step.Radii[task], 5e-6)
				}
			}
		})
	}
}

// The encoder with the product of experts: tokens masked or not, contexts,
// samples and all gradients.
func TestEncoderMatchesRecording(t *testing.T) {
	var r struct {
		Encoder struct {
			Weights      tensors
			Masked, Full struct {
				X, Mask, Noise, Z json.RawMessage
				Block0            json.RawMessage `json:"block0_out"`
				Block1            json.RawMessage `json:"block1_out"`
				Stats             json.RawMessage `json:"fc_out"`
				Rep               json.RawMessage `json:"mu_lgvar"`
				GradX             json.RawMessage `json:"grad_x"`
				WZ                json.RawMessage `json:"loss_w_z"`
				WRep              json.RawMessage `json:"loss_w_mu_lgvar"`
				Loss              float64
				Grads             tensors
			}
		}
	}
	readRecorded(t, "encoder_kl", &r)
	for _, c := range []struct {
		name  string
		limit int
		keys  []int
	}{{"masked", 6, []int{6, 4, 2}}, {"full", 5, []int{5, 5}}} {
		t.Run(c.name, func(t *testing.T) {
			rec := r.Encoder.Full
			if c.name == "masked" {
				rec = r.Encoder.Masked
			}
			var l nn.Layout
			cfg := tiny(t)
			b := planEncoder(&l, "g", cfg, features{5, 1}, 0, c.limit)
			var err error
			if b.net, err = nn.NewNetwork(&l); err != nil {
				t.Fatal(err)
			}
			load(t, b.net, func(string) tensors { return r.Encoder.Weights })
			g := nn.NewGraph()
			p, err := b.open(g, b.net, len(c.keys))
			if err != nil {
				t.Fatal(err)
			}
			sample := &sampleLoss{}
			loss, err := g.Apply(sample, p.reps()[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Compile(loss); err != nil {
				t.Fatal(err)
			}
			x := flat(t, rec.X)
			var eps []*episode.Episode
			for i, keys := range c.keys {
				e := &episode.Episode{T: keys, N: 1, A: 1, StateWidth: 5, State: make([]float32, (keys+1)*5)}
				narrow(e.State, x[i*c.limit*5:(i*c.limit+keys)*5])
				eps = append(eps, e)
			}
			if err := p.fill(eps); err != nil {
				t.Fatal(err)
			}
			sample.noise, sample.wz, sample.wRep = flat(t, rec.Noise), flat(t, rec.WZ), flat(t, rec.WRep)
			if err := g.Run(); err != nil {
				t.Fatal(err)
			}
			near(t, "contexts", p.reps()[0].Data(), flat(t, rec.Rep), 5e-7)
			near(t, "samples", sample.z, flat(t, rec.Z), 7e-7)
			nearOne(t, "loss", float64(loss.Data()[0]), rec.Loss, 4e-7)
			for _, w := range b.net.Tensors() {
				near(t, "gradient of "+w.Name, w.Range.Of(b.net.Grads), flat(t, rec.Grads[recordedName(w.Name)]), 5e-6)
			}
			stages, gradX := stepwise(t, b, p.parts[0], sample)
			for i, want := range []json.RawMessage{rec.Block0, rec.Block1, rec.Stats} {
				what := []string{"first block", "second block", "statistics of the rows"}[i]
				near(t, what, stages[i].Data, rowsOf(p.parts[0], stages[i].Cols, c.limit, flat(t, want), false), 8e-7)
			}
			near(t, "gradient of the rows", gradX.Data, rowsOf(p.parts[0], 5, c.limit, flat(t, rec.GradX), true), 5e-6)
		})
	}
}

// stepwise runs the operations of an encoder of two blocks one by one on the rows of
// a part: what comes after the first block, after both and out of the last
// layers, and the gradient of the rows.
func stepwise(t *testing.T, b *encoder, q part, loss nn.Fused) (stages []nn.Mat, gradX nn.Mat) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	mat := func(rows, cols int) nn.Mat { return nn.Mat{Rows: rows, Cols: cols, Data: make([]float32, rows*cols)} }
	with := func(x nn.Mat, s nn.Segment) []nn.Mat {
		return []nn.Mat{x, {Rows: 1, Cols: s.Len, Data: s.Of(b.net.Params)}}
	}
	e, z, rows := b.parts[0], b.cfg.ZDim, q.seqs.Rows()
	x, rep := nn.Mat{Rows: rows, Cols: b.embed.width(), Data: q.source.value().Data()}, mat(q.seqs.Len(), 2*z)
	tokens, first, both, mixed, stats := mat(rows, z), mat(rows, z), mat(rows, z), mat(rows, z), mat(rows, 2*z)
	chain := []struct {
		op  nn.Fused
		in  []nn.Mat
		out nn.Mat
	}{
		{e.Embed.Op(), with(x, e.Embed.Segment), tokens}, {e.Blocks.Op(q.seqs), with(tokens, e.Blocks.Segment), both},
		{e.Mixed.Op(), with(both, e.Mixed.Segment), mixed}, {e.Stats.Op(), with(mixed, e.Stats.Segment), stats},
		{q.experts, []nn.Mat{stats}, rep}, {loss, []nn.Mat{rep}, mat(1, 1)},
	}
	for _, c := range chain {
		if r, ok := c.op.(nn.Recorder); ok {
			r.Record()
		}
		must(c.op.Forward(c.in, c.out))
	}
	one := e.Blocks
	one.Depth = 1
	must(one.Op(q.seqs).Forward(with(tokens, one.Segment), first))
	gradX = nn.Mat{Rows: 1, Cols: 1, Data: []float32{1}}
	for _, c := range slices.Backward(chain) {
		var grads []nn.Mat
		for _, m := range c.in {
			grads = append(grads, mat(m.Rows, m.Cols))
		}
		must(c.op.Backward(c.in, c.out, gradX, grads))
		gradX = grads[0]
	}
	return []nn.Mat{first, both, stats}, gradX
}

// rowsOf picks the rows of a part from recorded ones, [sequences, limit, width].
// A sum counts a row of padding as often as it stands for one.
func rowsOf(q part, width, limit int, recorded []float64, sum bool) (out []float64) {
	for i := range q.seqs.Len() {
		_, rows := q.seqs.At(i)
		for r := range rows {
			at := (i*limit + r) * width
			for _, v := range recorded[at : at+width] {
				if sum {
					v *= q.experts.counted(i, r)
				}
				out = append(out, v)
			}
		}
	}
	return out
}

// sampleLoss is sum wz*z + sum wRep*[mean, log variance] with z the sample.
type sampleLoss struct {
	noise, wz, wRep []float64
	z               []float32
}

func (*sampleLoss) Name() string       { return "sample loss" }
func (*sampleLoss) NeedsGrad(int) bool { return true }
func (*sampleLoss) Out([]*nn.Extent, []int) (*nn.Extent, int, error) {
	return nil, 1, nil
}

func (o *sampleLoss) Forward(in []nn.Mat, out nn.Mat) error {
	z := in[0].Cols / 2
	sum := 0.0
	o.z = o.z[:0]
	for r := range in[0].Rows {
		for d, v := range in[0].Row(r) {
			sum += o.wRep[r*2*z+d] * float64(v)
			if d < z {
				s := float64(v) + math.Exp(float64(in[0].Row(r)[z+d])/2)*o.noise[r*z+d]
				o.z = append(o.z, float32(s))
				sum += o.wz[r*z+d] * s
			}
		}
	}
	out.Data[0] = float32(sum)
	return nil
}

func (o *sampleLoss) Backward(in []nn.Mat, _, _ nn.Mat, dIn []nn.Mat) error {
	z := in[0].Cols / 2
	for r := range in[0].Rows {
		for d := range z {
			dz := o.wz[r*z+d]
			dIn[0].Row(r)[d] = float32(o.wRep[r*2*z+d] + dz)
			dIn[0].Row(r)[z+d] = float32(o.wRep[r*2*z+z+d] + dz*0.5*math.Exp(float64(in[0].Row(r)[z+d])/2)*o.noise[r*z+d])
		}
	}
	return nil
}

func TestDivergenceMatchesRecording(t *testing.T) {
	var r struct {
		Raw []tensors `json:"symmetric_kl"`
	}
	readRecorded(t, "encoder_kl", &r)
	for _, c := range r.Raw {
		p, q := flat(t, c["mu_lgvar_1"]), flat(t, c["mu_lgvar_2"])
		rows := len(p) / 8
		j := newDivergence("mean_half", 4)
		var g gaussians
		g.resize(2*rows, 4)
		kl := 0.0
		for i, v := range slices.Concat(p, q) { // exact, not through float32
			if at := i / 8; i%8 < 4 {
				g.mean[at*4+i%8] = v
			} else {
				g.variance[at*4+i%8-4] = math.Exp(v)
			}
		}
		for i := range rows {
			kl += j.of(g.one(i), g.one(rows+i)) / float64(rows)
			j.add(g.one(i), g.one(rows+i), 1/float64(rows))
		}
		nearOne(t, "divergence", kl, flat(t, c["kl"])[0], 1e-14)
		for i, want := range slices.Concat(flat(t, c["grad_1"]), flat(t, c["grad_2"])) {
			nearOne(t, "gradient", g.grad[i], want, 1e-13)
		}
	}
}
