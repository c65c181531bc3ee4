package episode

import (
	"slices"
	"strings"
	"testing"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

func TestRingKeepsTheNewest(t *testing.T) {
	r := NewRing(5000)
	for i := range int64(5001) {
		r.Insert(sample(0, 0, i, 1))
	}
	if r.Len() != 5000 || r.At(0).Index != 1 || r.At(4999).Index != 5000 {
		t.Errorf("after 5001 inserts: %d stored, oldest %d, newest %d", r.Len(), r.At(0).Index, r.At(4999).Index)
	}
	dst := make([]*Episode, 32)
	from := rng.New(1).Stream()
	for range 200 {
		if err := r.Sample(dst, from); err != nil {
			t.Fatal(err)
		}
		ids := indices(dst)
		slices.Sort(ids)
		if len(slices.Compact(ids)) != len(dst) {
			t.Fatalf("a batch holds an episode twice: %v", indices(dst))
		}
		if ids[0] == 0 {
			t.Fatal("sampled the episode that was overwritten")
		}
	}
	r.Clear()
	if r.Len() != 0 || r.Sample(dst[:1], from) == nil {
		t.Error("a cleared buffer still gives episodes")
	}
	r.Insert(sample(0, 0, 9, 2))
	if r.Len() != 1 || r.At(0).Index != 9 {
		t.Error("insert after clear")
	}
}

func TestRingCopies(t *testing.T) {
	r := NewRing(2)
	e := sample(0, 0, 3, 4)
	r.Insert(e)
	e.Obs[0], e.Reward[1], e.T = -1, -1, 1
	if !equal(r.At(0), sample(0, 0, 3, 4)) {
		t.Error("the stored episode changed with the caller's")
	}
	for _, steps := range []int{7, 2, 5, 1, 7} {
		r.Insert(sample(0, 0, int64(steps), steps))
		if got := r.At(r.Len() - 1); !equal(got, sample(0, 0, int64(steps), steps)) || got.Check() != nil {
			t.Fatalf("an episode of %d steps in a slot that held another: %v", steps, got.Check())
		}
	}
}

func TestRingSamplesUniformly(t *testing.T) {
	r := NewRing(7)
	for i := range int64(10) { // wraps, so that slots and ages differ
		r.Insert(sample(0, 0, i, 1))
	}
	var count [10]float64
	dst := make([]*Episode, 3)
	from := rng.New(2).Stream()
	const rounds = 20000
	for range rounds {
		if err := r.Sample(dst, from); err != nil {
			t.Fatal(err)
		}
		for _, e := range dst {
			count[e.Index]++
		}
	}
	chi, want := 0.0, float64(rounds)*3/7
	for _, c := range count[3:] {
		chi += (c - want) * (c - want) / want
	}
	if chi > 22.5 { // p = 0.001 at 6 degrees of freedom
		t.Errorf("chi-square %.1f, counts %v", chi, count)
	}
}

func TestReplayResumesAtEveryEpisode(t *testing.T) {
	c := ReplayConfig{BatchSize: 4, BufferSize: 9}
	step := func(r *Replay, i int64) []int64 {
		r.Insert(sample(0, 0, i, 1+int(i)%5))
		b, err := r.NextBatch()
		if err != nil {
			t.Fatal(err)
		}
		return indices(b)
	}
	for cut := range int64(15) {
		whole, _ := NewReplay(c, rng.New(5))
		for i := range cut {
			step(whole, i)
		}
		again, _ := NewReplay(c, rng.New(99))
		if err := again.Get(through(t, whole.Put)); err != nil {
			t.Fatal(err)
		}
		for i := range whole.Ring().Len() {
			if !equal(whole.Ring().At(i), again.Ring().At(i)) {
				t.Fatalf("cut at %d: episode %d differs", cut, i)
			}
		}
		for i := cut; i < 30; i++ {
			if a, b := step(whole, i), step(again, i); !slices.Equal(a, b) {
				t.Fatalf("cut at %d, episode %d: batches %v and %v", cut, i, a, b)
			}
		}
	}
}

func TestReplayWaitsForABatch(t *testing.T) {
	r, err := NewReplay(ReplayConfig{BatchSize: 3, BufferSize: 3}, rng.New(1))
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(5) {
		if b, _ := r.NextBatch(); (len(b) == 3) != (i >= 3) || (len(b) != 0 && i < 3) {
			t.Errorf("%d episodes stored: a batch of %d", i, len(b))
		}
		r.Insert(sample(0, 0, i, 1))
	}
	for _, c := range []ReplayConfig{{0, 3}, {4, 3}} {
		if _, err := NewReplay(c, rng.New(1)); err == nil || !strings.Contains(err.Error(), "batch_size") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestGetRefusesWhatDoesNotFit(t *testing.T) {
	big := NewRing(5)
	for i := range int64(5) {
		big.Insert(sample(0, 0, i, 2))
	}
	small := NewRing(4)
	small.Insert(sample(0, 0, 77, 1))
	f := through(t, func(f *safetensors.File) { big.Put(f, "d") })
	if err := small.Get(f, "d", "buffer_size"); err == nil || !strings.Contains(err.Error(), "buffer_size") {
		t.Errorf("five episodes into four slots: %v", err)
	}
	if err := small.Get(f, "other", "buffer_size"); err == nil || !strings.Contains(err.Error(), "other.table") {
		t.Errorf("another name: %v", err)
	}
	if small.Len() != 1 || small.At(0).Index != 77 {
		t.Error("a refused file changed the buffer")
	}
	for _, c := range []struct {
		column int
		value  int64
		want   string
	}{
		{colT, 3, "words do not hold that"}, {colObs, 40, "words do not hold that"}, {colN, 0, "no shapes"}, {colA, -1, "no shapes"},
		{colState, 1 << 60, "no shapes"}, {colWords, 1, "words do not hold that"}, {colWords, 1 << 40, "are left"}, {colWords, -1, "are left"},
	} {
		broken := through(t, func(f *safetensors.File) { small.Put(f, "d") })
		table, err := safetensors.Get[int64](broken, "d.table")
		if err != nil {
			t.Fatal(err)
		}
		table[c.column] = c.value
		if err := small.Get(broken, "d", "buffer_size"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("column %d is %d: %v, want an error with %q", c.column, c.value, err, c.want)
		}
	}
	more := through(t, func(f *safetensors.File) {
		save(f, "d", nil)
		safetensors.Put(f, "e.table", []int64{}, 0, columns)
		safetensors.Put(f, "e.words", []uint32{0})
	})
	if err := small.Get(more, "e", "buffer_size"); err == nil || !strings.Contains(err.Error(), "belong to no episode") {
		t.Errorf("a word too many: %v", err)
	}
	if small.Len() != 1 || small.At(0).Index != 77 {
		t.Error("a refused file changed the buffer")
	}
	if err := small.Get(more, "d", "buffer_size"); err != nil || small.Len() != 0 {
		t.Errorf("an empty buffer: %v, %d episodes", err, small.Len())
	}
}

func TestInsertDoesNotAllocate(t *testing.T) {
	r, d, c := NewRing(50), NewGroups(50), NewCoreset(50, Newest)
	long := sample(0, 0, 0, 9)
	batch := make([]*Episode, 8)
	from := rng.New(1).Stream()
	round := func() {
		for i := range 120 {
			long.Task, long.Head, long.T = i%3, i%2, 5+i%5
			r.Insert(long)
			d.Insert(long)
			c.Insert(long, from)
		}
		if r.Sample(batch, from) != nil || d.Sample(1, batch, from) != nil || d.Newest(0, batch) != nil || c.Sample(2, batch, from) != nil {
			t.Fatal("too few episodes")
		}
	}
	for range 20 { // until the most that is ever stored was stored
		round()
	}
	if n := testing.AllocsPerRun(20, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkInsert(b *testing.B) {
	r := NewRing(1000)
	e := sample(0, 0, 0, 25)
	for range 1000 {
		r.Insert(e)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Insert(e)
	}
}

func BenchmarkSample(b *testing.B) {
	r := NewRing(5000)
	for i := range int64(5000) {
		r.Insert(sample(0, 0, i, 1))
	}
	dst := make([]*Episode, 32)
	from := rng.New(1).Stream()
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Sample(dst, from); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSave encodes a full buffer of 5000 episodes of 25 steps.
func BenchmarkSave(b *testing.B) {
	r := NewRing(5000)
	for i := range int64(5000) {
		r.Insert(sample(0, 0, i, 25))
	}
	b.ReportAllocs()
	for b.Loop() {
		f := safetensors.New()
		r.Put(f, "d")
		if err := f.Encode(discard{}); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
