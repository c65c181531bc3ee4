package macpro

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/episode"
)

// The authors' code on recorded contexts: centers, radii, distances, decisions.
func TestExpansionMatchesRecording(t *testing.T) {
	var r struct {
		Expansion []struct {
			Seen      []string               `json:"seen_tasks"`
			Mus       map[string][][]float32 `json:"mus_seen"`
			Centers   map[string][]float64
			Radius    map[string]float64
			New       map[string][][]float32 `json:"new_task_mus"`
			Dist      map[string]float64     `json:"mean_dist"`
			Threshold float64
			Merge     *string `json:"merge_task"`
		}
	}
	readRecorded(t, "expansion_probing", &r)
	for i, c := range r.Expansion {
		var cs []candidate
		var names []string
		for k, task := range c.Seen {
			if _, has := c.Centers[task]; !has {
				continue // a task without context is no candidate
			}
			k := candidate{center: centerOf(k, c.Mus[task])}
			near(t, "center", k.mean, c.Centers[task], 4e-7)
			nearOne(t, "radius", k.radius, c.Radius[task], 9e-7)
			k.distance = k.center.distance(c.New[task])
			nearOne(t, "distance", k.distance, c.Dist[task], 5e-7)
			cs, names = append(cs, k), append(names, task)
		}
		best, merge := closest(cs, &settings{Config: Config{MergeStrict: true, LambdaNew: c.Threshold}})
		if merge != (c.Merge != nil) || merge && names[best] != *c.Merge {
			t.Errorf("case %d: nearest %s, merge %v, recorded %v", i, names[best], merge, c.Merge)
		}
	}
}

// The authors' choice of heads on recorded contexts.
func TestChoiceMatchesRecording(t *testing.T) {
	var r struct {
		Choice []struct {
			Centers map[string][]float32
			Mus     [][][]float32 // episode, g and then each agent
			Oracle  string        `json:"oracle_pred"`
			Agents  []string      `json:"agents_pred"`
		} `json:"probing_choice"`
	}
	readRecorded(t, "expansion_probing", &r)
	for i, c := range r.Choice {
		var cs []center
		for k := range len(c.Centers) {
			cs = append(cs, center{head: k, mean: c.Centers[fmt.Sprint("t", k)]})
		}
		for who, want := range append([]string{c.Oracle}, c.Agents...) {
			var own [][]float32
			for _, mus := range c.Mus {
				own = append(own, mus[who])
			}
			if got := fmt.Sprint("t", nearest(cs, own, false)); got != want {
				t.Errorf("case %d, row %d: %s, recorded %s", i, who, got, want)
			}
		}
	}
}

func TestClosest(t *testing.T) {
	group := func(radius, floor, distance float64) candidate {
		return candidate{center: center{radius: radius}, floor: floor, distance: distance}
	}
	for _, c := range []struct {
		name    string
		cs      []candidate
		byRatio bool
		best    int
		merge   bool
	}{
		{"same task", []candidate{group(1, 0, 1.1), group(1, 0, 9)}, false, 0, true},
		{"far away", []candidate{group(1, 0, 30), group(1, 0, 9)}, false, 1, false},
		{"on the threshold", []candidate{group(2, 0, 3)}, false, 0, true},
		{"ties go to the first", []candidate{group(1, 0, 5), group(9, 0, 5)}, false, 0, false},
		{"a wide group loses by distance", []candidate{group(1, 0, 5), group(9, 0, 6)}, false, 0, false},
		{"and wins by ratio", []candidate{group(1, 0, 5), group(9, 0, 6)}, true, 1, true},
		{"a collapsed radius", []candidate{group(0.01, 0, 0.3), group(0.01, 0, 9)}, false, 0, false},
		{"has a floor", []candidate{group(0.01, 0.4, 0.3), group(0.01, 0.4, 9)}, false, 0, true},
	} {
		cfg := &settings{Config: Config{LambdaNew: 1.5}}
		if c.byRatio {
			cfg.MergeScore = keyRatio
		}
		if best, merge := closest(c.cs, cfg); best != c.best || merge != c.merge {
			t.Errorf("%s: candidate %d, merge %v", c.name, best, merge)
		}
		cfg.MergeStrict = true // matters on the threshold alone
		if _, merge := closest(c.cs, cfg); merge != (c.merge && c.name != "on the threshold") {
			t.Errorf("%s, strictly: merge %v", c.name, merge)
		}
	}
	cs := []center{{mean: []float32{0}}, {mean: []float32{3}}, {mean: []float32{10}}}
	for i, want := range []float64{3, 3, 7} {
		if got := nearestOther(cs, i); got != want {
			t.Errorf("the center nearest to %d is %v away, want %v", i, got, want)
		}
	}
	if got := nearestOther(cs[:1], 0); got != 0 {
		t.Errorf("a single center has a nearest other one at %v", got)
	}
}

