package battle

import (
	"strings"
	"testing"

	"macpro/core/rng"
	"macpro/plugins/envs/internal/skirmish"
)

// Every drawn battle can be fought, its features have one form, and team sizes change.
func TestDrawnBattles(t *testing.T) {
	for _, x := range []*Mix{
		{Units: []string{"m"}, Weights: []float64{1}, Least: 3, Most: 11},
		{Units: []string{"s", "z"}, Weights: []float64{.5, .5}, Least: 2, Most: 8},
		{Units: []string{"a", "m", "v"}, Weights: []float64{.45, .45, .1}, Least: 3, Most: 10},
	} {
		s, sizes, surrounded := rng.New(5).Stream(), map[int]bool{}, 0
		forms := map[Features]bool{}
		for i := range 200 {
			name := x.Draw(s, 1)
			m, ok := x.Parse(name)
			if !ok {
				t.Fatalf("%s cannot be read", name)
			}
			n := m.Agents()
			if n < x.Least || n > x.Most || m.Enemies() < n || m.Enemies() > n+mostSurplus {
				t.Fatalf("%s: %d agents, %d enemies", name, n, m.Enemies())
			}
			sizes[n] = true
			if strings.Contains(name, "-s") {
				surrounded++
			}
			forms[NewView(m, defaults()).Features()] = true
			if i > 20 {
				continue
			}
			b := New(m, defaults())
			b.Reset(uint64(i))
			for range 5 {
				actions := make([]int32, n)
				for a := range actions {
					for k, free := range b.Avail()[a*m.Actions() : (a+1)*m.Actions()] {
						if free == 1 {
							actions[a] = int32(k)
						}
					}
				}
				b.Step(actions)
			}
		}
		if len(forms) != 1 {
			t.Errorf("%v: features have %d forms: %v", x.Units, len(forms), forms)
		}
		if len(sizes) != x.Most-x.Least+1 || surrounded < 70 || surrounded > 130 {
			t.Errorf("%v: %d team sizes, %d of 200 teams are surrounded", x.Units, len(sizes), surrounded)
		}
		if m, ok := x.Parse(x.Draw(s, 0)); !ok || m.Agents() != x.Least || m.Enemies() != x.Least {
			t.Errorf("%v at difficulty 0: %v", x.Units, m)
		}
	}
}

func TestParseDrawn(t *testing.T) {
	x := &Mix{Units: []string{"s", "z"}, Weights: []float64{1, 1}, Least: 2, Most: 8}
	m, ok := x.Parse("2s1z_vs_2s3z-r0914")
	if !ok || m.Agents() != 3 || m.Enemies() != 5 || m.Scene.Goal != (skirmish.Vec{X: 9, Y: 14}) || m.Places != "2s1z (9,14), 2s3z (23,14)" {
		t.Errorf("%+v", m)
	}
	if m, ok = x.Parse("2s1z_vs_2s3z-s2"); !ok || m.Places != "2s1z (16,16), 1s2z (7,16), 1s1z (25,16)" {
		t.Errorf("%+v", m)
	}
	for _, name := range []string{"2s3z", "2s1z_vs_2s3z", "2s1z_vs_3z-s2", "1z2s_vs_2s3z-s2", "2s1z_vs_2s3z-s4", "2s1z_vs_2s3z-r0514", "2s1z_vs_2s3z-r0922", "9s3z_vs_2s3z-s2", "0s1z_vs_1s1z-s2", "02s1z_vs_1s1z-s2"} {
		if _, ok := x.Parse(name); ok {
			t.Errorf("%s was read", name)
		}
	}
}
