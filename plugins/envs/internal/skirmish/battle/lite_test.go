package battle

import (
	"math"
	"path/filepath"
	"testing"

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
	}
	b.world.Recount()
	b.look()
}

func (b *Battle) matches(t *testing.T, where string, w liteView) {
	t.Helper()
	n, a, o := b.m.Agents(), b.m.Actions(), b.view.ObsWidth()
	obs, state := make([]float32, n*o), make([]float32, b.view.StateWidth())
	b.Observe(obs, state)
	for i := range n {
		compare(t, where+" obs", obs[i*o:(i+1)*o], w.Obs[i], 1e-5)
		for k := range a {
			if b.avail[i*a+k] != w.Avail[i][k]-'0' {
				t.Errorf("%s: agent %d action %d: avail %d", where, i, k, b.avail[i*a+k])
			}
		}
	}
	compare(t, where+" state", state, w.State, 1e-5)
}

// From every recorded state, one step gives the recorded reward, observations, state
// and available actions.
func TestLiteStepsReplay(t *testing.T) {
	files, _ := filepath.Glob("../testdata/smaclite_traj_*.json.gz")
	if len(files) < 15 {
		t.Fatalf("%d recordings, want 15", len(files))
	}
	for _, path := range files {
		var episodes []liteEpisode
		readGzip(t, path, &episodes)
		for _, e := range episodes {
			b := liteBattle(t, e.Map)
			if got := b.m.MaxReward(b.opt.Rules); got != e.MaxReward {
				t.Errorf("%s: maximum %v, want %v", e.Map, got, e.MaxReward)
			}
			b.Reset(0)
			b.matches(t, e.Map+" start", e.Init)
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
				if math.Abs(out.Reward-s.R) > 1e-6 || out.Won != s.Won || out.Terminated != s.Done {
					t.Errorf("%s step %d: %+v, want reward %v, done %v, won %v", e.Map, k, out, s.R, s.Done, s.Won)
				}
				b.matches(t, e.Map, s.liteView)
			}
		}
	}
}
