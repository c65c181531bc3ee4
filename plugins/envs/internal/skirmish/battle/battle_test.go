package battle

import (
	"math"
	"slices"
	"testing"

	"macpro/core/rng"
	"macpro/plugins/envs/internal/skirmish"
)

// defaults returns the settings of SMAC on the game's own rules.
func defaults() Options {
	return Options{Rules: skirmish.Liberty(), Sight: 9, Shoot: 6}
}

// Agents are numbered by type, then from left to right, then from below; SMAClite keeps
// the order of the formation's rows. Noise at the start changes nothing in that.
func TestNumbering(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  Options
		want []int // world indices
	}{
		{"5m_vs_6m", defaults(), []int{0, 3, 1, 4, 2}},
		{"2s3z", defaults(), []int{0, 1, 3, 4, 2}},
		{"MMM", defaults(), []int{8, 9, 4, 5, 1, 6, 2, 7, 3, 0}},
		{"5m_vs_6m", Options{Rules: skirmish.Lite(), Style: Lite, Sight: 9, Shoot: 6}, []int{0, 1, 2, 3, 4}},
	} {
		c.opt.Rules.SpawnNoise = 0.4
		b := New(known(c.name), c.opt)
		for seed := range uint64(5) {
			b.Reset(seed)
			if !slices.Equal(b.agents, c.want) {
				t.Errorf("%s: agents %v, want %v", c.name, b.agents, c.want)
			}
		}
	}
}

// kill takes units of the world out by their index among agents or enemies.
func (b *Battle) kill(of []int, which ...int) {
	for _, k := range which {
		b.world.Unit(of[k]).Health = 0
	}
	b.world.Recount()
}

// How episodes end, and that only a win is paid 200.
func TestEndings(t *testing.T) {
	lite := Options{Rules: skirmish.Lite(), Style: Lite, Sight: 9, Shoot: 6}
	const most = 365.0 // of 3m
	for _, c := range []struct {
		name            string
		m               string
		opt             Options
		agents, enemies []int // who dies
		terminated, won bool
		reward          float64 // before scaling; in MMM not checked
	}{
		{"ongoing", "3m", defaults(), []int{0}, []int{1}, false, false, 55},
		{"victory", "3m", defaults(), []int{0}, []int{0, 1, 2}, true, true, 365},
		{"defeat", "3m", defaults(), []int{0, 1, 2}, nil, true, false, 0},
		{"draw", "3m", defaults(), []int{0, 1, 2}, []int{0, 1, 2}, true, false, 165},
		{"draw in SMAClite", "3m", lite, []int{0, 1, 2}, []int{0, 1, 2}, true, true, 200},
		{"only our medivac", "MMM", defaults(), []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, nil, true, false, -1},
		{"only their medivac", "MMM", defaults(), nil, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, true, true, -1},
		{"only our medivac in SMAClite", "MMM", lite, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, nil, false, false, -1},
		{"one marine of theirs", "MMM", defaults(), nil, []int{0, 2, 3, 4, 5, 6, 7, 8, 9}, false, false, -1},
	} {
		b := New(known(c.m), c.opt)
		b.Reset(1)
		b.kill(b.agents, c.agents...)
		b.kill(b.enemies, c.enemies...)
		out := b.finish()
		if out.Terminated != c.terminated || out.Won != c.won {
			t.Errorf("%s: %+v", c.name, out)
		}
		if want := c.reward * RewardScale / most; c.reward >= 0 && math.Abs(out.Reward-want) > 1e-9 {
			t.Errorf("%s: reward %v, want %v", c.name, out.Reward, want)
		}
	}
}

// An agent's medivac may heal comrades within 6 cells, but no medivac, and does.
func TestMedics(t *testing.T) {
	b := New(known("MMM"), defaults())
	b.Reset(1)
	medic := slices.IndexFunc(b.table.Agents, func(u Unit) bool { return u.Kind == skirmish.Medivac })
	n := b.m.Actions()
	row := b.Avail()[medic*n : (medic+1)*n]
	for j := range b.table.Agents {
		if want := j != medic; (row[NonAttack+j] == 1) != want {
			t.Errorf("healing agent %d: available %d", j, row[NonAttack+j])
		}
	}
	patient := (medic + 1) % b.m.Agents()
	b.world.Unit(b.agents[patient]).Health = 10
	actions := make([]int32, b.m.Agents())
	for i := range actions {
		actions[i] = 1
	}
	actions[medic] = int32(NonAttack + patient)
	b.Step(actions)
	if got := b.world.Unit(b.agents[patient]).Health; got <= 10 {
		t.Errorf("health %v after half a second of healing", got)
	}
}

