package macpro

import (
	"encoding/json"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// recordedModule is one small network; the loss is sum(weights * out).
type recordedModule struct {
	States, In, Out json.RawMessage
	Weights, Grads  tensors
	Loss            float64
	LossWeights     json.RawMessage `json:"loss_weights"`
}

// The outputs and all gradients of the embeddings of states and observations.
func TestEmbeddingsMatchRecording(t *testing.T) {
	var file map[string]json.RawMessage
	readRecorded(t, recordedFolder+"nets_attn", &file)
	for _, name := range []string{"marines_3v4", "protoss_3v4"} {
		var r struct {
			Dims  moduleDims
			State recordedModule `json:"state2feature"`
			Obs   recordedModule `json:"obs2feature"`
			Act   recordedModule `json:"oa2feature"`
		}
		if err := json.Unmarshal(file[name], &r); err != nil {
			t.Fatal(err)
		}
		spec, c := r.Dims.spec(name, 4), tinyTeams(t)
		tr := teamTrainer(t, c, spec)
		t.Run(name+"/states", func(t *testing.T) {
			checkModule(t, tr.g.net, "g.state.", &r.State, func(g *nn.Graph) (*nn.Value, func(), error) {
				return openSource(g, tr.g, spec, recordedEpisodes(spec, flat(t, r.State.States), nil, nil, [2]int{3, 3}))
			})
		})
		t.Run(name+"/observations", func(t *testing.T) {
			checkModule(t, tr.f.net, "f.view.", &r.Obs, func(g *nn.Graph) (*nn.Value, func(), error) {
				obs := byTime(flat(t, r.Obs.In), spec)
				return openSource(g, tr.f, spec, recordedEpisodes(spec, nil, obs, nil, [2]int{3, 3}))
			})
		})
		t.Run(name+"/actions", func(t *testing.T) {
			checkModule(t, tr.g.net, "h.act.", &r.Act, func(g *nn.Graph) (*nn.Value, func(), error) {
				rows := openViews(g, c, spec, g.Extent(2*spec.Agents*spec.Limit), true)
				v, err := rows.view(g, tr.g.net, tr.team.act)
				return v, func() {
					in, w := flat(t, r.Act.In), spec.ObsWidth+spec.Actions
					for k := range len(in) / w {
						x := make([]float32, w)
						narrow(x, in[k*w:(k+1)*w])
						agent, at := k/spec.Limit%spec.Agents, k%spec.Limit
						rows.set(k, x[:spec.ObsWidth], oneOf(x[spec.ObsWidth:]), coder(c, &spec, agent, at))
					}
				}, err
			})
		})
	}
}

// oneOf is the place of the one among zeros.
func oneOf(oneHot []float32) int32 {
	for i, x := range oneHot {
		if x == 1 {
			return int32(i)
		}
	}
	return -1
}

// byTime turns rows [episode, agent, time] into [episode, time, agent].
func byTime(x []float64, s core.EnvSpec) []float64 {
	var out []float64
	for e := range 2 {
		for t := range s.Limit {
			for i := range s.Agents {
				k := (e*s.Agents+i)*s.Limit + t
				out = append(out, x[k*s.ObsWidth:(k+1)*s.ObsWidth]...)
			}
		}
	}
	return out
}

// openSource adds what comes before an encoder to a graph: a row for every
// record of two episodes, track by track.
func openSource(g *nn.Graph, b *encoder, s core.EnvSpec, eps []*episode.Episode) (*nn.Value, func(), error) {
	tracks := []int{stateOf}
	if b.agents > 0 {
		tracks = tracks[:0]
		for i := range s.Agents {
			tracks = append(tracks, i)
		}
	}
	steps := 2 * s.Limit
	src, err := b.embed.open(g, b.net, g.Extent(steps*len(tracks)), []lane{{spec: s, index: -1, steps: steps}})
	if err != nil {
		return nil, nil, err
	}
	return src.value(), func() {
		src.reset()
		row := 0
		for _, e := range eps {
			for _, track := range tracks {
				for t := range s.Limit {
					src.set(row, 0, e, track, t)
					row++
				}
			}
		}
	}, nil
}

// checkModule compares the output, the loss and the gradients of the tensors
// with a prefix.
func checkModule(t *testing.T, net *nn.Network, prefix string, r *recordedModule, open func(*nn.Graph) (*nn.Value, func(), error)) {
	t.Helper()
	recorded := func(from tensors, name string) []float64 {
		_, tensor := moduleOf(name)
		return flat(t, from[tensor])
	}
	n := 0
	for _, w := range net.Tensors() {
		if strings.HasPrefix(w.Name, prefix) {
			narrow(w.Range.Of(net.Params), recorded(r.Weights, w.Name))
			n++
		}
	}
	if n != len(r.Weights) || n != len(r.Grads) {
		t.Fatalf("%d tensors, recorded were %d and %d gradients", n, len(r.Weights), len(r.Grads))
	}
	net.Touch()
	g := nn.NewGraph()
	out, fill, err := open(g)
	var loss *nn.Value
	if err == nil {
		loss, err = g.Apply(weighed{flat(t, r.LossWeights)}, out)
	}
	if err == nil {
		err = g.Compile(loss)
	}
	if err != nil {
		t.Fatal(err)
	}
	fill()
	if err := g.Run(); err != nil {
		t.Fatal(err)
	}
	nearFeatures(t, "output", out, flat(t, r.Out), tinyTeams(t).Embed)
	nearOne(t, "loss", float64(loss.Data()[0]), r.Loss, closer)
	for _, w := range net.Tensors() {
		if strings.HasPrefix(w.Name, prefix) {
			near(t, "gradient of "+w.Name, w.Range.Of(net.Grads), recorded(r.Grads, w.Name), closely)
		}
	}
}

// weighed is the sum of its input's elements times weights.
type weighed struct{ weights []float64 }

func (weighed) Name() string                                     { return "weighed sum" }
func (weighed) NeedsGrad(int) bool                               { return true }
func (weighed) Out([]*nn.Extent, []int) (*nn.Extent, int, error) { return nil, 1, nil }

func (o weighed) Forward(in []nn.Mat, out nn.Mat) error {
	sum := 0.0
	for i, x := range in[0].Data {
		sum += o.weights[i] * float64(x)
	}
	out.Data[0] = float32(sum)
	return nil
}

func (o weighed) Backward(_ []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	for i, w := range o.weights {
		dIn[0].Data[i] = float32(w) * dOut.Data[0]
	}
	return nil
}
