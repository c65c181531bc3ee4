package lbf

import (
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/recorded"
)

// recording is an episode that the original environment played.
type recording struct {
	Kind      string
	Rows      int8
	Pos       [players][2]int8 `json:"players_pos"`
	Level     [players]int     `json:"players_level"`
	Food      [2]int8          `json:"food_pos"`
	FoodLevel int              `json:"food_level"`
	Obs       [][players][]float32
	State     [][]float32
	Actions   [][]int32
	Reward    []float64
	Agents    [][players]float64 `json:"reward_agents"`
	Done      []bool
	After     [][players][2]int8 `json:"players_pos_after"`
}

// recordings reads testdata/lbf_trajectories.json.gz: 25 tasks.
func recordings(t *testing.T) map[string][]recording {
	t.Helper()
	var all struct {
		Tasks map[string]struct{ Episodes []recording }
	}
	recorded.Read(t, "testdata/lbf_trajectories.json.gz", &all)
	out := map[string][]recording{}
	for task, r := range all.Tasks {
		out[task] = r.Episodes
	}
	return out
}

// TestRecordings replays every recorded episode through the vectorised
// environment: observations, states, rewards and ends are equal in every bit.
func TestRecordings(t *testing.T) {
	tasks, steps := recordings(t), 0
	if len(tasks) != 25 {
		t.Fatalf("%d tasks are recorded", len(tasks))
	}
	for name, episodes := range tasks {
		opened, err := Plugin{}.Open(name, 1, conform.Defaults(t, Plugin{}.Info()))
		if err != nil {
			t.Fatal(err)
		}
		e, f := opened.(*env), core.NewFrame(opened.Spec(), 1)
		for i, r := range episodes {
			if r.Rows != e.task.size || (cell{r.Food[0], r.Food[1]}) != e.task.food {
				t.Fatalf("%s: the recorded board is %d, %v", name, r.Rows, r.Food)
			}
			if r.FoodLevel != r.Level[0]+r.Level[1] {
				t.Fatalf("%s: the food has level %d, the players %v", name, r.FoodLevel, r.Level)
			}
			replay(t, e, f, r)
			if t.Failed() {
				t.Fatalf("%s, episode %d (%s)", name, i, r.Kind)
			}
			steps += len(r.Actions)
		}
	}
	if steps != 3736 {
		t.Errorf("%d steps were replayed, want all 3736", steps)
	}
}

// replay plays one recorded episode from its recorded start.
func replay(t *testing.T, e *env, f *core.Frame, r recording) {
	t.Helper()
	if err := e.Reset([]int{0}, []uint64{0}, f); err != nil {
		t.Fatal(err)
	}
	w := &e.worlds[0]
	for i := range players {
		w.pos[i], w.level[i] = cell{r.Pos[i][0], r.Pos[i][1]}, r.Level[i]
	}
	e.show(0, f)
	compare(t, f, r, 0)
	for k, joint := range r.Actions {
		if err := e.Step([]int{0}, joint, f); err != nil {
			t.Fatal(err)
		}
		compare(t, f, r, k+1)
		shares := [players]float64{w.share(0), w.share(1)}
		if f.Reward[0] != float32(r.Reward[k]) || shares != r.Agents[k] {
			t.Errorf("step %d: reward %v of %v, want %v of %v", k, f.Reward[0], shares, r.Reward[k], r.Agents[k])
		}
		if ended := f.Terminated[0] || f.Truncated[0]; ended != r.Done[k] || f.Terminated[0] != (r.Reward[k] > 0) || f.Won[0] != f.Terminated[0] {
			t.Errorf("step %d: terminated %v, truncated %v, done %v", k, f.Terminated[0], f.Truncated[0], r.Done[k])
		}
		for i := range players {
			if w.pos[i] != (cell{r.After[k][i][0], r.After[k][i][1]}) {
				t.Errorf("step %d: player %d at %v, want %v", k, i, w.pos[i], r.After[k][i])
			}
		}
	}
}

// compare checks observations and state after k steps.
func compare(t *testing.T, f *core.Frame, r recording, k int) {
	t.Helper()
	for i := range players {
		for j, want := range r.Obs[k][i] {
			if got := f.Obs[i*width+j]; got != want {
				t.Errorf("after %d steps: observation %d of player %d is %v, want %v", k, j, i, got, want)
			}
		}
	}
	for j, want := range r.State[k] {
		if f.State[j] != want {
			t.Errorf("after %d steps: state %d is %v, want %v", k, j, f.State[j], want)
		}
	}
}
