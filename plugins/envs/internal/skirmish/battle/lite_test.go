package battle

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"macpro/core/conform/recorded"
	"macpro/plugins/envs/internal/skirmish"
)

// liteEpisode is a recorded SMAClite episode. A row of Post is [unit, x, y, vx, vy,
// health, shield, cooldown, shield delay, target, ...].
type liteEpisode struct {
	Map, Policy string
	MaxReward   float64 `json:"max_reward"`
	Init        liteView
	Steps       []struct {
		liteView
		A     []int32
		Order [8][]int
		Pre   [][]any
		Post  [][]any
		R     float64
		Done  bool
		Won   bool
	}
}

type liteView struct {
	Obs   [][]float64
	State []float64
	Avail []string
}

func liteBattle(t *testing.T, name string) *Battle {
	t.Helper()
	m := known(name)
	if m == nil {
		t.Fatalf("no map %s", name)
	}
	return New(m, Options{Rules: skirmish.Lite(), Style: Lite, Sight: 9, Shoot: 6})
}

// place sets the world to recorded rows.
func (b *Battle) place(rows [][]any) {
	for i := range b.world.Len() {
		b.world.Unit(i).Health = 0
	}
	for _, row := range rows {
		f := func(k int) float64 { return row[k].(float64) }
		u := b.world.Unit(int(f(0)))
		u.Pos = skirmish.Vec{X: float64(float32(f(1))), Y: float64(float32(f(2)))}
		u.Vel = skirmish.Vec{X: f(3), Y: f(4)}
		u.Health, u.Shield, u.Cooldown, u.ShieldDelay, u.Target = f(5), f(6), f(7), f(8), int(f(9))
		if len(row) > 11 {
			u.Energy, u.Dose = f(11), f(12)
		}
	}
	b.world.Recount()
	b.look()
}

// differs names the first thing that is not as recorded.
func (b *Battle) differs(w liteView) string {
	n, a, o := b.m.Agents(), b.m.Actions(), b.view.ObsWidth()
	obs, state := make([]float32, n*o), make([]float32, b.view.StateWidth())
	b.Observe(obs, state)
	for i := range n {
		if k := apart(obs[i*o:(i+1)*o], w.Obs[i]); k >= 0 {
			return fmt.Sprintf("agent %d, feature %d: %v, want %v", i, k, obs[i*o+k], w.Obs[i][k])
		}
		for k := range a {
			if b.avail[i*a+k] != w.Avail[i][k]-'0' {
				return fmt.Sprintf("agent %d, action %d: avail %d", i, k, b.avail[i*a+k])
			}
		}
	}
	if k := apart(state, w.State); k >= 0 {
		return fmt.Sprintf("state %d: %v, want %v", k, state[k], w.State[k])
	}
	return ""
}

// apart is the first index at which two vectors differ by more than 1e-5, or -1.
func apart(got []float32, want []float64) int {
	if len(got) != len(want) {
		return 0
	}
	for i := range got {
		if math.Abs(float64(got[i])-want[i]) > 1e-5 {
			return i
		}
	}
	return -1
}

// From every recorded state, one step gives the recorded reward, observations, state
// and available actions. In one step of a thousand or so two candidates are so nearly equal
// that the last digit decides.
func TestLiteStepsReplay(t *testing.T) {
	files, _ := filepath.Glob("../testdata/smaclite_traj_*.json.gz")
	if len(files) < 20 {
		t.Fatalf("%d recordings, want 20", len(files))
	}
	total, wrong := 0, 0
	for _, path := range files {
		var episodes []liteEpisode
		recorded.Read(t, path, &episodes)
		for i := range episodes {
			n, w := replaySteps(t, &episodes[i])
			total, wrong = total+n, wrong+w
		}
	}
	if wrong*200 > total {
		t.Errorf("%d of %d steps differ", wrong, total)
	}
}

func replaySteps(t *testing.T, e *liteEpisode) (total, wrong int) {
	b := liteBattle(t, e.Map)
	if got := b.m.MaxReward(b.opt.Rules); got != e.MaxReward {
		t.Errorf("%s: maximum %v, want %v", e.Map, got, e.MaxReward)
	}
	b.Reset(0)
	if d := b.differs(e.Init); d != "" {
		t.Errorf("%s start: %s", e.Map, d)
	}
	for k, s := range e.Steps {
		b.Reset(0)
		rows := s.Pre
		if k > 0 {
			rows = e.Steps[k-1].Post
		}
		b.place(rows)
		b.order(s.A)
		for _, order := range s.Order {
			b.world.TickIn(order)
		}
		out := b.finish()
		d := b.differs(s.liteView)
		if math.Abs(out.Reward-s.R) > 1e-6 || out.Won != s.Won || out.Terminated != s.Done {
			d = fmt.Sprintf("%+v, want reward %v, done %v, won %v", out, s.R, s.Done, s.Won)
		}
		if total++; d != "" {
			wrong++
			t.Logf("%s step %d: %s", e.Map, k, d)
		}
	}
	return total, wrong
}