func TestNearest(t *testing.T) {
	cs := []center{{mean: []float32{0}}, {mean: []float32{4}}}
	contexts := [][]float32{{0.5}, {4}, {0.5}, {0.5}}
	if got := nearest(cs, contexts, false); got != 1 {
		t.Errorf("by the smallest distance: %d", got)
	}
	if got := nearest(cs, contexts, true); got != 0 {
		t.Errorf("by the mean distance: %d", got)
	}
	if got := nearest(cs, [][]float32{{2}}, false); got != 0 {
		t.Errorf("on a tie: %d, want the lowest", got)
	}
}

// The same task twice joins its own group when the encoders learn from the first
// task on: one head in the end.
func TestSameTaskTwiceSharesItsHead(t *testing.T) {
	w := newWorld(t, "context_min_groups", 1, "context_batch", 16, "context_buffer_size", 200, "identify_epsilon", 1.0)
	w.learn(40, "first")
	w.begin("first")
	if k, d := w.learner.Heads(), w.row("expansion", "decision"); k != 1 || d != "merge" {
		t.Fatalf("%d heads, %v (distances %v, radii %v)", k, d, w.row("expansion", "distance"), w.row("expansion", "radius"))
	}
	w.collect(20)
	if a, b := w.m.store.TaskLen(0, 0), w.m.store.TaskLen(0, 1); a != 40 || b != 20 {
		t.Fatalf("the group holds %d and %d trajectories of its two tasks", a, b)
	}
}

// heads after three tasks, the third of which merges if it may.
func TestExpansionModes(t *testing.T) {
	for mode, want := range map[string]int{"always": 3, "never": 1} {
		w := newWorld(t, "expansion", mode)
		w.learn(8, "first", "second", "third")
		if got := w.learner.Heads(); got != want || len(played(w, "identify")) > 0 {
			t.Errorf("expansion %s: %d heads, want %d and no identification", mode, got, want)
		}
	}
}

// A group without a full batch in D' is no candidate.
func TestGroupsWithoutContextAreNoCandidates(t *testing.T) {
	w := newWorld(t, "context_min_groups", 1, "expansion", "adaptive", "lambda_new", 0.0)
	w.learn(8, "first")
	w.learn(3, "second") // one short of a batch
	w.begin("third")
	if got := w.row("expansion", "candidates"); !slices.Equal(got.([]int), []int{0}) {
		t.Fatalf("candidates %v, want head 0 alone", got)
	}
}

// merged is a world whose third task has joined the group of the first.
func merged(t *testing.T) (w *world, before []float32) {
	t.Helper()
	w = newWorld(t, "lambda_new", 1e9, "context_min_groups", 1, "kappa1", int64(5))
	w.m.cfg.LambdaNew = 0
	w.learn(12, "first", "second")
	w.m.cfg.LambdaNew = 1e9
	before = w.learner.Parameters(core.ScopeHead, nil)
	w.begin("third")
	return w, before
}

// Every candidate's head plays the new task, and its distance is that of its own
// episodes.
func TestEveryCandidateIsIdentifiedWithItsHead(t *testing.T) {
	w := trained(t)
	w.begin("third")
	want := slices.Concat(repeated(0, 4*2), repeated(1, 4*2))
	for _, r := range w.requests {
		if r.Purpose == "identify" && !slices.Equal(r.Heads, want) {
			t.Errorf("heads %v, want %v", r.Heads, want)
		}
	}
	eps := w.again("identify")
	if n := transitions(eps); w.row("expansion", "identify_episodes") != 8 || w.row("expansion", "identify_steps") != n {
		t.Errorf("%v steps in %v episodes are counted, %d were played", w.row("expansion", "identify_steps"), w.row("expansion", "identify_episodes"), n)
	}
	means := w.says(w.m.trainer.readG, eps)
	cs, err := w.m.centers(w.root.Child("context", "expansion").ChildInt(2))
	w.must(err)
	for i, got := range w.row("expansion", "distance").([]float64) {
		if want := cs[i].distance(means[4*i : 4*(i+1)]); got != want {
			t.Errorf("distance %v from group %d, that of its episodes is %v", got, i, want)
		}
	}
}

