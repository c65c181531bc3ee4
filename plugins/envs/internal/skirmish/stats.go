package skirmish

import "cmp"

// Stats are the properties of a unit type. Lengths are map cells, times seconds of
// the profile's clock, angles do not exist: units turn at once.
type Stats struct {
	Health, Shield float64 // maxima; units start with both full
	Armor          float64 // taken off every strike that reaches health
	Energy, Charge float64 // maximum, and what a unit starts with
	Regen          float64 // health per second

	Weapon       Weapon
	Damage       float64 // per strike
	Bonus        float64 // more damage per strike against units with a trait of BonusTo
	BonusTo      Trait
	Strikes      int     // strikes per attack
	StrikeGap    float64 // time from one strike to the next; 0: together
	Period       float64 // time from one attack to the next
	DamagePoint  float64 // time from the start of an attack to its first strike
	MissileSpeed float64 // cells per second; 0: the strike lands at once
	Range        float64 // between the edges of the two units
	Scan         float64 // smallest radius in which targets are noticed
	Hits         Plane   // the levels that the weapon reaches

	Speed      float64 // cells per second
	Radius     float64 // for ranges
	Separation float64 // for collisions
	Plane      Plane
	Traits     Trait
}

// Shared by all units that have shields or energy, in both profiles.
const (
	shieldDelay  = 10     // seconds after the last hit until a shield recharges
	shieldRate   = 2      // shield points per second
	energyRate   = 0.5625 // energy per second
	healRate     = 9      // health per second
	healPerPoint = 3      // health per point of energy
	healMinimum  = 5      // energy needed to begin with another patient
	blastRadius  = 2.2    // from the centre of a baneling to the edge of a victim
	beamWidth    = 2.8    // across the line of fire
	beamHeight   = 0.3    // along it
)

// Recovers bounds the health and shield that a unit gives back within a time in
// seconds: to itself or, if it heals, to others.
func (s *Stats) Recovers(seconds float64) float64 {
	sum := s.Regen * seconds
	if s.Shield > 0 {
		sum += shieldRate * max(seconds-shieldDelay, 0)
	}
	if s.Weapon == Heal {
		sum += healPerPoint * (s.Charge + energyRate*seconds)
	}
	return sum
}

// liberty lists the unit data of StarCraft II 4.6.2, module Liberty, in seconds of
// "normal" game speed. Where the data name no damage point, the game's default of
// 0.167 s applies.
func liberty() [Kinds]Stats {
	return [Kinds]Stats{
		Marine: {Health: 45, Damage: 6, Period: 0.8608, DamagePoint: 0.05, Range: 5, Scan: 5, Hits: Ground | Air,
			Speed: 2.25, Radius: 0.375, Separation: 0.375, Traits: Light},
		Marauder: {Health: 125, Armor: 1, Damage: 10, Bonus: 10, BonusTo: Armored, Period: 1.5, MissileSpeed: 20,
			Range: 6, Scan: 5, Hits: Ground, Speed: 2.25, Radius: 0.5625, Separation: 0.5, Traits: Armored},
		Medivac: {Health: 150, Armor: 1, Energy: 200, Charge: 50, Weapon: Heal, Range: 4, Scan: 5, Hits: Ground,
			Speed: 2.75, Radius: 0.75, Separation: 0.75, Plane: Air, Traits: Armored},
		Stalker: {Health: 80, Shield: 80, Armor: 1, Damage: 10, Bonus: 4, BonusTo: Armored, Period: 1.44,
			DamagePoint: 0.167, MissileSpeed: 18.75, Range: 6, Scan: 5, Hits: Ground | Air,
			Speed: 2.9531, Radius: 0.625, Separation: 0.625, Traits: Armored},
		Zealot: {Health: 100, Shield: 50, Armor: 1, Damage: 8, Strikes: 2, StrikeGap: 0.28, Period: 1.2,
			Range: 0.1, Scan: 5, Hits: Ground, Speed: 2.25, Radius: 0.5, Separation: 0.375, Traits: Light},
		Colossus: {Health: 200, Shield: 150, Armor: 1, Weapon: Beam, Damage: 20, Strikes: 2, Period: 2.2,
			DamagePoint: 0.0832, Range: 6, Scan: 5, Hits: Ground, Speed: 2.25, Radius: 1, Separation: 0.75, Traits: Armored},
		Hydralisk: {Health: 80, Regen: 0.2734, Damage: 12, Period: 0.83, DamagePoint: 0.208, MissileSpeed: 40,
			Range: 5, Scan: 5, Hits: Ground | Air, Speed: 2.25, Radius: 0.625, Separation: 0.5, Traits: Light},
		Zergling: {Health: 35, Regen: 0.2734, Damage: 5, Period: 0.696, DamagePoint: 0.167, Range: 0.1, Scan: 5,
			Hits: Ground, Speed: 2.9531, Radius: 0.375, Separation: 0.375, Traits: Light},
		Baneling: {Health: 30, Regen: 0.2734, Weapon: Blast, Damage: 20, Bonus: 15, BonusTo: Light, Period: 0.833,
			Range: 0.25, Scan: 5, Hits: Ground, Speed: 2.5, Radius: 0.375, Separation: 0.375},
		SpineCrawler: {Health: 300, Armor: 2, Regen: 0.2734, Damage: 25, Bonus: 5, BonusTo: Armored, Period: 1.6,
			DamagePoint: 0.3332, Range: 7, Scan: 5, Hits: Ground, Radius: 0.875, Separation: 0.875, Traits: Armored},
	}
}

