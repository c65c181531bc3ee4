package qlearn_test

import (
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
)

// recordedDims are the sizes of a recorded task of entities.
type recordedDims struct {
	N         int `json:"n_agents"`
	M         int `json:"n_enemies"`
	Actions   int `json:"n_actions"`
	Obs       int `json:"obs"`
	State     int `json:"state"`
	Own       int `json:"own"`    // with the move features
	EnemyObs  int `json:"obs_en"` // of one enemy
	AllyObs   int `json:"obs_al"`
	AllState  int `json:"st_al"`
	FoesState int `json:"st_en"`

	// The names of the same in the other file.
	Own2   int `json:"own_obs"`
	Enemy2 int `json:"obs_nf_en"`
	Ally2  int `json:"obs_nf_al"`
	Al2    int `json:"state_nf_al"`
	En2    int `json:"state_nf_en"`
}

func (d recordedDims) spec(limit int) core.EnvSpec {
	return core.EnvSpec{
		Env: "recorded", Task: "entities", Agents: d.N, Actions: d.Actions, ObsWidth: d.Obs, StateWidth: d.State, Limit: limit,
		Entities: &core.Entities{
			NonAttack: 6, Move: 4, OwnObs: d.Own + d.Own2 - 4, Enemies: d.Actions - 6,
			EnemyObs: d.EnemyObs + d.Enemy2, AllyObs: d.AllyObs + d.Ally2,
			EnemyState: d.FoesState + d.En2, AllyState: d.AllState + d.Al2,
		},
	}
}

// entityConfig are settings with the recorded sizes.
func entityConfig(t *testing.T, rnn, embed, attn int) (core.Settings, qlearn.Config) {
	t.Helper()
	s, err := qlearntest.Compat("official", "marines", core.Info{}, core.Settings{
		"rnn_hidden_dim": rnn, "entity_embed_dim": embed, "attn_embed_dim": attn,
		"bootstrap_on_timeout": true, // an episode of the recorded batch has no end
	})
	must(t, err)
	var c qlearn.Config
	must(t, config.Decode(s, &c))
	return s, c
}

// lastOf finds the action in one-hot rows.
func lastOf(oneHot []float32) int32 { return int32(slices.Index(oneHot, 1)) }

// byStep turns rows (episode, step, ...) into (step, episode, ...).
func byStep(a array, episodes, steps int) []float32 {
	x, out := a.float32s(), []float32(nil)
	w := len(x) / (episodes * steps)
	for s := range steps {
		for e := range episodes {
			out = append(out, x[(e*steps+s)*w:(e*steps+s+1)*w]...)
		}
	}
	return out
}

// checkGrads compares the gradients with recorded ones.
func checkGrads(t *testing.T, recorded []core.Weight, got func(core.Weight) []float32) {
	t.Helper()
	for _, w := range recorded {
		if d := worst(got(w), float64s(w.Data)); d > tolerance {
			t.Errorf("gradient of %s: relative difference %.1e", w.Name, d)
		}
	}
}

// recordedEntities is one task of the small recording.
type recordedEntities struct {
	Dims   recordedDims `json:"dims"`
	Inputs array        `json:"inputs"`
	Agent  struct {
		Weights     map[string]array `json:"weights"`
		Q           array            `json:"q"`
		LossWeights array            `json:"loss_weights"`
		Grads       map[string]array `json:"grads"`
	} `json:"agent"`
	Mixer recordedMixer `json:"mixer"`
}

func readEntities(t *testing.T) map[string]recordedEntities {
	t.Helper()
	var file map[string]jsonCase
	readFixture(t, "nets_attn", &file)
	tasks := map[string]recordedEntities{}
	for _, name := range []string{"marines_3v4", "protoss_3v4"} {
		var r recordedEntities
		file[name].decode(t, &r)
		tasks[name] = r
	}
	return tasks
}

func TestRecordedEntityAgent(t *testing.T) {
	for name, r := range readEntities(t) {
		t.Run(name, func(t *testing.T) {
			_, c := entityConfig(t, 6, 6, 4)
			spec := r.Dims.spec(10)
			const episodes, steps = 2, 4
			b, err := qlearn.NewAgentBench(c, spec, episodes)
			must(t, err)
			fill(t, b.Net.Params, b.Net.Tensors(), weights(r.Agent.Weights, ""))
			in, width := r.Inputs.float32s(), r.Inputs.shape[2]
			var obs []float32
			var last []int32
			for row := range slices.Chunk(in, width) {
				obs = append(obs, row[:spec.ObsWidth]...)
				last = append(last, lastOf(row[spec.ObsWidth:spec.ObsWidth+spec.Actions]))
			}
			q, err := b.Run(steps, episodes, obs, last, byStep(r.Agent.LossWeights, episodes, steps))
			must(t, err)
			if d := worst(q, float64s(byStep(r.Agent.Q, episodes, steps))); d > tolerance {
				t.Errorf("values: relative difference %.1e", d)
			}
			checkGrads(t, weights(r.Agent.Grads, ""), func(w core.Weight) []float32 {
				x, err := b.Net.Tensor(w.Name)
				must(t, err)
				return x.Range.Of(b.Net.Grads)
			})
			if n := len(b.Net.Tensors()); n != len(r.Agent.Grads) {
				t.Errorf("%d tensors, %d recorded gradients", n, len(r.Agent.Grads))
			}
		})
	}
}

// prefixed puts a prefix before the names that agents and mixers share.
func prefixed(prefix string, from map[string]array) map[string]array {
	to := map[string]array{}
	for name, a := range from {
		if slices.ContainsFunc([]string{"query.", "key.", "ally_", "enemy_", "own_", "fc.", "rnn."}, func(s string) bool { return strings.HasPrefix(name, s) }) {
			name = prefix + name
		}
		to[name] = a
	}
	return to
}