// pays are the ways to pay, by name.
var pays = map[string]Pay{"damage": Damage, "net": Net, "absolute": Absolute}

// What is paid for a step in which enemies lose and recover: 1s1z has two enemies,
// whose shields change by the given points.
func TestRewardOfRecoveries(t *testing.T) {
	for _, c := range []struct {
		change [2]float64
		want   map[string]float64
	}{
		{[2]float64{-20, -5}, map[string]float64{"damage": 25, "net": 25, "absolute": 25}},
		{[2]float64{-20, +5}, map[string]float64{"damage": 20, "net": 15, "absolute": 15}},
		{[2]float64{-5, +20}, map[string]float64{"damage": 5, "net": 0, "absolute": 15}},
		{[2]float64{+5, 0}, map[string]float64{"damage": 0, "net": 0, "absolute": 5}},
		{[2]float64{+5, +20}, map[string]float64{"damage": 0, "net": 0, "absolute": 25}},
		{[2]float64{0, 0}, map[string]float64{"damage": 0, "net": 0, "absolute": 0}},
	} {
		for name, pay := range pays {
			opt := defaults()
			opt.Pay = pay
			b := New(known("1s1z"), opt)
			for range 2 { // in every episode anew
				b.Reset(3)
				for _, e := range b.enemies {
					b.world.Unit(e).Shield = 25
				}
				b.finish()
				for i, e := range b.enemies {
					b.world.Unit(e).Shield += c.change[i]
				}
				if got := b.finish().Reward / b.scale; math.Abs(got-c.want[name]) > 1e-9 {
					t.Errorf("%s, shields %+v: %v points, want %v", name, c.change, got, c.want[name])
				}
			}
		}
	}
}

// An enemy's shield grows while the agents stop or flee: such steps pay nothing,
// on every map and however many enemies recover. The official rule pays them.
func TestRecoveriesPayNothing(t *testing.T) {
	paid := map[string]int{}
	for name, pay := range pays {
		for _, m := range slices.Concat(StalkersZealots, Standard) {
			opt := defaults()
			opt.Pay = pay
			b := New(m, opt)
			b.Reset(1)
			for _, e := range b.enemies {
				b.world.Unit(e).Shield /= 2
			}
			b.finish()
			for range 10 {
				for i := range b.last {
					b.last[i] = 0
					if b.Avail()[i*m.Actions()] == 0 {
						b.last[i] = 1 // stop
					}
				}
				before := slices.Clone(b.scorer.left)
				out := b.Step(slices.Clone(b.last))
				lost := false // a baneling's attack ends it
				for j, left := range b.scorer.left {
					lost = lost || left < before[j]
				}
				if out.Reward > 0 && !lost {
					paid[name]++
				}
			}
		}
	}
	if paid["damage"] != 0 || paid["net"] != 0 || paid["absolute"] < 100 {
		t.Errorf("steps without a loss that were paid: %v", paid)
	}
}

// Every map can be played to an end under both profiles, and returns keep to their
// bound.
func TestAllMaps(t *testing.T) {
	for _, profile := range []string{"sc2", "smaclite"} {
		for _, m := range slices.Concat(Marines, StalkersZealots, Standard) {
			opt := defaults()
			opt.Rules, _ = skirmish.RulesByName(profile)
			b := New(m, opt)
			for seed := range uint64(3) {
				r := play(b, policies["rush"], 0.3, seed)
				if r.length < 1 || r.ret < 0 || r.ret > m.MaxReturn(opt) {
					t.Errorf("%s %s: %+v, bound %v", m.Name, profile, r, m.MaxReturn(opt))
				}
			}
		}
	}
}

// A step and what it shows take no memory.
func TestNoAllocations(t *testing.T) {
	lite := defaults()
	lite.Rules = skirmish.Lite()
	for _, c := range []struct {
		name    string
		options Options
	}{{"8m_vs_9m", defaults()}, {"8m_vs_9m", lite}, {"3s5z", defaults()}, {"MMM2", defaults()}, {"bane_vs_bane", defaults()}, {"2c_vs_64zg", defaults()}} {
		b := New(known(c.name), c.options)
		f, r := buffersFor(b), rng.FromSeed(1)
		b.Reset(1)
		steps := 0
		if n := testing.AllocsPerRun(200, func() {
			f.pick(&r, b.avail)
			if steps++; b.Step(f.actions).Terminated || steps%70 == 0 {
				b.Reset(uint64(steps))
			}
			b.Observe(f.obs, f.state)
		}); n != 0 {
			t.Errorf("%s: %v allocations per step", c.name, n)
		}
	}
}
