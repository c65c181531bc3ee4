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
// maps. Who changes one of these raises the version of all three families, so
// that results from before and after are not mixed, and notes the new numbers here.
func TestVersionStandsForTheNumbers(t *testing.T) {
	const numbers = "a4a503edd0748392"
	versions := map[string]string{"marines": "2", "sz": "3", "smac": "3"}
	h := sha256.New()
	fmt.Fprintf(h, "%+v\n%+v\n", *skirmish.Liberty(), *skirmish.Lite())
	for _, m := range slices.Concat(battle.Marines, battle.StalkersZealots, battle.Standard) {
		fmt.Fprintln(h, m.Name, m.Limit, m.Scene.Groups, m.Scene.Goal)
		for y := range skirmish.MapSize {
			for x := range skirmish.MapSize {
				fmt.Fprint(h, m.Scene.Terrain.Open(x, y))
			}
		}
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != numbers {
		t.Errorf("the numbers of rules and maps are %s, those of versions %v were %s", got, versions, numbers)
	}
	for _, p := range []core.EnvPlugin{marines.Plugin, sz.Plugin, smac.Plugin} {
		if i := p.Info(); i.Version != versions[i.Name] {
			t.Errorf("%s has version %s, want %s", i.Name, i.Version, versions[i.Name])
		}
	}
}
