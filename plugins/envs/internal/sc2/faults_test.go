package sc2

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"macpro/plugins/envs/internal/sc2/sc2test"
	"macpro/plugins/envs/internal/skirmish"
)

// soon fails the test if f takes as long as a time-out that is not to come.
func soon(t testing.TB, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > never*time.Second/2 {
		t.Errorf("took %v", took)
	}
}

// slow is a time-out in seconds that is to come, while other calls have enough time.
const slow = 5

// impatient gives the game that runs little time for its answers. Those that come after
// it have all the time.
func impatient(p *played) {
	p.lanes[0].game.config.Timeout, p.lanes[0].game.config.StartTimeout = slow, slow
}

// faulty opens the map 3m on a stand-in in which something goes wrong.
func faulty(t *testing.T, s sc2test.Settings) (*played, string) {
	t.Helper()
	root := sc2test.Install(t, s)
	return newPlayed(open(t, task(t, "3m", skirmish.Liberty()), 1, config(root))), root
}

// games checks how many games were started.
func games(t testing.TB, root string, want int) {
	t.Helper()
	if n := len(sc2test.Starts(t, root)); n != want {
		t.Errorf("%d games were started, want %d", n, want)
	}
}

func refused(t testing.TB, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("want an error with %q, got: %v", w, err)
			return
		}
	}
}

// A game that starts slowly refuses connections, and then does not know the address.
func TestSlowStarts(t *testing.T) {
	for name, s := range map[string]sc2test.Settings{
		"refused connections": {Deaf: 400 * time.Millisecond},
		"not found":           {NotFound: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, root := faulty(t, s)
			soon(t, func() { p.reset(t, 1) })
			games(t, root, 1)
		})
	}
}

func TestGamesThatDoNotStart(t *testing.T) {
	for name, c := range map[string]struct {
		settings sc2test.Settings
		words    []string
		games    int
	}{
		"ends at once": {sc2test.Settings{DeadEnd: 7}, []string{"did not start", "exit status 7", "no such luck"}, launches},
		"never answers": {sc2test.Settings{Mute: true},
			[]string{"did not start to listen on port", "within 1.5s"}, 1},
		"never greets": {sc2test.Settings{Faults: []sc2test.Fault{{Command: "ping", Nth: 1, Do: sc2test.Hang}}, Unlimited: true},
			[]string{"ping: no answer in time: 500ms have passed"}, launches},
		"another version": {sc2test.Settings{Build: 70154},
			[]string{"build 70154", "Versions/Base69232", "env_args.sc2_version"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := sc2test.Install(t, c.settings)
			conf := config(root)
			if c.settings.Mute {
				conf.StartTimeout = 1.5
			}
			if c.settings.Unlimited {
				conf.Timeout = 0.5
			}
			p := newPlayed(open(t, task(t, "3m", skirmish.Liberty()), 1, conf))
			soon(t, func() {
				refused(t, p.Reset([]int{0}, []uint64{1}, p.f), append(c.words, "test 3m")...)
			})
			games(t, root, c.games)
			if err := sc2test.Gone(t, root); err != nil {
				t.Error(err)
			}
		})
	}
}

// Another program's game on our port is not played on.
func TestSomebodyElsesGame(t *testing.T) {
	p, root := faulty(t, sc2test.Settings{Faults: []sc2test.Fault{{Command: "ping", Nth: 1, Do: sc2test.End}}})
	soon(t, func() { p.reset(t, 1) })
	games(t, root, 2)
}

// what lists all that can go wrong with a request, and whether the program survives
// in a state in which it can be used.
var what = map[string]bool{
	sc2test.Cut: true, sc2test.Garbage: true, sc2test.Text: true, sc2test.Stale: true,
	sc2test.Hang: false, sc2test.Exit: false, sc2test.Refuse: false,
}

// A step in which the game is lost ends its episode without reward, and the next
// episode is a good one.
func TestFaultsInAStep(t *testing.T) {
	for _, command := range []string{"action", "step", "observation"} {
		for do, survives := range what {
			t.Run(command+" "+do, func(t *testing.T) {
				t.Parallel()
				p, root := faulty(t, sc2test.Settings{Faults: []sc2test.Fault{{Command: command, Nth: 3, Do: do}}})
				p.reset(t, 1)
				if do == sc2test.Hang {
					impatient(p)
				}
				soon(t, func() {
					for !p.f.Terminated[0] {
						p.step(t)
					}
				})
				if p.f.Reward[0] != 0 || p.f.Won[0] || p.f.Truncated[0] {
					t.Errorf("a lost game paid %v, won %v, truncated %v", p.f.Reward[0], p.f.Won[0], p.f.Truncated[0])
				}
				if err := p.tryStep(); err == nil {
					t.Error("stepped after the end")
				}
				soon(t, func() { p.reset(t, 2) })
				for range 4 {
					p.step(t)
					if p.f.Terminated[0] {
						t.Fatal("the next episode was lost as well")
					}
				}
				want := 2
				if survives {
					want = 1
				}
				games(t, root, want)
			})
		}
	}
}

