package pp

import (
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform/recorded"
)

// recording is an episode that the original environment played. A body is its
// position and its velocity.
type recording struct {
	Kind    string
	Init    [bodies][2][2]float64
	Actions [][]int32
	Prey    []int32 `json:"prey_action"`
	Agents  [][bodies][2][2]float64
	Obs     [][predators][]float32
	PreyObs [][]float32 `json:"prey_obs"`
	State   [][]float64
	Reward  []float32
	Done    []bool
}

// recordedTask is a task with the original program's constants.
type recordedTask struct {
	Params struct {
		Agents []struct {
			Size, Accel float64
			MaxSpeed    float64 `json:"max_speed"`
		}
		Landmarks []struct {
			Size float64
			Pos  [2]float64
		}
	}
	SpawnMin [bodies][2]float64 `json:"spawn_min_400"`
	SpawnMax [bodies][2]float64 `json:"spawn_max_400"`
	Episodes []recording
}

// recordings reads testdata/pp_trajectories.json.gz: 24 tasks.
func recordings(t *testing.T) map[string]recordedTask {
	t.Helper()
	var all struct{ Tasks map[string]recordedTask }
	recorded.Read(t, "testdata/pp_trajectories.json.gz", &all)
	if len(all.Tasks) != 24 {
		t.Fatalf("%d tasks are recorded", len(all.Tasks))
	}
	return all.Tasks
}

// TestRecordedConstants compares all sizes, speeds, landmarks and starting
// places, the latter with the range of 400 recorded starts.
func TestRecordedConstants(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	for name, r := range recordings(t) {
		e, _ := open(t, name, 1, asOfficial(t))
		for i, a := range r.Params.Agents {
			if b := e.rules.bodies[i]; !near(b.size, a.Size) || !near(b.accel, a.Accel) || !near(b.maxSpeed, a.MaxSpeed) {
				t.Errorf("%s: body %d is %v, want %v", name, i, b, a)
			}
		}
		for i, l := range r.Params.Landmarks {
			m := e.rules.landmarks[i]
			if !near(e.rules.landmarkSize, l.Size) || !near(m.x, l.Pos[0]) || !near(m.y, l.Pos[1]) {
				t.Errorf("%s: landmark %d of size %v at %v, want %v", name, i, e.rules.landmarkSize, m, l)
			}
		}
		for i, b := range e.rules.spawn {
			for k, side := range [2][2]float64{{b.lo.x, b.hi.x}, {b.lo.y, b.hi.y}} {
				lo, hi, slack := r.SpawnMin[i][k], r.SpawnMax[i][k], 0.03*(side[1]-side[0])+1e-12
				if lo < side[0]-1e-12 || hi > side[1]+1e-12 || lo > side[0]+slack || hi < side[1]-slack {
					t.Errorf("%s: body %d starts in %v, recorded %v to %v on axis %d", name, i, b, lo, hi, k)
				}
			}
		}
	}
}

// TestRecordings replays every recorded episode. Positions and velocities agree
// within 2e-12, what predators and prey see and states to single precision, rewards and ends exactly;
// and before each step the prey's own policy chooses the recorded action.
func TestRecordings(t *testing.T) {
	steps, worst := 0, 0.0
	for name, r := range recordings(t) {
		e, f := open(t, name, 1, asOfficial(t))
		for i, ep := range r.Episodes {
			worst = max(worst, replay(t, e, f, ep))
			if t.Failed() {
				t.Fatalf("%s, episode %d (%s)", name, i, ep.Kind)
			}
			steps += len(ep.Actions)
		}
	}
	if steps != 2053 {
		t.Errorf("%d steps were replayed, want all 2053", steps)
	}
	t.Logf("largest difference %.1e", worst)
}

// replay plays one recorded episode from its recorded start and returns the
// largest difference of a position or velocity.
func replay(t *testing.T, e *env, f *core.Frame, ep recording) float64 {
	t.Helper()
	if err := e.Reset([]int{0}, []uint64{0}, f); err != nil {
		t.Fatal(err)
	}
	w, worst := &e.worlds[0], 0.0
	for i, b := range ep.Init {
		w.pos[i], w.vel[i] = vec{b[0][0], b[0][1]}, vec{b[1][0], b[1][1]}
	}
	e.show(0, f)
	compare(t, f, ep, 0)
	comparePrey(t, e, ep, 0)
	for k, joint := range ep.Actions {
		prey := ep.Prey[k]
		if e.rules.policy != randomly {
			if got := e.rules.preyAction(w); got != prey {
				t.Errorf("step %d: the prey chooses %d, want %d", k, got, prey)
			}
		}
		e.advance(0, joint, prey, f)
		worst = max(worst, distance(w, ep.Agents[k]))
		if worst > 2e-12 {
			t.Errorf("step %d: %v %v, want %v", k, w.pos, w.vel, ep.Agents[k])
		}
		compare(t, f, ep, k+1)
		comparePrey(t, e, ep, k+1)
		if ended := f.Terminated[0] || f.Truncated[0]; f.Reward[0] != ep.Reward[k] || ended != ep.Done[k] ||
			f.Terminated[0] != (ep.Reward[k] > 0) || f.Won[0] != f.Terminated[0] {
			t.Errorf("step %d: reward %v, terminated %v, truncated %v, want %v, %v", k,
				f.Reward[0], f.Terminated[0], f.Truncated[0], ep.Reward[k], ep.Done[k])
		}
	}
	return worst
}

// distance is the largest difference of a coordinate.
func distance(w *world, want [bodies][2][2]float64) float64 {
	d := 0.0
	for i, b := range want {
		d = max(d, math.Abs(w.pos[i].x-b[0][0]), math.Abs(w.pos[i].y-b[0][1]),
			math.Abs(w.vel[i].x-b[1][0]), math.Abs(w.vel[i].y-b[1][1]))
	}
	return d
}

// comparePrey checks what the prey sees, of which its policy uses the offsets: they
// are in single precision as the original's.
func comparePrey(t *testing.T, e *env, ep recording, k int) {
	t.Helper()
	w, self := &e.worlds[0], e.worlds[0].pos[predators]
	var seen []float32
	add := func(o vec32) { seen = append(seen, o.x, o.y) }
	for _, l := range e.rules.landmarks {
		add(to32(self, l))
	}
	add(to32(vec{}, self))
	add(to32(vec{}, w.vel[predators]))
	for _, p := range w.pos[:predators] {
		add(to32(self, p))
	}
	for j, want := range ep.PreyObs[k] {
		if math.Abs(float64(seen[j]-want)) > 1e-7 {
			t.Errorf("after %d steps: the prey sees %v at %d, want %v", k, seen[j], j, want)
		}
	}
	if len(seen) != len(ep.PreyObs[k]) {
		t.Errorf("the prey sees %d numbers, want %d", len(seen), len(ep.PreyObs[k]))
	}
}

// compare checks observations and state after k steps.
func compare(t *testing.T, f *core.Frame, ep recording, k int) {
	t.Helper()
	obs := slices.Concat(ep.Obs[k][0], ep.Obs[k][1], ep.Obs[k][2])
	for j, want := range obs {
		if math.Abs(float64(f.Obs[j]-want)) > 1e-7 {
			t.Errorf("after %d steps: observation %d is %v, want %v", k, j, f.Obs[j], want)
		}
	}
	for j, want := range ep.State[k] {
		if math.Abs(float64(f.State[j])-want) > 1e-7*max(1, math.Abs(want)) {
			t.Errorf("after %d steps: state %d is %v, want %v", k, j, f.State[j], want)
		}
	}
}
