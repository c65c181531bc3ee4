package qlearn

import "testing"

// Another shard finds values only when they are complete: memory that was
// reserved is not yet known.
func TestReservedValuesAreNotFound(t *testing.T) {
	r := &remembered{room: 100}
	r.renew(1)
	k := episodeKey{steps: 3}
	v := r.reserve(k, 4)
	if v == nil || r.find(k) != nil {
		t.Fatal("values are found before they are published")
	}
	second := r.reserve(k, 4)
	copy(v, []float32{1, 2, 3, 4})
	r.publish(k, v)
	r.publish(k, second) // of another shard, too late
	if got := r.find(k); len(got) != 4 || got[3] != 4 {
		t.Errorf("found %v", got)
	}
	if r.reserve(k, 4) != nil {
		t.Error("memory for values that are known")
	}
}
