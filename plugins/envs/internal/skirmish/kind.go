package skirmish

import "fmt"

// Kind is a unit type.
type Kind uint8

// The unit types that occur in SMAC maps.
const (
	Marine Kind = iota
	Marauder
	Medivac
	Stalker
	Zealot
	Colossus
	Hydralisk
	Zergling
	Baneling
	SpineCrawler

	// Kinds is the number of unit types.
	Kinds = iota
)

var kindNames = [Kinds]string{
	"marine", "marauder", "medivac", "stalker", "zealot", "colossus",
	"hydralisk", "zergling", "baneling", "spine crawler",
}

// String returns the unit type's name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Team is a side of the battle.
type Team uint8

// The two sides. Allies act only on orders; enemies attack-move by themselves.
const (
	Allies Team = iota
	Enemies
)

func (t Team) other() Team { return 1 - t }

// Plane is a set of height levels; a unit lives on exactly one of them.
type Plane uint8

// The two height levels. Units of different levels do not collide.
const (
	Ground Plane = 1 << iota
	Air
)

// Trait is a set of attributes that damage bonuses refer to.
type Trait uint8

// The attributes.
const (
	Light Trait = 1 << iota
	Armored
)

// Weapon says what happens when a unit strikes.
type Weapon uint8

// The weapons.
const (
	// Direct hits the target alone.
	Direct Weapon = iota
	// Blast kills the unit itself and hits every opponent near it.
	Blast
	// Beam hits every opponent on a short line through the target, across the
	// line of fire.
	Beam
	// Heal restores a comrade's health at the cost of energy.
	Heal
)
