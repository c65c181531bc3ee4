package macpro

import (
	"slices"
	"strings"
	"testing"

	"macpro/core/episode"
	"macpro/core/rng"
)

// The row of a context step says how many trajectories its groups had then, and
// how far these lie from their centers.
func TestRowOfAContextStep(t *testing.T) {
	w := newWorld(t)
	w.learn(6, "first")
	w.begin("second")
	for len(w.contextAt) == 0 {
		w.collect(1)
	}
	want := []int{6, int(w.progress.Episode) - 6}
	if got := w.row("context", "stored").([]int); !slices.Equal(got, want) {
		t.Errorf("stored %v, want %v", got, want)
	}
	radii := w.row("context", "radius").([]float64)
	for i, c := range w.m.cached {
		if radii[i] != c.radius || c.radius <= 0 {
			t.Errorf("radius %v of head %d, the step left %v", radii[i], c.head, c.radius)
		}
	}
}

// The samples of z in the n-th step are drawn from the stream znoise.n.
func TestNoiseOfAContextStep(t *testing.T) {
	w := trained(t)
	w.must(w.m.draw(w.m.ready()))
	from := w.root.Child("znoise").ChildInt(w.m.steps).Stream()
	want := make([]float32, 2*4*4) // groups, trajectories, z
	for i := range want {
		want[i] = float32(from.Norm())
	}
	if !slices.Equal(w.m.batch.noise, want) || slices.Equal(want, make([]float32, len(want))) {
		t.Errorf("noise %v, want %v", w.m.batch.noise, want)
	}
}

// The contrastive loss of f is drawn from as many rows of every group as a batch
// of the smallest team has, any of the group's rows.
func TestRowsOfTheLocalContrast(t *testing.T) {
	m := &method{}
	m.cfg.ContextBatch = 2
	for _, teams := range [][]int{{5, 3}, {2, 4}, {3, 3}} { // of each group's trajectories
		var group []*episode.Episode
		for _, n := range teams {
			group = append(group, &episode.Episode{N: n})
		}
		m.batch.groups = append(m.batch.groups, group)
	}
	ends, share := []int{8, 14, 20}, 2*2
	m.batch.picksL = make([]int, 3*share) // all that there are to draw from
	met := map[int]bool{}
	for i := range 50 {
		m.drawLocal(rng.New(1).ChildInt(int64(i)).Stream())
		count := make([]int, 3)
		for _, row := range m.batch.picksL {
			count[groupOf(row, ends)]++
			met[row] = true
		}
		slices.Sort(m.batch.picksL)
		if rows := len(slices.Compact(m.batch.picksL)); rows != 3*share || !slices.Equal(count, []int{share, share, share}) {
			t.Fatalf("draw %d: %d rows, %v of the groups, want %d of each", i, rows, count, share)
		}
	}
	if len(met) != 20 {
		t.Errorf("%d of 20 rows were ever drawn", len(met))
	}
}

// With context_groups_per_step a step takes that many of the groups, in the end
// each of them, and leaves the centers of the others as they were.
func TestGroupsOfAContextStep(t *testing.T) {
	w := newWorld(t, "context_groups_per_step", 2, "expansion", "always")
	w.learn(8, "first", "second", "third")
	w.must(w.m.contextStep(w.m.ready(), w.progress))
	w.m.cfg.ContextGroups = 3
	w.must(w.m.contextStep(w.m.ready(), w.progress)) // all have a center now
	w.m.cfg.ContextGroups = 2
	met := map[int]int{}
	for range 20 {
		before := slices.Clone(w.m.cached)
		w.must(w.m.contextStep(w.m.ready(), w.progress))
		heads := w.row("context", "heads").([]int)
		if len(heads) != 2 || heads[0] >= heads[1] || len(w.m.batch.groups) != 2 {
			t.Fatalf("a step on the groups %v with %d batches, want two in order", heads, len(w.m.batch.groups))
		}
		for i, c := range w.m.cached {
			met[c.head] += 0
			if drawn := slices.Contains(heads, c.head); drawn == slices.Equal(c.mean, before[i].mean) {
				t.Errorf("groups %v: the center of head %d moved: %v", heads, c.head, !drawn)
			}
		}
		for _, k := range heads {
			met[k]++
		}
	}
	if len(met) != 3 || met[0] == 0 || met[1] == 0 || met[2] == 0 {
		t.Errorf("steps on each group: %v, want all three groups", met)
	}
}

func TestTooFewGroupsPerStepAreRefused(t *testing.T) {
	s := small(t, "context_groups_per_step", 1)
	if _, err := decode(s); err == nil || !strings.Contains(err.Error(), "context_min_groups 2") {
		t.Errorf("error %v, want one that names context_min_groups", err)
	}
}
