package battle

import (
	"fmt"
	"testing"
)

// under200 plays 200 battles under the game's rules, each with a little noise at the
// start, and expects a win rate between low and high.
func under200(t *testing.T, name, script string, low, high float64, play func(b *Battle, seed uint64) result) {
	t.Helper()
	opt := defaults()
	opt.Rules.SpawnNoise = 0.02
	b := New(known(name), opt)
	got := collect(200, func(seed uint64) result { return play(b, seed) })
	t.Logf("%s, %s: wins %.2f, return %.1f, length %.0f of %d", name, script, got.Win, got.RetMean, got.LenMean, b.m.Limit)
	if got.Win < low || got.Win > high {
		t.Errorf("%s, %s: wins %.2f, want %.2f to %.2f", name, script, got.Win, low, high)
	}
}

// Stalkers win against zealots by shooting and walking in turn, and never by standing.
func TestKitingWins(t *testing.T) {
	for _, c := range []struct {
		name, script string
		k            kite
		low, high    float64
	}{
		{"2s1z_vs_3z", "kite", kite{3, true, 2}, 0.95, 1},
		{"2s1z_vs_3z", "the zealot fights from the start", kite{3, true, 3}, 0.7, 0.98},
		{"2s1z_vs_3z", "the zealot only runs", kite{3, true, 0}, 0.05, 0.35},
		{"2s1z_vs_3z", "every second step a shot", kite{2, true, 2}, 0.65, 0.95},
		{"2s1z_vs_3z", "every fourth step a shot", kite{4, true, 2}, 0.35, 0.7},
		{"2s1z_vs_3z", "all stand and fight", kite{1, false, 3}, 0, 0.02},
		{"3s_vs_3z", "kite", kite{3, true, 0}, 0.95, 1}, {"3s_vs_3z", "all stand and fight", kite{1, false, 0}, 0, 0.02},
		{"3s_vs_4z", "kite", kite{3, true, 0}, 0.95, 1}, {"3s_vs_4z", "all stand and fight", kite{1, false, 0}, 0, 0.02},
		{"3s_vs_5z", "kite", kite{3, true, 0}, 0.95, 1}, {"3s_vs_5z", "all stand and fight", kite{1, false, 0}, 0, 0.02},
		{"2s2z_vs_4z", "kite", kite{3, true, 3}, 0.65, 0.95}, {"4s4z_vs_8z", "kite", kite{3, true, 4}, 0.5, 0.85},
		{"2s3z", "kite", kite{3, true, 5}, 0.05, 0.35}, {"3s5z", "kite", kite{3, true, 8}, 0.05, 0.35},
	} {
		under200(t, c.name, c.script, c.low, c.high, func(b *Battle, seed uint64) result { return lead(b, c.k.act, 0, seed) })
	}
}

// The more actions are random, the less kiting has before standing.
func TestKitingAmongRandomActions(t *testing.T) {
	for _, c := range []struct{ eps, low, high float64 }{{0.05, 0.8, 1}, {0.1, 0.5, 0.85}, {0.2, 0.05, 0.35}, {0.3, 0, 0.1}} {
		script := fmt.Sprintf("%.2f of all actions random, kite", c.eps)
		under200(t, "2s1z_vs_3z", script, c.low, c.high, func(b *Battle, seed uint64) result { return lead(b, kite{3, true, 2}.act, c.eps, seed) })
		script = fmt.Sprintf("%.2f of all actions random, all stand and fight", c.eps)
		under200(t, "2s1z_vs_3z", script, 0, 0.08, func(b *Battle, seed uint64) result { return lead(b, kite{1, false, 3}.act, c.eps, seed) })
	}
}

// A line that shoots the weakest enemy wins more often than the script that follows the
// nearest, most of all with step-back; against zealots it does not help.
func TestLineWins(t *testing.T) {
	for _, c := range []struct {
		name      string
		low, high [2]float64 // without and with step-back
	}{
		{"3m", [2]float64{0.55, 0.9}, [2]float64{0.9, 1}},
		{"5m_vs_6m", [2]float64{0.15, 0.2}, [2]float64{0.45, 0.55}},
		{"8m_vs_9m", [2]float64{0.6, 0.85}, [2]float64{0.9, 1}},
		{"10m_vs_11m", [2]float64{0.8, 0.9}, [2]float64{1, 1}},
		{"2s3z", [2]float64{0.65, 0.65}, [2]float64{0.95, 0.95}},
		{"3s5z", [2]float64{0.65, 0.7}, [2]float64{0.95, 0.97}},
		{"2s1z_vs_3z", [2]float64{0, 0}, [2]float64{0.05, 0.05}},
	} {
		for i, script := range []string{"line", "line with step-back"} {
			act := lineUp(i == 1)
			under200(t, c.name, script, c.low[i], c.high[i], func(b *Battle, seed uint64) result { return lead(b, act, 0, seed) })
		}
	}
}
