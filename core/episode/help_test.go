package episode

import (
	"bytes"
	"reflect"
	"testing"

	"macpro/core/safetensors"
)

// sample makes an episode whose every value tells its number.
func sample(task, head int, index int64, steps int) *Episode {
	const n, a, o, s = 2, 3, 4, 5
	e := &Episode{Task: task, Head: head, Index: index, Seed: ^uint64(index), T: steps,
		N: n, A: a, ObsWidth: o, StateWidth: s, Terminated: index%2 == 0, Won: index%3 == 0}
	for i := range (steps + 1) * n * o {
		e.Obs = append(e.Obs, float32(index)+float32(i)/1000)
	}
	for i := range (steps + 1) * s {
		e.State = append(e.State, float32(index)-float32(i)/1000)
	}
	for i := range (steps + 1) * n * a {
		e.Avail = append(e.Avail, uint8((int(index)+i)%2))
	}
	for i := range steps * n {
		e.Actions = append(e.Actions, int32((int(index)+i)%a))
	}
	for i := range steps {
		e.Reward = append(e.Reward, float32(int(index)*i))
	}
	return e
}

func equal(a, b *Episode) bool { return reflect.DeepEqual(a, b) }

func indices(eps []*Episode) []int64 {
	out := []int64{}
	for _, e := range eps {
		out = append(out, e.Index)
	}
	return out
}

// through encodes what put adds and decodes it.
func through(t *testing.T, put func(f *safetensors.File)) *safetensors.File {
	t.Helper()
	f := safetensors.New()
	put(f)
	var b bytes.Buffer
	if err := f.Encode(&b); err != nil {
		t.Fatal(err)
	}
	g, err := safetensors.Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return g
}