// What goes wrong at the start of an episode is mended before the reset returns.
func TestFaultsInAReset(t *testing.T) {
	for _, command := range []string{"ping", "create_game", "join_game", "game_info", "observation"} {
		for do := range what {
			if command == "create_game" && do == sc2test.Hang || command == "join_game" && do == sc2test.Hang {
				continue // these may take as long as a start: TestSlowMap
			}
			t.Run(command+" "+do, func(t *testing.T) {
				t.Parallel()
				root := sc2test.Install(t, sc2test.Settings{Faults: []sc2test.Fault{{Command: command, Nth: 1, Do: do}}})
				c := config(root)
				if do == sc2test.Hang {
					c.Timeout = slow
				}
				p := newPlayed(open(t, task(t, "3m", skirmish.Liberty()), 1, c))
				soon(t, func() { p.reset(t, 1) })
				p.step(t)
				if p.f.Terminated[0] {
					t.Error("the episode was lost")
				}
			})
		}
	}
	for _, command := range []string{"debug", "step"} { // of the second episode
		for do := range what {
			t.Run("second "+command+" "+do, func(t *testing.T) {
				t.Parallel()
				p, _ := faulty(t, sc2test.Settings{Faults: []sc2test.Fault{{Command: command, Nth: 1, Do: do}}})
				p.reset(t, 1)
				if do == sc2test.Hang {
					impatient(p)
				}
				soon(t, func() { p.reset(t, 2) })
				p.step(t)
				if p.f.Terminated[0] {
					t.Error("the episode was lost")
				}
			})
		}
	}
}

// To make a match may take as long as a start, and no longer.
func TestSlowMap(t *testing.T) {
	for _, command := range []string{"create_game", "join_game"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			root := sc2test.Install(t, sc2test.Settings{Faults: []sc2test.Fault{{Command: command, Nth: 2, Do: sc2test.Hang}}})
			c := config(root)
			c.Fresh = true
			p := newPlayed(open(t, task(t, "3m", skirmish.Liberty()), 1, c))
			p.reset(t, 1)
			impatient(p)
			soon(t, func() { p.reset(t, 2) })
			games(t, root, 2)
		})
	}
}

// A match that ends by itself costs the episode, not the program.
func TestMatchThatEnds(t *testing.T) {
	for _, command := range []string{"action", "step", "observation"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			p, root := faulty(t, sc2test.Settings{Faults: []sc2test.Fault{{Command: command, Nth: 2, Do: sc2test.End}}})
			p.reset(t, 1)
			soon(t, func() {
				for !p.f.Terminated[0] {
					p.step(t)
				}
				p.reset(t, 2)
				p.step(t)
			})
			games(t, root, 1)
		})
	}
}

// A game that is lost again and again is an error in the end.
func TestHopelessGame(t *testing.T) {
	for _, f := range []sc2test.Fault{{Command: "step", Nth: 1, Do: sc2test.Exit}, {Command: "join_game", Nth: 1, Do: sc2test.Refuse}} {
		t.Run(f.Command, func(t *testing.T) {
			t.Parallel()
			p, root := faulty(t, sc2test.Settings{Faults: []sc2test.Fault{f}, Unlimited: true})
			soon(t, func() {
				for seed := range uint64(2 * patience) {
					err := p.Reset([]int{0}, []uint64{seed}, p.f)
					if err == nil {
						err = p.tryStep()
					}
					if err != nil {
						refused(t, err, fmt.Sprintf("lost StarCraft II %d times", patience), f.Command)
						return
					}
				}
				t.Error("it was never given up")
			})
			games(t, root, patience)
		})
	}
}

func TestMapThatIsAnother(t *testing.T) {
	for name, c := range map[string]struct {
		m        string
		settings sc2test.Settings
		words    []string
	}{
		"too few units": {"3m", sc2test.Settings{Short: true}, []string{"map 3m: 3 agents and 2 enemies", "want 3 and 3"}},
		"one type":      {"2s3z", sc2test.Settings{OwnType: 1970}, []string{"map 2s3z", "[stalker stalker zealot zealot zealot]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := sc2test.Install(t, c.settings)
			p := newPlayed(open(t, task(t, c.m, skirmish.Liberty()), 1, config(root)))
			soon(t, func() { refused(t, p.Reset([]int{0}, []uint64{1}, p.f), c.words...) })
			games(t, root, 1)
		})
	}
}

// A map that the game itself refuses is not tried again.
func TestMapThatTheGameRefuses(t *testing.T) {
	root := sc2test.Install(t, sc2test.Settings{})
	tk := task(t, "3m", skirmish.Liberty())
	m := *tk.Map
	m.Name = "nobody_knows"
	tk.Map = &m
	sc2test.Write(t, root+"/Maps/SMAC_Maps/nobody_knows.SC2Map", "MPQ", 0o644)
	p := newPlayed(open(t, tk, 1, config(root)))
	refused(t, p.Reset([]int{0}, []uint64{1}, p.f), "cannot play the map nobody_knows: InvalidMapPath")
	games(t, root, 1)
}
