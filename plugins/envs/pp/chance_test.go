package pp

import (
	"testing"

	"macpro/core/conform"
	"macpro/core/rng"
)

func winRate(t *testing.T, task string, lanes, rounds int, p conform.Policy) float64 {
	t.Helper()
	e, _ := open(t, task, lanes, defaults(t))
	rate, err := conform.WinRate(e, lanes, rounds, 91, p)
	if err != nil {
		t.Fatal(err)
	}
	return rate
}

// TestScriptedTeams compares success rates with known ones: uniform actions
// (20000 episodes), the best action that all predators repeat for ever (2000),
// and walking straight to the prey along the larger axis (5000).
func TestScriptedTeams(t *testing.T) {
	uniform := func(_ int, _ []float32, avail []uint8, draw *rng.Stream) int32 {
		return int32(draw.Intn(len(avail)))
	}
	chase := func(_ int, obs []float32, _ []uint8, _ *rng.Stream) int32 {
		return along(vec32{obs[12], obs[13]}, 1)
	}
	for task, want := range map[string]struct{ random, constant, chase float64 }{
		"heuristic":    {.010, .126, .89},
		"fix-frozen":   {.0006, .387, .996},
		"bull-bull":    {.010, .003, .97},
		"flash-random": {.084, .190, .77},
	} {
		t.Run(task, func(t *testing.T) {
			if err := conform.Near(winRate(t, task, 100, 200, uniform), 20000, want.random, 20000, .001); err != nil {
				t.Error("random:", err)
			}
			best := 0.0
			for action := range int32(actions) {
				best = max(best, winRate(t, task, 100, 40, func(int, []float32, []uint8, *rng.Stream) int32 { return action }))
			}
			if err := conform.Near(best, 4000, want.constant, 2000, .001); err != nil {
				t.Error("constant:", err)
			}
			if err := conform.Near(winRate(t, task, 100, 50, chase), 5000, want.chase, 5000, .01); err != nil {
				t.Error("chase:", err)
			}
		})
	}
}