// A near tight group and a far wide one: which of them is nearest, and so
// whether the task joins it, is a matter of merge_score.
func TestMergeScore(t *testing.T) {
	for score, want := range map[string]string{"distance": "1 new", "ratio": "0 merge"} {
		w := trained(t, "center_mode", "cached", "merge_score", score)
		w.placed([]float32{100, 0, 0, 0}, make([]float32, 4))
		w.m.cached[0].radius, w.m.cached[1].radius = 1e6, 1e-9
		w.begin("third")
		if got := fmt.Sprint(w.row("expansion", "nearest"), " ", w.row("expansion", "decision")); got != want {
			t.Errorf("merge_score %s: %s, want %s", score, got, want)
		}
	}
}

// A merge loads the group's head, keeps the count, and Oracle uses it for all
// of the group's tasks.
func TestMerge(t *testing.T) {
	w, before := merged(t)
	heads := w.m.Report().TaskHeads
	k := heads[2]
	if w.learner.Heads() != 2 || w.row("expansion", "decision") != "merge" || k != w.row("expansion", "nearest") {
		t.Fatalf("heads %v of %d", heads, w.learner.Heads())
	}
	live := w.learner.Parameters(core.ScopeHead, nil)
	w.must(w.learner.LoadHead(k))
	if !slices.Equal(live, w.learner.Parameters(core.ScopeHead, nil)) {
		t.Fatal("the live head is not the group's")
	}
	if k == 0 && slices.Equal(live, before) {
		t.Fatal("the live head is still that of the second task")
	}
	a, b := w.plan(k, "first", ModeOracle), w.plan(2, "third", ModeOracle)
	if !slices.Equal(a.Heads, b.Heads) || a.Heads[0] != core.LiveHead {
		t.Fatalf("oracle: %v for the group's first task, %v for its second", a.Heads, b.Heads)
	}
	// After another task has a head of its own, the group's tasks still agree.
	w.collect(8)
	w.end()
	w.m.cfg.LambdaNew = 0
	w.begin("second")
	a, b = w.plan(k, "first", ModeOracle), w.plan(2, "third", ModeOracle)
	if !slices.Equal(a.Heads, b.Heads) || a.Heads[0] != int32(k) {
		t.Fatalf("oracle: %v and %v, want head %d for both", a.Heads, b.Heads, k)
	}
}

// A new head is a copy of the last one or drawn afresh; the features stay.
func TestNewHead(t *testing.T) {
	for _, start := range []string{"copy", "reset"} {
		w := newWorld(t, "new_head", start)
		w.learn(4, "first")
		phi, psi := w.learner.Parameters(core.ScopeFeatures, nil), w.learner.Parameters(core.ScopeHead, nil)
		w.begin("second")
		if !slices.Equal(phi, w.learner.Parameters(core.ScopeFeatures, nil)) {
			t.Errorf("new_head %s changed the features", start)
		}
		if same := slices.Equal(psi, w.learner.Parameters(core.ScopeHead, nil)); same != (start == "copy") {
			t.Errorf("new_head %s: live head unchanged is %v", start, same)
		}
	}
}

// trained has two groups with contexts.
func trained(t *testing.T, changes ...any) *world {
	t.Helper()
	w := newWorld(t, changes...)
	w.learn(12, "first", "second")
	if w.m.steps == 0 || w.learner.Heads() != 2 {
		t.Fatalf("%d context steps, %d heads", w.m.steps, w.learner.Heads())
	}
	return w
}

