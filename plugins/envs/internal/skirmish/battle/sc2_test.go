package battle

import "testing"

// Under the game's rules a plain script, "attack whoever is nearest until it is dead",
// wins as one would expect: hardly ever against more units of the same type, always
// with zealots against stalkers, never with stalkers against zealots, and sometimes in
// between. Jitter and the order of action decide, so no battle of equals is certain.
func TestScriptUnderGameRules(t *testing.T) {
	for _, c := range []struct {
		name      string
		low, high float64
	}{
		{"5m_vs_6m", 0, 0.25}, {"8m_vs_9m", 0, 0.15}, {"10m_vs_11m", 0, 0.2},
		{"3m", 0.3, 0.8}, {"4m", 0.1, 0.6}, {"8m", 0.3, 0.8}, {"13m", 0.05, 0.6},
		{"2s1z_vs_3z", 0, 0.05}, {"2s2z_vs_4s", 0.95, 1},
	} {
		b := New(known(c.name), Defaults())
		if got := collect(100, func(seed uint64) result { return stubborn(b, seed) }).Win; got < c.low || got > c.high {
			t.Errorf("%s: wins %.2f, want %.2f to %.2f", c.name, got, c.low, c.high)
		}
	}
}
