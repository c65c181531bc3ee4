package skirmish

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"macpro/core/conform/recorded"
)

// recording is one episode of SMAClite, step by step.
type recording struct {
	Map, Policy string
	Units       [][]any
	Steps       []struct {
		A     []int
		Order [8][]int
		Pre   [][]any
		Post  [][]any
	}
}

// recordings reads all episodes of one recorded file.
func recordings(t testing.TB, path string) []recording {
	t.Helper()
	var out []recording
	recorded.Read(t, path, &out)
	return out
}

var recordedKinds = map[string]Kind{
	"MARINE": Marine, "MARAUDER": Marauder, "MEDIVAC": Medivac, "STALKER": Stalker, "ZEALOT": Zealot, "COLOSSUS": Colossus,
	"ZERGLING": Zergling, "BANELING": Baneling, "SPINE_CRAWLER": SpineCrawler,
}

var mixed = map[string]bool{"MMM": true, "MMM2": true, "bane_vs_bane": true, "2c_vs_64zg": true, "corridor": true}

// elsewhere lists recorded maps with a layout of their own.
var elsewhere = map[string]Scenario{
	"2s_vs_1sc":    {Terrain: Pentagon, Goal: Vec{13.92, 20.04}},
	"corridor":     {Terrain: Corridor, Goal: Vec{4.47, 4.33}},
	"bane_vs_bane": {Terrain: Octagon, Goal: Vec{16, 8}},
	"2c_vs_64zg":   {Terrain: Ravine, Goal: Vec{16, 16}},
}

// sceneOf rebuilds the scenario of a recording from its unit list.
func sceneOf(r *recording) *Scenario {
	if own, ok := elsewhere[r.Map]; ok {
		for _, u := range r.Units {
			own.Groups = append(own.Groups, Group{Team: Team(num(u[1])), At: Vec{num(u[4]), num(u[5])}, Kinds: []Kind{kindOf(u)}})
		}
		return &own
	}
	sc := &Scenario{Terrain: Field, Goal: Vec{9, 16}, Groups: []Group{
		{Team: Allies, At: Vec{9, 16}}, {Team: Enemies, At: Vec{23, 16}},
	}}
	if r.Map == "3s_vs_5z" {
		sc.Terrain = Arena
	}
	for _, u := range r.Units {
		g := &sc.Groups[int(num(u[1]))]
		g.Kinds = append(g.Kinds, kindOf(u))
	}
	return sc
}

func kindOf(unit []any) Kind { return recordedKinds[unit[3].(string)] }

func num(v any) float64 { return v.(float64) }

// inject sets the world to recorded unit rows; units without a row are dead.
func inject(w *World, rows [][]any) {
	seen := make([]bool, w.Len())
	for _, row := range rows {
		i := int(num(row[0]))
		seen[i] = true
		u := w.Unit(i)
		u.Pos, u.Vel = Vec{num(row[1]), num(row[2])}, Vec{num(row[3]), num(row[4])}
		u.Pos = w.rounded(u.Pos)
		u.Health, u.Shield = num(row[5]), num(row[6])
		u.Cooldown, u.ShieldDelay = num(row[7]), num(row[8])
		u.Target = int(num(row[9]))
		if len(row) > 11 {
			u.Energy, u.Dose = num(row[11]), num(row[12])
		}
	}
	for i := range w.units {
		if !seen[i] {
			w.units[i].Health = 0
		}
	}
	w.Recount()
}

// command gives the allies the orders of a joint action.
func command(w *World, actions []int) {
	var mine, foes []int
	for i := range w.units {
		if w.units[i].Team == Allies {
			mine = append(mine, i)
		} else {
			foes = append(foes, i)
		}
	}
	to := []Vec{{0, 2}, {0, -2}, {2, 0}, {-2, 0}}
	for a, i := range mine {
		switch k := actions[a]; {
		case k == 0:
		case k == 1:
			w.Command(i, Order{})
		case k < 6:
			w.Command(i, Order{Verb: Walk, To: w.rounded(w.units[i].Pos.plus(to[k-2]))})
		case w.units[i].healer():
			w.Command(i, Order{Verb: Attack, Target: mine[k-6]})
		default:
			w.Command(i, Order{Verb: Attack, Target: foes[k-6]})
		}
	}
}