func TestProbing(t *testing.T) {
	one := newWorld(t, "probe_nepisode", 1)
	one.begin("first")
	if p := one.plan(0, "first", ModeCTDE); len(played(one, "probe")) > 0 || len(p.Heads) != 6 || p.Heads[0] != core.LiveHead {
		t.Fatalf("one head: %v after %v", p.Heads, played(one, "probe"))
	}
	w := trained(t)
	p := w.plan(0, "first", ModeCTDE)
	if p.ProbeEpisodes != 3 || p.ProbeSteps < 3 || len(p.Heads) != 6 {
		t.Fatalf("three episodes of two agents: %+v", p)
	}
	for i, k := range p.Heads { // the live head stands for head 1
		if k != p.Heads[i%2] || k != 0 && k != core.LiveHead {
			t.Fatalf("heads %v", p.Heads)
		}
	}
	if n := transitions(w.again("probe")); p.ProbeSteps != int64(n) || n < 4 {
		t.Errorf("%d probing steps are counted, %d were played", p.ProbeSteps, n)
	}
	if r := w.requests[len(w.requests)-1]; len(r.Heads) != 6 || r.Heads[0] != r.Heads[1] {
		t.Fatalf("probing heads %v, want one an episode for the whole team", r.Heads)
	}
}

// Without a context, as at the start of the second task, the head in training
// acts, and a single group with one is chosen without probing.
func TestChoiceWithoutContexts(t *testing.T) {
	w := newWorld(t)
	w.learn(8, "first")
	w.begin("second")
	if p := w.plan(0, "first", ModeCTDE); p.Heads[0] != core.LiveHead || p.ProbeEpisodes > 0 {
		t.Fatalf("no group has a context: %+v", p)
	}
	w.m.steps = 1
	if p := w.plan(0, "first", ModeCTDE); p.Heads[0] != 0 || p.ProbeEpisodes > 0 {
		t.Fatalf("only the first group has a context: %+v", p)
	}
}

func TestModesOutsideOfTheSequence(t *testing.T) {
	w := trained(t)
	if p := w.plan(2, "third", ModeOracle); !p.Skip {
		t.Error("oracle for a task that has not begun")
	}
	if p := w.plan(-1, "late", ModeOracle); !p.Skip {
		t.Error("oracle for a task outside of the sequence")
	}
	if _, err := w.m.ChooseHeads(core.Task{Spec: w.spec("first")}, "ctdd", core.Evaluation{}); err == nil {
		t.Error("a mode that does not exist")
	}
	if _, err := w.m.ChooseHeads(core.Task{Index: -1, Spec: w.spec("trio")}, ModeCTDE, core.Evaluation{Source: w.root}); err == nil {
		t.Error("a task of another shape")
	}
}

// The random mode draws every head equally often, one an episode or one a step
// for the whole team.
func TestRandomHeads(t *testing.T) {
	w := trained(t)
	count := map[int32]int{}
	p, err := w.m.ChooseHeads(core.Task{Index: 0, Spec: w.spec("first")}, ModeRandom, core.Evaluation{Episodes: 4000, Source: w.root.Child("random")})
	w.must(err)
	for i := 0; i < len(p.Heads); i += 2 {
		if p.Heads[i] != p.Heads[i+1] {
			t.Fatalf("episode %d has heads %v", i/2, p.Heads[i:i+2])
		}
		count[p.Heads[i]]++
	}
	even(t, "episodes", count, 4000)

	w.m.cfg.RandomHeads = "step"
	s := w.plan(0, "first", ModeRandom).Stepper
	count = map[int32]int{}
	v := &core.StepView{Episodes: []int{4, 9, 2}, Source: w.root.Child("steps"), Spec: w.spec("first")}
	heads, again := make([]int32, 6), make([]int32, 4)
	for v.T = range 1000 {
		w.must(s.StepHeads(v, heads))
		for i := 0; i < 6; i += 2 {
			if heads[i] != heads[i+1] {
				t.Fatalf("step %d has heads %v", v.T, heads)
			}
			count[heads[i]]++
		}
		part := *v
		part.Episodes = []int{9, 2} // episode 4 has ended: the others are not touched
		w.must(s.StepHeads(&part, again))
		if !slices.Equal(again, heads[2:]) {
			t.Fatalf("step %d: heads %v, with another lane %v", v.T, again, heads)
		}
	}
	even(t, "steps", count, 3000)
}

