package api

import (
	"fmt"
	"reflect"
)

// Status is the state of the game program.
type Status int32

// The states.
const (
	Launched Status = 1 + iota
	InitGame
	InGame
	InReplay
	Ended
	Exiting
)

var statusNames = [...]string{"unknown", "launched", "init_game", "in_game", "in_replay", "ended", "quit"}

// String returns the state's name in the protocol.
func (s Status) String() string {
	if s > 0 && int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status %d", int32(s))
}

// Response is the game's answer to one Request. The field of the request's command
// is set; without it Errors say what was wrong, with it they are warnings.
type Response struct {
	CreateGame  *Created      `pb:"1"`
	JoinGame    *Joined       `pb:"2"`
	Quit        *Empty        `pb:"8"`
	GameInfo    *GameInfo     `pb:"9"`
	Observation *Observed     `pb:"10"`
	Action      *ActionResult `pb:"11"`
	Step        *Stepped      `pb:"12"`
	SaveReplay  *Replay       `pb:"15"`
	Ping        *Pong         `pb:"19"`
	Debug       *Empty        `pb:"20"`
	ID          uint32        `pb:"97"` // 0 from games that do not echo it
	Errors      []string      `pb:"98"`
	Status      Status        `pb:"99"`
}

// Answers reports whether the field of the request's command is set.
func (r *Response) Answers(q *Request) bool {
	name := q.command()
	return name != "" && !reflect.ValueOf(*r).FieldByName(name).IsNil()
}

// Created answers CreateGame. Error is 0 if all went well.
type Created struct {
	Error   int32  `pb:"1"`
	Details string `pb:"2"`
}

// CreateErrors names the values of Created.Error.
var CreateErrors = []string{"", "MissingMap", "InvalidMapPath", "InvalidMapData", "InvalidMapName", "InvalidMapHandle",
	"MissingPlayerSetup", "InvalidPlayerSetup", "MultiplayerUnsupported"}

// Joined answers JoinGame. Error is 0 if all went well.
type Joined struct {
	Player  uint32 `pb:"1"`
	Error   int32  `pb:"2"`
	Details string `pb:"3"`
}

// JoinErrors names the values of Joined.Error.
var JoinErrors = []string{"", "MissingParticipation", "InvalidObservedPlayerId", "MissingOptions", "MissingPorts", "GameFull",
	"LaunchError", "FeatureUnsupported", "NoSpaceForUser", "MapDoesNotExist", "CannotOpenMap", "ChecksumError",
	"NetworkError", "OtherError"}

// GameInfo is what never changes during a game.
type GameInfo struct {
	MapName string    `pb:"1"`
	Start   *StartRaw `pb:"4"`
}

// StartRaw describes the map.
type StartRaw struct {
	MapSize  *Size2D    `pb:"1"`
	Pathing  *ImageData `pb:"2"`
	Playable *Rectangle `pb:"5"`
}

// Size2D is a width and a height in cells.
type Size2D struct {
	X int32 `pb:"1"`
	Y int32 `pb:"2"`
}

// ImageData is a grid of cells.
type ImageData struct {
	Bits int32   `pb:"1"` // per cell
	Size *Size2D `pb:"2"`
	Data []byte  `pb:"3"`
}

// Rectangle is an area between two corners.
type Rectangle struct {
	P0 *PointI `pb:"1"`
	P1 *PointI `pb:"2"`
}

// PointI is the place of a cell.
type PointI struct {
	X int32 `pb:"1"`
	Y int32 `pb:"2"`
}

// Observed is a snapshot of the game.
type Observed struct {
	Observation *Observation   `pb:"3"`
	Results     []PlayerResult `pb:"4"` // only once the game has ended
}

// PlayerResult says how a game ended for a player.
type PlayerResult struct {
	Player uint32 `pb:"1"`
	Result int32  `pb:"2"`
}

// Observation is what a player sees.
type Observation struct {
	Raw  *ObservationRaw `pb:"5"`
	Loop uint32          `pb:"9"`
}

// ObservationRaw lists the units that are alive.
type ObservationRaw struct {
	Units []Unit `pb:"2"`
}

// Unit is one unit of a player. Cooldown, in game loops, is known of own units only.
type Unit struct {
	Tag       uint64  `pb:"3"` // its own for the whole game
	Type      uint32  `pb:"4"`
	Owner     int32   `pb:"5"`
	Pos       *Point  `pb:"6"`
	Radius    float32 `pb:"8"`
	Health    float32 `pb:"14"`
	HealthMax float32 `pb:"15"`
	Shield    float32 `pb:"16"`
	Energy    float32 `pb:"17"`
	Cooldown  float32 `pb:"30"`
	ShieldMax float32 `pb:"36"`
}

// Point is a place in cells.
type Point struct {
	X float32 `pb:"1"`
	Y float32 `pb:"2"`
	Z float32 `pb:"3"`
}

// ActionResult answers Actions: for each order 1 if it was taken, else why not.
type ActionResult struct {
	Results []int32 `pb:"1"`
}

// Accepted is the result of an order that was taken.
const Accepted int32 = 1

// Stepped answers Step with the number of loops since the game began.
type Stepped struct {
	Loop uint32 `pb:"1"`
}

// Replay is a file from which the game can show itself again.
type Replay struct {
	Data []byte `pb:"1"`
}

// Pong tells which game answers.
type Pong struct {
	GameVersion string `pb:"1"`
	DataVersion string `pb:"2"`
	DataBuild   uint32 `pb:"3"`
	BaseBuild   uint32 `pb:"4"`
}
