package qlearn_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform/recorded"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/qlearn"
)

// array is a recorded number or nested list of numbers.
type array struct {
	shape []int
	data  []float64
}

func (a *array) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	a.shape, a.data = nil, nil
	for u := v; ; {
		list, ok := u.([]any)
		if !ok {
			break
		}
		a.shape = append(a.shape, len(list))
		if len(list) == 0 {
			break
		}
		u = list[0]
	}
	return a.flatten(v)
}

func (a *array) flatten(v any) error {
	switch v := v.(type) {
	case nil:
	case float64:
		a.data = append(a.data, v)
	case []any:
		for _, x := range v {
			if err := a.flatten(x); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("a %T among numbers", v)
	}
	return nil
}

func (a array) float32s() []float32 {
	out := make([]float32, len(a.data))
	for i, x := range a.data {
		out[i] = float32(x)
	}
	return out
}

// jsonCase is a part of a file that is decoded when it is needed.
type jsonCase json.RawMessage

func (c *jsonCase) UnmarshalJSON(b []byte) error {
	*c = append((*c)[:0], b...)
	return nil
}

func (c jsonCase) decode(t testing.TB, into any) {
	t.Helper()
	must(t, json.Unmarshal(c, into))
}

// readFixture decodes testdata/<name>.json.gz.
func readFixture(t testing.TB, name string, into any) {
	t.Helper()
	recorded.Read(t, "testdata/"+name+".json.gz", into)
}

// recordedBatch is a padded batch [B, L+1, ...].
type recordedBatch struct {
	State      array `json:"state"`
	Obs        array `json:"obs"`
	Avail      array `json:"avail_actions"`
	Actions    array `json:"actions"`
	Reward     array `json:"reward"`
	Terminated array `json:"terminated"`
	Filled     array `json:"filled"`
}

// spec is the task that the batch belongs to.
func (b *recordedBatch) spec() core.EnvSpec {
	return core.EnvSpec{
		Env: "recorded", Task: "batch",
		Agents: b.Obs.shape[2], Actions: b.Avail.shape[3],
		ObsWidth: b.Obs.shape[3], StateWidth: b.State.shape[2], Limit: b.Obs.shape[1] - 1,
	}
}

// episodes cuts the padding off: an episode has as many records as are filled.
func (b *recordedBatch) episodes() []*episode.Episode {
	s, records := b.spec(), b.Obs.shape[1]
	var eps []*episode.Episode
	for e := range b.Obs.shape[0] {
		filled := 0
		for t := range records {
			filled += int(b.Filled.data[e*records+t])
		}
		ep := &episode.Episode{
			Index: int64(e), T: filled - 1, N: s.Agents, A: s.Actions, ObsWidth: s.ObsWidth, StateWidth: s.StateWidth,
		}
		row := func(a array, width, t int) []float64 {
			lo := (e*records + t) * width
			return a.data[lo : lo+width]
		}
		for t := range filled {
			ep.Obs = append(ep.Obs, array{data: row(b.Obs, s.Agents*s.ObsWidth, t)}.float32s()...)
			ep.State = append(ep.State, array{data: row(b.State, s.StateWidth, t)}.float32s()...)
			for _, ok := range row(b.Avail, s.Agents*s.Actions, t) {
				ep.Avail = append(ep.Avail, uint8(ok))
			}
			if t == ep.T {
				break
			}
			for _, a := range row(b.Actions, s.Agents, t) {
				ep.Actions = append(ep.Actions, int32(a))
			}
			ep.Reward = append(ep.Reward, float32(row(b.Reward, 1, t)[0]))
			ep.Terminated = row(b.Terminated, 1, t)[0] != 0
		}
		eps = append(eps, ep)
	}
	return eps
}

// Names of the recorded modules and of ours. A number that follows is the
// layer.
var renamed = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`^feature_layer\.(query|own_value|ally_key|ally_value|enemy_key|enemy_value)\.`), "phi.attention.$1."},
	{regexp.MustCompile(`^phi\.attention\.own_value\.`), "phi.attention.own."},
	{regexp.MustCompile(`^feature_layer\.fc\.0\.`), "phi.mlp.fc1."},
	{regexp.MustCompile(`^feature_layer\.fc\.2\.`), "phi.mlp.fc2."},
	{regexp.MustCompile(`^feature_layer\.fc\.4\.`), "phi.mlp.fc3."},
	{regexp.MustCompile(`^feature_layer\.enemy_embed\.0\.`), "phi.enemy.fc1."},
	{regexp.MustCompile(`^feature_layer\.enemy_embed\.2\.`), "phi.enemy.fc2."},
	{regexp.MustCompile(`^feature_layer\.enemy_embed\.4\.`), "phi.enemy.fc3."},
	{regexp.MustCompile(`^head\.wo_action_layer\.`), "head.move."},
	{regexp.MustCompile(`^head\.attack_action_layer\.`), "head.attack."},
	{regexp.MustCompile(`^mixer_(ally|enemy|query|key)(_encoder)?\.`), "mixer.$1."},
	{regexp.MustCompile(`^feature_layer\.fc(\d)\.`), "phi.mlp.fc$1."},
	{regexp.MustCompile(`^fc([1-5])\.`), "phi.mlp.fc$1."},
	{regexp.MustCompile(`^(feature_layer\.)?rnn\.`), "phi.gru."},
	{regexp.MustCompile(`^head\.fc5\.`), "head.fc1."},
	{regexp.MustCompile(`^si_weight\.(key|agent|action)s?_extractors\.(\d+)\.`), "mixer.$1$2."},
	{regexp.MustCompile(`^V\.`), "mixer.v."},
	{regexp.MustCompile(`^hyper_b_1\.`), "mixer.b1."},
	{regexp.MustCompile(`^hyper_w_1\.`), "mixer.w1."},
}

// rename turns a recorded parameter name into ours; final is our name of what
// is recorded as hyper_w_final.
func rename(name, final string) string {
	name = strings.Replace(name, "hyper_w_final.", "mixer."+final+".", 1)
	for _, r := range renamed {
		name = r.from.ReplaceAllString(name, r.to)
	}
	if !strings.HasPrefix(name, "mixer.") {
		return name
	}
	parts := strings.Split(name, ".")
	switch len(parts) {
	case 3: // a single layer
		return fmt.Sprintf("%s.%s.fc1.%s", parts[0], parts[1], parts[2])
	default: // layers 0, 2, 4 of a stack, with activations between
		return fmt.Sprintf("%s.%s.fc%d.%s", parts[0], parts[1], int(parts[2][0]-'0')/2+1, parts[3])
	}
}

// weights turns recorded parameters into named tensors.
func weights(from map[string]array, final string) []core.Weight {
	var ws []core.Weight
	for name, a := range from {
		ws = append(ws, core.Weight{Name: rename(name, final), Shape: a.shape, Data: a.float32s()})
	}
	return ws
}

// fill copies named weights into all tensors of flat parameters.
func fill(t *testing.T, params []float32, tensors []nn.Tensor, ws []core.Weight) {
	t.Helper()
	for _, x := range tensors {
		copy(x.Range.Of(params), qlearn.MustFind(ws, x.Name).Data)
	}
}

// worst is the largest difference between got and want, relative to the largest
// magnitude among want.
func worst(got []float32, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	diff, top := 0.0, 1e-10 // what the reference has below that is zero but for rounding
	for i, w := range want {
		d := math.Abs(float64(got[i]) - w)
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		diff, top = max(diff, d), max(top, math.Abs(w))
	}
	return diff / top
}