// even fails unless heads 0 and 1 (live) were each drawn about half of n times:
// chi-square with one degree of freedom at p = 0.001.
func even(t *testing.T, what string, count map[int32]int, n int) {
	t.Helper()
	chi, half := 0.0, float64(n)/2
	for _, k := range []int32{0, core.LiveHead} {
		d := float64(count[k]) - half
		chi += d * d / half
	}
	if chi > 10.8 || len(count) != 2 {
		t.Errorf("%s: %v of %d", what, count, n)
	}
}

// All that the choice of heads needs is in the state: a method that was loaded
// chooses alike, without the tasks it was trained on.
func TestChoiceFromTheStateAlone(t *testing.T) {
	w := trained(t)
	want := w.plan(-1, "late", ModeCTDE)
	var learner, state bytes.Buffer
	w.must(w.learner.Save(&learner))
	w.must(w.m.Save(&state))
	v := newWorld(t)
	w.must(v.learner.Load(&learner))
	w.must(v.m.Load(&state))
	v.refuse = []string{"first", "second", "third"}
	if got := v.plan(-1, "late", ModeCTDE); !slices.Equal(got.Heads, want.Heads) || got.ProbeSteps != want.ProbeSteps {
		t.Fatalf("heads %v after loading, %v before", got.Heads, want.Heads)
	}
}

// A state of other settings is refused by name.
func TestStateOfOtherSettings(t *testing.T) {
	w := trained(t)
	var learner, state bytes.Buffer
	w.must(w.learner.Save(&learner))
	w.must(w.m.Save(&state))
	for _, change := range [][]any{{"z_dim", 6}, {"enc_depth", 2}, {"model_hidden", 7}, {"local_encoder", "per_agent"}, {"context_buffer_size", 6}} {
		v := newWorld(t, change...)
		w.must(v.learner.Load(bytes.NewReader(learner.Bytes())))
		if err := v.m.Load(bytes.NewReader(state.Bytes())); err == nil {
			t.Errorf("a state was loaded with another %v", change[0])
		}
	}
	if err := newWorld(t).m.Load(bytes.NewReader(state.Bytes())); err == nil {
		t.Error("head 1 was loaded for a learner without heads")
	}
}

// At the limit a task joins the nearest group however far that is, or the head in
// training if nothing was learned of groups, and an alarm says so.
func TestMaxHeads(t *testing.T) {
	w := newWorld(t, "max_heads", 2, "lambda_new", 0.0)
	for i, task := range []string{"first", "second", "third"} {
		w.begin(task)
		if full := w.row("expansion", "full"); full != (i == 2) {
			t.Errorf("%s: full %v", task, full)
		}
		w.collect(12)
		w.end()
	}
	w.begin("third")
	if kind, head, nearest := w.row("expansion", "decision"), w.row("expansion", "head"), w.row("expansion", "nearest"); kind != kindMerge || head != nearest {
		t.Errorf("decision %v, head %v, nearest %v", kind, head, nearest)
	}
	if n := w.learner.Heads(); n != 2 {
		t.Errorf("%d heads", n)
	}
	if reason, value := w.row("alarm", "reason"), w.row("alarm", "value"); reason != "max_heads" || !strings.Contains(fmt.Sprint(value), "max_heads 2: the task joins head") {
		t.Errorf("alarm %v: %v", reason, value)
	}
	blind := newWorld(t, "max_heads", 2, "kappa1", int64(1_000_000))
	blind.learn(6, "first", "second", "third")
	if got := blind.m.Report().TaskHeads; !slices.Equal(got, []int{0, 1, 1}) {
		t.Errorf("heads %v without contexts", got)
	}
}

// D' never holds more than its capacity, shared evenly.
func TestStoreIsShared(t *testing.T) {
	w := newWorld(t, "expansion", "always", "context_buffer_size", 15)
	w.learn(20, "first", "second", "third")
	sizes := []int{w.m.store.HeadLen(0), w.m.store.HeadLen(1), w.m.store.HeadLen(2)}
	if !slices.Equal(sizes, []int{5, 5, 5}) {
		t.Fatalf("groups of %v, want 5 each", sizes)
	}
	newest := make([]*episode.Episode, 5)
	w.must(w.m.store.Newest(2, newest))
	if newest[0].Index != 59 {
		t.Fatalf("the newest trajectory is episode %d, want 59", newest[0].Index)
	}
}
