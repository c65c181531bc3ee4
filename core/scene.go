package core

// Painter is the optional ability of an Env to show the state of a lane to a
// person.
type Painter interface {
	// Paint fills an empty scene with the present state of a lane that was reset.
	// It changes nothing else; after an episode's end it shows the last state.
	Paint(lane int, s *Scene)
}

// Scene is a picture in the environment's own units, x to the right and y
// upwards. What it means decides how it is drawn: an Env names roles, not
// colours.
type Scene struct {
	Left, Bottom, Right, Top float64 // the visible rectangle
	// Board scenes consist of cells of width 1; every thing fills the cell around
	// its centre, so that they can be shown as text.
	Board  bool
	Things []Thing // those in the back first
	// Words name what the roles are here, by Role; "" is the usual word.
	Words [4]string
	// Actions names the actions of agents; those beyond it have their number.
	Actions []string
	// Note says what the last step brought about, or is empty.
	Note string
}

// Role is what a thing is to the team.
type Role uint8

// The roles.
const (
	Obstacle Role = iota
	Goal          // what the team wants to reach
	Mate          // an agent of the team
	Foe           // whom the team is against
)

// Thing is something with a place in a scene.
type Thing struct {
	Role         Role
	Agent        int // number of the agent, for a Mate
	Round        bool
	X, Y         float64 // centre
	HalfX, HalfY float64 // half its width and height; of a round thing HalfX is the radius
	Label        string  // one to three letters; without one, an agent is lettered with its number
	// Health and Shield are shares of the full measure. They are shown if Living is
	// true; Gone things have lost their life and are only hinted at.
	Living, Gone   bool
	Health, Shield float64
	Aims           bool // at the point Aim
	AimX, AimY     float64
}
