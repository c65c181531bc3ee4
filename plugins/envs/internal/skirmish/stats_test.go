package skirmish

import (
	"encoding/json"
	"os"
	"testing"
)

// entry is a unit with its weapon in the game's catalog. What is missing is 0.
type entry struct {
	LifeMax, ShieldsMax, LifeArmor, LifeRegenRate, EnergyMax, EnergyStart float64
	Speed, Radius, SeparationRadius                                       float64
	Amount, BonusArmored, BonusLight, Period, DamagePoint                 float64
	Range, MinScanRange, MaxSpeed                                         float64 // the last one of the missile
	Light, Armored                                                        bool
}

// The numbers of the game's rules are those of its catalog, version 4.6.2, core and
// Liberty. A medivac has no weapon there. The spine crawler's tentacle, which does not
// fly at a constant speed, counts as no missile.
func TestLibertyIsTheCatalog(t *testing.T) {
	raw, err := os.ReadFile("testdata/catalog_4.6.2.json")
	if err != nil {
		t.Fatal(err)
	}
	catalog := map[string]entry{}
	if err := json.Unmarshal(raw, &catalog); err != nil {
		t.Fatal(err)
	}
	for k, s := range Liberty().Stats {
		got := entry{
			LifeMax: s.Health, ShieldsMax: s.Shield, LifeArmor: s.Armor, LifeRegenRate: s.Regen, EnergyMax: s.Energy, EnergyStart: s.Charge,
			Speed: s.Speed, Radius: s.Radius, SeparationRadius: s.Separation,
			Light: s.Traits&Light != 0, Armored: s.Traits&Armored != 0,
		}
		if Kind(k) != Medivac {
			got.Amount, got.Period, got.DamagePoint = s.Damage, s.Period, s.DamagePoint
			got.Range, got.MinScanRange, got.MaxSpeed = s.Range, s.Scan, s.MissileSpeed
			got.BonusArmored, got.BonusLight = bonus(s, Armored), bonus(s, Light)
		}
		if want := catalog[Kind(k).String()]; got != want {
			t.Errorf("%s:\n%+v, in the catalog\n%+v", Kind(k), got, want)
		}
	}
}

func bonus(s Stats, to Trait) float64 {
	if s.BonusTo&to != 0 {
		return s.Bonus
	}
	return 0
}