// quantities are what rows hold after the unit's number, with the largest difference
// that counts as none. Positions are in single precision.
var quantities = []struct {
	name      string
	tolerance float64
}{
	{"x", 2e-4}, {"y", 2e-4}, {"velocity x", 3e-3}, {"velocity y", 4e-3},
	{"health", 1e-12}, {"shield", 1e-12}, {"cooldown", 1e-12}, {"shield delay", 1e-12},
}

// seenApart are the largest differences of what differs compares, where that is
// within its tolerance.
var seenApart = map[string]float64{}

// differs describes the first difference between the world and recorded rows.
func differs(w *World, rows [][]any) string {
	if len(rows) != len(w.all) {
		return "number of living units"
	}
	for _, row := range rows {
		u := w.Unit(int(num(row[0])))
		for k, v := range []float64{u.Pos.X, u.Pos.Y, u.Vel.X, u.Vel.Y, u.Health, u.Shield, u.Cooldown, u.ShieldDelay} {
			q := quantities[k]
			apart := math.Abs(v - num(row[1+k]))
			if apart > q.tolerance {
				return q.name
			}
			seenApart[q.name] = max(seenApart[q.name], apart)
		}
		if u.Target != int(num(row[9])) {
			return "target"
		}
	}
	return ""
}

func eachRecording(t *testing.T, f func(t *testing.T, rs []recording)) {
	files, _ := filepath.Glob("testdata/smaclite_traj_*.json.gz")
	if len(files) < 20 {
		t.Fatalf("%d recordings, want 20", len(files))
	}
	for _, path := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "smaclite_traj_"), ".json.gz")
		t.Run(name, func(t *testing.T) { f(t, recordings(t, path)) })
	}
}

// From every recorded state, one environment step leads to the next recorded state.
func TestStepsReplay(t *testing.T) {
	total, wrong := 0, 0
	eachRecording(t, func(t *testing.T, rs []recording) {
		for _, r := range rs {
			w := NewWorld(sceneOf(&r), Lite())
			for k, s := range r.Steps {
				w.Reset(0)
				if k == 0 {
					inject(w, s.Pre)
				} else {
					inject(w, r.Steps[k-1].Post)
				}
				command(w, s.A)
				for _, order := range s.Order {
					w.TickIn(order)
				}
				total++
				if d := differs(w, s.Post); d != "" {
					wrong++
					t.Logf("%s %s step %d: %s", r.Map, r.Policy, k, d)
				}
			}
		}
	})
	t.Logf("%d of %d steps differ, others by at most %v", wrong, total, seenApart)
	if wrong*100 > total {
		t.Errorf("%d of %d steps differ, more than 1 %%", wrong, total)
	}
}

// Whole episodes from their first state on, with the recorded order of action. Battles
// of large mixed squads are left out: they come to a near tie after a few steps.
func TestEpisodesReplay(t *testing.T) {
	total, same := 0, 0
	eachRecording(t, func(t *testing.T, rs []recording) {
	episodes:
		for _, r := range rs {
			if mixed[r.Map] {
				continue
			}
			w := NewWorld(sceneOf(&r), Lite())
			w.Reset(0)
			total++
			for k, s := range r.Steps {
				command(w, s.A)
				for _, order := range s.Order {
					w.TickIn(order)
				}
				if d := differs(w, s.Post); d != "" {
					t.Logf("%s %s leaves at step %d: %s", r.Map, r.Policy, k, d)
					continue episodes
				}
			}
			same++
		}
	})
	t.Logf("%d of %d episodes replay", same, total)
	if same*10 < total*8 {
		t.Errorf("%d of %d episodes replay, fewer than 80 %%", same, total)
	}
}

// The starting positions are those recorded.
func TestSpawn(t *testing.T) {
	eachRecording(t, func(t *testing.T, rs []recording) {
		for _, r := range rs {
			w := NewWorld(sceneOf(&r), Lite())
			w.Reset(0)
			if w.Len() != len(r.Units) {
				t.Fatalf("%d units, want %d", w.Len(), len(r.Units))
			}
			for i, row := range r.Units {
				u := w.Unit(i)
				if math.Abs(u.Pos.X-num(row[4])) > 1e-5 || math.Abs(u.Pos.Y-num(row[5])) > 1e-5 {
					t.Errorf("%s unit %d at %v, want %v %v", r.Map, i, u.Pos, row[4], row[5])
				}
			}
		}
	})
}
