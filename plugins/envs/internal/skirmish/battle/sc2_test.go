package battle

import (
	"math"
	"testing"

	"macpro/plugins/envs/internal/skirmish"
)

// towardsGame are the rules between SMAClite's and the game's: the game's numbers and
// clock, then also its jittering attack periods, then also its choice of targets.
var towardsGame = []func(r *skirmish.Rules){
	func(r *skirmish.Rules) {
		r.Stats = skirmish.Liberty().Stats
		r.Stats[skirmish.Zealot].Separation = r.Stats[skirmish.Zealot].Radius
	},
	func(r *skirmish.Rules) { r.JitterLow, r.JitterHigh = -0.0625, 0.125 },
	func(r *skirmish.Rules) { r.EdgeScan = true },
}

// TestCalibration compares how often the stubborn script wins with a table of 200
// battles each that another implementation computed.
func TestCalibration(t *testing.T) {
	rules := skirmish.Lite()
	for stage, change := range towardsGame {
		change(rules)
		for _, c := range []struct {
			name string
			wins [3]float64
		}{
			{"3m", [3]float64{1, 0.98, 0.65}}, {"4m", [3]float64{1, 1, 1}}, {"5m_vs_6m", [3]float64{1, 0.80, 0}},
			{"8m_vs_9m", [3]float64{0, 0.19, 0.61}}, {"10m_vs_11m", [3]float64{1, 0.69, 0.62}}, {"13m", [3]float64{1, 1, 1}},
			{"2s3z", [3]float64{0, 0.11, 1}}, {"3s5z", [3]float64{1, 0.95, 1}}, {"2s1z_vs_3z", [3]float64{0, 0, 0}},
			{"2s2z_vs_4s", [3]float64{1, 1, 1}},
		} {
			b := New(known(c.name), Options{Rules: rules, Sight: 9, Shoot: 6})
			got := collect(100, func(seed uint64) result { return stubborn(b, seed) })
			t.Logf("stage %d, %s: wins %.2f, recorded %.2f", stage, c.name, got.Win, c.wins[stage])
			if z := proportions(got, sample{N: 200, Win: c.wins[stage]}); math.Abs(z) >= 4 {
				t.Errorf("stage %d, %s: wins %.3f, want %.2f (z = %.1f)", stage, c.name, got.Win, c.wins[stage], z)
			}
		}
	}
}

// Bands around how often a script that follows the nearest enemy until it is dead wins
// with all rules of the game: mostly against equals, hardly ever against six of five,
// always with zealots against stalkers, never with stalkers against zealots.
func TestScriptUnderGameRules(t *testing.T) {
	for _, c := range []struct {
		name      string
		low, high float64
	}{
		{"5m_vs_6m", 0, 0.2}, {"8m_vs_9m", 0.3, 0.7}, {"10m_vs_11m", 0.25, 0.7},
		{"3m", 0.5, 0.9}, {"4m", 0.8, 1}, {"8m", 0.75, 1}, {"13m", 0.85, 1},
		{"2s3z", 0.75, 1}, {"3s5z", 0.25, 0.65}, {"2s1z_vs_3z", 0, 0.05}, {"2s2z_vs_4s", 0.95, 1},
	} {
		under200(t, c.name, "nearest enemy", c.low, c.high, stubborn)
	}
}

// Two rules are not read from the game's data but inferred from how it plays: that a
// unit which notices nobody goes for its attacker, and that units walk around each
// other. Both help the script, so that results depend on them.
func TestInferredRules(t *testing.T) {
	wins := map[string][]float64{}
	for _, rule := range []struct{ answer, sidestep bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		for _, name := range []string{"3m", "5m_vs_6m", "8m_vs_9m", "13m", "2s3z", "3s5z"} {
			opt := defaults()
			opt.Rules.SpawnNoise = 0.02
			opt.Rules.Answer, opt.Rules.Sidestep = rule.answer, rule.sidestep
			b := New(known(name), opt)
			got := collect(200, func(seed uint64) result { return stubborn(b, seed) }).Win
			t.Logf("answer %v, sidestep %v, %s: wins %.2f", rule.answer, rule.sidestep, name, got)
			wins[name] = append(wins[name], got)
		}
	}
	for _, name := range []string{"8m_vs_9m", "13m", "2s3z"} {
		if w := wins[name]; w[3] < w[0]+0.2 {
			t.Errorf("%s: wins %.2f with both rules, %.2f with neither", name, w[3], w[0])
		}
	}
}