// lite lists the unit data of SMAClite: speeds and periods of "faster" game speed
// on a clock of 16 ticks per second. SMAClite has no hydralisk; its row follows the
// same convention.
func lite() [Kinds]Stats {
	return [Kinds]Stats{
		Marine: {Health: 45, Damage: 6, Period: 0.61, Range: 5, Scan: 5, Hits: Ground | Air,
			Speed: 3.15, Radius: 0.375, Traits: Light},
		Marauder: {Health: 125, Armor: 1, Damage: 10, Bonus: 10, BonusTo: Armored, Period: 1.07, Range: 6, Scan: 5,
			Hits: Ground, Speed: 3.15, Radius: 0.5625, Traits: Armored},
		Medivac: {Health: 150, Armor: 1, Energy: 200, Charge: 50, Weapon: Heal, Range: 4, Scan: 5, Hits: Ground,
			Speed: 3.5, Radius: 0.75, Plane: Air, Traits: Armored},
		Stalker: {Health: 80, Shield: 80, Armor: 1, Damage: 13, Bonus: 5, BonusTo: Armored, Period: 1.34, Range: 6,
			Scan: 5, Hits: Ground | Air, Speed: 4.13, Radius: 0.625, Traits: Armored},
		Zealot: {Health: 100, Shield: 50, Armor: 1, Damage: 8, Strikes: 2, Period: 0.86, Range: 0.1, Scan: 5,
			Hits: Ground, Speed: 3.15, Radius: 0.5, Traits: Light},
		Colossus: {Health: 200, Shield: 150, Armor: 1, Weapon: Beam, Damage: 10, Bonus: 5, BonusTo: Light, Strikes: 2,
			Period: 1.07, Range: 7, Scan: 5, Hits: Ground, Speed: 3.15, Radius: 1, Traits: Armored},
		Hydralisk: {Health: 90, Regen: 0.38, Damage: 12, Period: 0.59, Range: 5, Scan: 5, Hits: Ground | Air,
			Speed: 3.15, Radius: 0.625, Traits: Light},
		Zergling: {Health: 35, Regen: 0.38, Damage: 5, Period: 0.497, Range: 0.1, Scan: 5, Hits: Ground,
			Speed: 4.13, Radius: 0.375, Traits: Light},
		Baneling: {Health: 30, Regen: 0.38, Weapon: Blast, Damage: 80, Period: 1, Range: 0.25, Scan: 5, Hits: Ground,
			Speed: 3.15, Radius: 0.375},
		SpineCrawler: {Health: 300, Armor: 2, Regen: 0.38, Damage: 25, Bonus: 5, BonusTo: Armored, Period: 1.32,
			Range: 7, Scan: 10, Hits: Ground, Radius: 0.5, Traits: Armored},
	}
}

// complete fills in what most rows share: one strike, life on the ground, and
// collisions at the radius itself.
func complete(rows [Kinds]Stats) [Kinds]Stats {
	for k := range rows {
		s := &rows[k]
		s.Strikes = cmp.Or(s.Strikes, 1)
		s.Plane = cmp.Or(s.Plane, Ground)
		s.Separation = cmp.Or(s.Separation, s.Radius)
	}
	return rows
}
