package battle

import (
	"math"
	"strings"
	"testing"

	"macpro/core/conform/recorded"
	"macpro/plugins/envs/internal/skirmish"
)

// officialVectors are unit tables and what the official environment class makes of
// them. A row is [type, x, y, health, its maximum, shield, its maximum, cooldown].
type officialVectors struct {
	Cases []struct {
		Task     string
		NAgents  int `json:"n_agents"`
		NEnemies int `json:"n_enemies"`
		NActions int `json:"n_actions"`
		ObsSize  int `json:"obs_size"`
		State    []float64
		Limit    int
		Sight    float64
		Shoot    float64
		Allies   [][]float64
		Enemies  [][]float64
		Last     []int32 `json:"last_actions"`
		Avail    []string
		Obs      [][]float64
	}
	Rewards []struct {
		Task      string
		MaxReward float64 `json:"max_reward"`
		Tags      struct{ Allies, Enemies []float64 }
		First     struct{ Allies, Enemies [][]float64 }
		Steps     []struct {
			Units  [][]float64 // [tag, row...]
			Code   *int
			Reward float64
			Scaled float64
		}
	}
}

// fill sets units from rows; a missing row is a dead unit.
func fill(dst []Unit, kinds []skirmish.Kind, rows [][]float64) {
	for i := range dst {
		dst[i].Health = 0
		if r := rows[i]; r != nil {
			dst[i] = Unit{Kind: kinds[i], X: r[1], Y: r[2], Health: r[3], HealthMax: r[4], Shield: r[5], Cooldown: r[7]}
		}
	}
}

// kindsOf tells the unit types of enemy rows, whose ids are the standard units'.
func kindsOf(rows [][]float64) []skirmish.Kind {
	ids := map[float64]skirmish.Kind{48: skirmish.Marine, 73: skirmish.Zealot, 74: skirmish.Stalker}
	kinds := make([]skirmish.Kind, len(rows))
	for i, r := range rows {
		kinds[i] = ids[r[0]]
	}
	return kinds
}

func taskOf(t *testing.T, name string) (*Map, Options) {
	t.Helper()
	base, change := strings.CutSuffix(name, "_change")
	m, opt := known(base), defaults()
	opt.Pay = Absolute
	if m == nil {
		t.Fatalf("no map %s", base)
	}
	if change {
		opt.Sight, opt.Shoot = 8, 5
	}
	return m, opt
}

func TestOfficialVectors(t *testing.T) {
	var v officialVectors
	recorded.Read(t, "testdata/smac_official_vectors.json.gz", &v)
	seen := map[string]bool{}
	for _, c := range v.Cases {
		seen[c.Task] = true
		m, opt := taskOf(t, c.Task)
		view := NewView(m, opt)
		sizes := []int{m.Agents(), m.Enemies(), m.Actions(), view.ObsWidth(), view.StateWidth(), m.Limit}
		want := []int{c.NAgents, c.NEnemies, c.NActions, c.ObsSize, len(c.State), c.Limit}
		for i := range sizes {
			if sizes[i] != want[i] {
				t.Fatalf("%s: sizes and limit %v, want %v", c.Task, sizes, want)
			}
		}
		if opt.Sight != c.Sight || opt.Shoot != c.Shoot {
			t.Errorf("%s: sight %v and shoot %v, want %v and %v", c.Task, opt.Sight, opt.Shoot, c.Sight, c.Shoot)
		}
		table := NewTable(m)
		fill(table.Agents, m.Allies(), c.Allies)
		fill(table.Enemies, kindsOf(c.Enemies), c.Enemies)
		avail := make([]uint8, m.Agents()*m.Actions())
		obs, state := make([]float32, m.Agents()*view.ObsWidth()), make([]float32, view.StateWidth())
		view.Avail(table, avail)
		view.Obs(table, avail, obs)
		view.State(table, c.Last, state)
		for i, row := range c.Avail {
			for a := range m.Actions() {
				if avail[i*m.Actions()+a] != row[a]-'0' {
					t.Errorf("%s: agent %d action %d: avail %d, want %c", c.Task, i, a, avail[i*m.Actions()+a], row[a])
				}
			}
			compare(t, c.Task+" obs", obs[i*view.ObsWidth():(i+1)*view.ObsWidth()], c.Obs[i], 1e-7)
		}
		compare(t, c.Task+" state", state, c.State, 1e-7)
	}
	if len(seen) != 48 {
		t.Errorf("%d tasks, want the 40 and 8 variants", len(seen))
	}
}

func compare(t *testing.T, what string, got []float32, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Abs(float64(got[i])-want[i]) > tol {
			t.Errorf("%s[%d] = %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestOfficialRewards(t *testing.T) {
	var v officialVectors
	recorded.Read(t, "testdata/smac_official_vectors.json.gz", &v)
	endings, differ := map[Ending]int{}, map[string]int{}
	for k, r := range v.Rewards {
		m, opt := taskOf(t, r.Task)
		if got := m.MaxReward(opt.Rules); got != r.MaxReward {
			t.Errorf("%s: maximum %v, want %v", r.Task, got, r.MaxReward)
		}
		table, scorer, view := NewTable(m), NewScorer(m, opt.Pay), NewView(m, opt)
		others := map[string]*Scorer{"damage": NewScorer(m, Damage), "net": NewScorer(m, Net)}
		enemies := kindsOf(r.First.Enemies)
		fill(table.Agents, m.Allies(), r.First.Allies)
		fill(table.Enemies, enemies, r.First.Enemies)
		scorer.Begin(table)
		for _, o := range others {
			o.Begin(table)
		}
		for i, s := range r.Steps {
			rows := map[float64][]float64{}
			for _, u := range s.Units {
				rows[u[0]] = u[1:]
			}
			fill(table.Agents, m.Allies(), byTag(r.Tags.Allies, rows))
			fill(table.Enemies, enemies, byTag(r.Tags.Enemies, rows))
			raw, end := scorer.Step(table), view.Judge(table)
			endings[end]++
			for name, o := range others {
				if o.Step(table) != raw {
					differ[name]++
				}
			}
			want := Ongoing
			if s.Code != nil {
				want = Ending(*s.Code)
			}
			if end != want {
				t.Errorf("%s episode %d step %d: ending %d, want %d", r.Task, k, i, end, want)
			}
			if math.Abs(raw-s.Reward) > 6e-9 {
				t.Errorf("%s episode %d step %d: reward %v, want %v", r.Task, k, i, raw, s.Reward)
			}
			if scaled := raw * RewardScale / m.MaxReward(opt.Rules); math.Abs(scaled-s.Scaled) > 6e-9 {
				t.Errorf("%s episode %d step %d: scaled %v, want %v", r.Task, k, i, scaled, s.Scaled)
			}
		}
	}
	for _, e := range []Ending{Defeat, Draw, Victory, Ongoing} {
		if endings[e] == 0 {
			t.Errorf("no recorded step ends as %d", e)
		}
	}
	if differ["damage"] == 0 || differ["net"] == 0 {
		t.Errorf("recorded steps that tell the official rule from others: %v", differ)
	}
}

func byTag(tags []float64, rows map[float64][]float64) [][]float64 {
	out := make([][]float64, len(tags))
	for i, tag := range tags {
		out[i] = rows[tag]
	}
	return out
}
