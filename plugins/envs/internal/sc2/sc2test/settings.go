package sc2test

import (
	"encoding/json"
	"os"
	"time"

	"macpro/plugins/envs/internal/skirmish"
)

// Settings say how the stand-in behaves.
type Settings struct {
	Profile   string  // rules: sc2 (also if empty) or smaclite
	Float32   bool    // positions in single precision, as they are on the wire
	Build     int     // what it calls itself; 0: as its folder says
	Noise     float64 // largest random shift of a starting position on either axis
	ByteGrid  bool    // the grid of walkable cells in the form of old versions
	Late      int     // game loops until the last unit of a squad appears
	Reversed  bool    // units are listed the other way round after an episode's first step
	Short     bool    // one enemy too few, for good
	OwnType   uint32  // every agent is of this type; 0: as in the maps
	Silent    bool    // request ids are not echoed
	DeadEnd   int     // exits at once with this code
	NotFound  int     // so many connections are answered with 404 first
	Deaf      time.Duration
	Mute      bool // takes connections and never answers
	Stubborn  bool // neither quits nor heeds signals
	Faults    []Fault
	Unlimited bool // faults in every process, not only in the first
}

// Fault is something that goes wrong at the nth request of a kind, from 1.
type Fault struct {
	Command string
	Nth     int
	Do      string
}

// What a Fault can do.
const (
	Cut     = "cut"     // the connection breaks before the answer
	Hang    = "hang"    // no answer, ever
	Exit    = "exit"    // the program ends
	Refuse  = "refuse"  // an error for an answer
	Garbage = "garbage" // bytes that are no message
	Text    = "text"    // a text message
	Stale   = "stale"   // the answer to another request
	End     = "end"     // the match ends with this request
)

// variable is how the settings reach the program.
const variable = "MACPRO_SC2_STAND_IN"

func (s Settings) encode() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain data
	}
	return string(b)
}

// rules of the fights.
func (s Settings) rules() *skirmish.Rules {
	r := skirmish.Liberty()
	if s.Profile == "smaclite" {
		r = skirmish.Lite()
	}
	r.Float32 = r.Float32 || s.Float32
	r.SpawnNoise = s.Noise
	return r
}

// Main turns the process into the stand-in if it was started as one, and does not
// return then.
func Main() {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	var s Settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(err)
	}
	os.Exit(run(s, os.Args[1:]))
}
