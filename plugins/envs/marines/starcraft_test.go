package marines

import (
	"maps"
	"os"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/plugins/envs/internal/sc2/sc2test"
)

func TestMain(m *testing.M) {
	sc2test.Main()
	os.Exit(m.Run())
}

// realGame are settings that select StarCraft II, for which a stand-in is installed.
// With a match for every episode all of the contract holds; only a connection cannot
// do without allocations, and the hash concerns settings, of which most are the
// embedded engine's.
func realGame(t *testing.T) core.Settings {
	t.Setenv("SC2PATH", sc2test.Install(t, sc2test.Settings{Noise: 0.02}))
	s := defaults(t)
	maps.Copy(s, core.Settings{"env_args.backend": "sc2", "env_args.sc2_fresh": true})
	return s
}

func TestConformanceOfTheRealGame(t *testing.T) {
	conform.Env(t, Plugin, realGame(t), "allocations", "hash")
}

// Lanes are bounded by the games that may run, and only where games run.
func TestLanesOfTheRealGame(t *testing.T) {
	s := realGame(t)
	s["env_args.sc2_games"] = 3
	if got := (Plugin).MaxLanes(s); got != 3 {
		t.Errorf("%d lanes for 3 games", got)
	}
	if got := (Plugin).MaxLanes(defaults(t)); got != 0 {
		t.Errorf("the embedded engine is limited to %d lanes", got)
	}
}

func TestTheRealGameIsAnotherTask(t *testing.T) {
	hash := func(s core.Settings) string {
		e, err := Plugin.Open("3m", 1, s)
		if err != nil {
			t.Fatal(err)
		}
		return e.Spec().Hash
	}
	s := realGame(t)
	kept := maps.Clone(s)
	kept["env_args.sc2_fresh"] = false
	if a, b, c := hash(defaults(t)), hash(s), hash(kept); a == b || b == c {
		t.Error("backends share a hash")
	}
}

func TestNoRealGame(t *testing.T) {
	s := realGame(t)
	t.Setenv("SC2PATH", t.TempDir())
	if _, err := (Plugin).Tasks(s); err != nil {
		t.Errorf("tasks cannot be listed without the game: %v", err)
	}
	_, err := Plugin.Open("3m", 1, s)
	if err == nil || !strings.Contains(err.Error(), "SC2PATH") || !strings.Contains(err.Error(), "docs/starcraft.md") {
		t.Errorf("opened without a game: %v", err)
	}
}
