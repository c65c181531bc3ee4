package sc2

import (
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/rng"
	"macpro/plugins/envs/internal/sc2/api"
	"macpro/plugins/envs/internal/sc2/sc2test"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// pair plays the same episode on the embedded engine and through the protocol. What
// goes over the wire is rounded to single precision, and nothing else may differ.
type pair struct {
	*played
	b          *battle.Battle
	obs, state []float32
	tolerance  float64 // relative to 1, or to larger values
}

func newPair(t testing.TB, e *env, tolerance float64) *pair {
	b := battle.New(e.lanes[0].Map, e.lanes[0].Options)
	p := newPlayed(e)
	return &pair{played: p, b: b, obs: make([]float32, len(p.f.Obs)), state: make([]float32, len(p.f.State)), tolerance: tolerance}
}

// pays compares rewards. They are equal unless units heal by amounts that single
// precision cannot hold, as Zerg do.
func (p *pair) pays(got, want float32) bool {
	if race(p.lanes[0].Map.Foes()) == api.Zerg {
		return math.Abs(float64(got)-float64(want)) < 1e-6
	}
	return got == want
}

// compare checks what both show.
func (p *pair) compare(t testing.TB, when string) {
	t.Helper()
	p.b.Observe(p.obs, p.state)
	if !slices.Equal(p.f.Avail, p.b.Avail()) {
		t.Fatalf("%s: available actions %v, want %v", when, p.f.Avail, p.b.Avail())
	}
	p.near(t, when+": observation", p.f.Obs, p.obs)
	p.near(t, when+": state", p.f.State, p.state)
}

func (p *pair) near(t testing.TB, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i]) - float64(want[i])); d > p.tolerance*max(1, math.Abs(float64(want[i]))) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, got[i], want[i])
		}
	}
}

// episode plays one episode with a mixture of attacks and random actions, and returns
// the outcome of the engine's last step and the number of steps.
func (p *pair) episode(t testing.TB, seed, engineSeed uint64) (battle.Outcome, int) {
	t.Helper()
	p.reset(t, seed)
	p.b.Reset(engineSeed)
	p.compare(t, "start")
	r := rng.New(seed).Child("policy").Stream()
	for k := 1; ; k++ {
		choose(r, p.f.Avail, p.u)
		if err := p.Step([]int{0}, p.u, p.f); err != nil {
			t.Fatal(err)
		}
		want := p.b.Step(p.u)
		if got := p.f; !p.pays(got.Reward[0], float32(want.Reward)) || got.Terminated[0] != want.Terminated || got.Won[0] != want.Won {
			t.Fatalf("step %d: reward %v, terminated %v, won %v; want %+v", k, got.Reward[0], got.Terminated[0], got.Won[0], want)
		}
		p.compare(t, "step")
		if p.f.Terminated[0] || p.f.Truncated[0] {
			return want, k
		}
	}
}

// choose draws available actions: mostly an attack where there is one.
func choose(r *rng.Stream, avail []uint8, u []int32) {
	a := len(avail) / len(u)
	for i := range u {
		row := avail[i*a : (i+1)*a]
		from := 0
		if slices.Contains(row[battle.NonAttack:], 1) && r.Float64() < 0.8 {
			from = battle.NonAttack
		}
		var legal []int32
		for k := from; k < a; k++ {
			if row[k] == 1 {
				legal = append(legal, int32(k))
			}
		}
		u[i] = legal[r.Intn(len(legal))]
	}
}

// exact32 are rules under which positions are what the wire can carry: all that is
// shown is then exact, but for cooldowns, which are rounded twice.
func exact32(rules *skirmish.Rules) *skirmish.Rules {
	rules.Float32 = true
	return rules
}

func TestEpisodesEqualTheEmbeddedEngines(t *testing.T) {
	for name, c := range map[string]struct {
		settings  sc2test.Settings
		rules     *skirmish.Rules
		tolerance float64
	}{
		"game's rules":     {sc2test.Settings{}, skirmish.Liberty(), 5e-6},
		"single precision": {sc2test.Settings{Float32: true, ByteGrid: true}, exact32(skirmish.Liberty()), 1.5e-7},
		"SMAClite":         {sc2test.Settings{Profile: "smaclite", Silent: true}, skirmish.Lite(), 1.5e-7},
	} {
		t.Run(name, func(t *testing.T) {
			root := sc2test.Install(t, c.settings)
			for _, m := range []string{"3m", "5m_vs_6m", "2s3z", "2s2z_vs_4s", "MMM", "1c3s5z"} {
				conf := config(root)
				conf.Fresh = true
				p := newPair(t, open(t, task(t, m, c.rules), 1, conf), c.tolerance)
				for seed := range uint64(2) {
					p.episode(t, seed, seed)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Every map is played once.
func TestAllMaps(t *testing.T) {
	root := sc2test.Install(t, sc2test.Settings{})
	for _, m := range battle.Every {
		t.Run(m.Name, func(t *testing.T) {
			tk := task(t, m.Name, skirmish.Liberty())
			tk.Map = m
			newPair(t, open(t, tk, 1, config(root)), 5e-6).episode(t, 3, 3)
		})
	}
}

// One match holds many episodes, and the map starts them.
func TestEpisodesOfOneMatch(t *testing.T) {
	root := sc2test.Install(t, sc2test.Settings{Float32: true, Late: 3, Reversed: true})
	p := newPair(t, open(t, task(t, "3m", exact32(skirmish.Liberty())), 1, config(root)), 1.5e-7)
	for k := range uint64(5) {
		p.episode(t, 40+7*k, 40+k) // only the first seed reaches the game
	}
	if n := len(sc2test.Starts(t, root)); n != 1 {
		t.Errorf("%d games were started", n)
	}
}

// Lanes are games of their own; whichever are listed, the others stand still.
func TestLanesAreIndependent(t *testing.T) {
	root := sc2test.Install(t, sc2test.Settings{Float32: true})
	tk := task(t, "3m", exact32(skirmish.Liberty()))
	e := open(t, tk, 3, config(root))
	f := core.NewFrame(e.Spec(), 3)
	if err := e.Reset([]int{2, 0}, []uint64{5, 6}, f); err != nil {
		t.Fatal(err)
	}
	stop := slices.Repeat([]int32{1}, 9)
	if err := e.Step([]int{2}, stop, f); err != nil {
		t.Fatal(err)
	}
	if err := e.Step([]int{1}, stop, f); err == nil {
		t.Error("a lane without an episode was stepped")
	}
	for lane, c := range map[int]struct {
		seed  uint64
		steps int
	}{0: {6, 0}, 2: {5, 1}} {
		b := battle.New(tk.Map, tk.Options)
		b.Reset(c.seed)
		for range c.steps {
			b.Step(stop[:3])
		}
		obs, state := make([]float32, len(f.Obs)/3), make([]float32, len(f.State)/3)
		b.Observe(obs, state)
		if !slices.Equal(obs, f.Obs[lane*len(obs):(lane+1)*len(obs)]) {
			t.Errorf("lane %d differs from its own battle", lane)
		}
	}
	if n := len(sc2test.Starts(t, root)); n != 2 {
		t.Errorf("%d games for 2 lanes in use", n)
	}
}
