package family_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"macpro/core"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
	"macpro/plugins/envs/marines"
	"macpro/plugins/envs/smac"
	"macpro/plugins/envs/sz"
)

// A task's hash has the family's version in place of the numbers of rules and
// maps. Who changes one of these raises the versions of the families that it
// concerns, so that results from before and after are not mixed, and notes the
// new numbers here.
func TestVersionStandsForTheNumbers(t *testing.T) {
	for _, c := range []struct {
		plugin           core.EnvPlugin
		maps             []*battle.Map
		version, numbers string
	}{
		{marines.Plugin, battle.Marines, "2", "9122d1fc7d189160"},
		{sz.Plugin, battle.StalkersZealots, "3", "50f7a12611fd60ee"},
		{smac.Plugin, battle.Standard, "4", "e30210370b7a3998"},
	} {
		i := c.plugin.Info()
		if got := numbers(c.maps); got != c.numbers {
			t.Errorf("%s: the numbers of rules and maps are %s, those of version %s were %s", i.Name, got, c.version, c.numbers)
		}
		if i.Version != c.version {
			t.Errorf("%s has version %s, want %s", i.Name, i.Version, c.version)
		}
	}
}

// numbers is a hash of maps, of the rules and of the units on the maps.
func numbers(maps []*battle.Map) string {
	h := sha256.New()
	var kinds []skirmish.Kind
	for _, m := range maps {
		kinds = slices.Concat(kinds, m.Allies(), m.Foes())
		fmt.Fprintln(h, m.Name, m.Limit, m.Scene.Groups, m.Scene.Goal)
		for y := range skirmish.MapSize {
			for x := range skirmish.MapSize {
				fmt.Fprint(h, m.Scene.Terrain.Open(x, y))
			}
		}
	}
	for _, r := range []*skirmish.Rules{skirmish.Liberty(), skirmish.Lite()} {
		for k := range r.Stats {
			if !slices.Contains(kinds, skirmish.Kind(k)) {
				r.Stats[k] = skirmish.Stats{}
			}
		}
		fmt.Fprintf(h, "%+v\n", *r)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
