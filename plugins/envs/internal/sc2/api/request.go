package api

import (
	"reflect"
	"regexp"
	"strings"
)

// Request is what a client asks of the game. One of the commands is set.
type Request struct {
	CreateGame  *CreateGame  `pb:"1"`
	JoinGame    *JoinGame    `pb:"2"`
	Quit        *Empty       `pb:"8"`
	GameInfo    *Empty       `pb:"9"`
	Observation *Empty       `pb:"10"`
	Action      *Actions     `pb:"11"`
	Step        *Step        `pb:"12"`
	SaveReplay  *Empty       `pb:"15"`
	Ping        *Empty       `pb:"19"`
	Debug       *DebugOrders `pb:"20"`
	ID          uint32       `pb:"97"` // comes back in the response
}

// Empty is a command without parameters, or an answer without content.
type Empty struct{}

// Player types, races and the difficulty that matter.
const (
	Participant int32 = 1
	Computer    int32 = 2

	Terran  int32 = 1
	Zerg    int32 = 2
	Protoss int32 = 3

	VeryHard int32 = 7
)

// CreateGame loads a map. It is valid before, during and after another game.
type CreateGame struct {
	Map        *LocalMap     `pb:"1"`
	Players    []PlayerSetup `pb:"3"`
	RandomSeed uint32        `pb:"5"`
	Realtime   bool          `pb:"6,always"`
}

// LocalMap is a map file. With Data the game does not open the file itself.
type LocalMap struct {
	Path string `pb:"1"` // below the game's folder of maps
	Data []byte `pb:"7"`
}

// PlayerSetup is one side of a game.
type PlayerSetup struct {
	Type       int32 `pb:"1"`
	Race       int32 `pb:"2"` // of a computer
	Difficulty int32 `pb:"3"`
}

// JoinGame makes the client the participant of the game that was created.
type JoinGame struct {
	Race    int32             `pb:"1"`
	Options *InterfaceOptions `pb:"3"`
}

// InterfaceOptions says what observations hold.
type InterfaceOptions struct {
	Raw   bool `pb:"1"` // lists of units
	Score bool `pb:"2,always"`
}

// Step advances the game by a number of loops of 1/16 s.
type Step struct {
	Count uint32 `pb:"1"`
}

// Actions are orders to units, carried out in their order.
type Actions struct {
	Actions []Action `pb:"1"`
}

// Action is one order.
type Action struct {
	Raw *ActionRaw `pb:"1"`
}

// ActionRaw is an order given without a user interface.
type ActionRaw struct {
	Command *UnitCommand `pb:"1"`
}

// Abilities of units, by the numbers that they have had in all versions.
const (
	Stop   int32 = 4
	Move   int32 = 16
	Attack int32 = 23
	Heal   int32 = 386
)

// UnitCommand makes units use an ability, at most on one target.
type UnitCommand struct {
	Ability    int32    `pb:"1"`
	TargetPos  *Point2D `pb:"2"`
	TargetUnit uint64   `pb:"3"`
	Units      []uint64 `pb:"4"`
	Queue      bool     `pb:"5,always"` // after the present order instead of at once
}

// Point2D is a place on the map in cells.
type Point2D struct {
	X float32 `pb:"1,always"`
	Y float32 `pb:"2,always"`
}

// DebugOrders change the game behind the players' backs.
type DebugOrders struct {
	Orders []DebugOrder `pb:"1"`
}

// DebugOrder is one such change.
type DebugOrder struct {
	Kill *KillUnits `pb:"4"`
}

// KillUnits makes units die at once.
type KillUnits struct {
	Tags []uint64 `pb:"1"`
}

// command is the name of the field that is set, the same in the answer, or "".
func (r *Request) command() string {
	v := reflect.ValueOf(*r)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			return v.Type().Field(i).Name
		}
	}
	return ""
}

var capital = regexp.MustCompile("(.)([A-Z])")

// Command is the protocol's name of the command that is set, or "" if none is.
func (r *Request) Command() string {
	return strings.ToLower(capital.ReplaceAllString(r.command(), "${1}_${2}"))
}
