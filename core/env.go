package core

import (
	"errors"
	"fmt"
)

// EnvPlugin is the contract of an environment family.
type EnvPlugin interface {
	Info() Info
	// Tasks lists the family's tasks under the given settings.
	Tasks(s Settings) (TaskList, error)
	// Open makes lanes independent instances of one task. An unknown task is an
	// error that names the nearest known one.
	Open(task string, lanes int, s Settings) (Env, error)
}

// TaskList names the tasks of an environment family.
type TaskList struct {
	// Sequences holds the training sequences by name; "train" is the default.
	Sequences map[string][]string
	// Generalization lists the tasks that are only ever tested.
	Generalization []string
	// Absent holds sequences that the family has with other settings only: by name what
	// to set, as the end of an error, such as "set env_args.maps to their number".
	Absent map[string]string
	// Params holds, for every task named above, its constants in reading order.
	Params map[string][]Param
}

// Param is one printable constant of a task.
type Param struct{ Name, Value string }

// Score says how a task's episodes are scored in [0,1].
type Score string

// The two scores of the paper: mean test return (LBF, PP), win rate (SMAC).
const (
	ScoreReturn  Score = "return"
	ScoreWinRate Score = "win_rate"
)

// EnvSpec describes one task: shapes, limits and the score.
type EnvSpec struct {
	Env, Task  string
	Agents     int // n
	Actions    int // A
	ObsWidth   int // o, floats in one agent's observation
	StateWidth int // S, floats in the central state
	Limit      int // longest episode in transitions
	Score      Score
	MaxReturn  float64 // largest possible undiscounted episode return
	// Entities is the layout of observation and state for attention networks;
	// nil for environments with flat features.
	Entities *Entities
	// Hash is a SHA-256 (hex) over every constant that can change a result.
	Hash string
}

// Entities says how an observation and a state are cut into entities.
//
// Observation: move features, then Enemies rows of EnemyObs features, then
// Agents-1 rows of AllyObs features, then OwnObs features. State: Agents rows
// of AllyState, Enemies rows of EnemyState, then Agents rows of one-hot last
// actions. Action NonAttack+j attacks enemy j; the first NonAttack actions
// concern no enemy.
type Entities struct {
	NonAttack             int
	Move, OwnObs          int
	Enemies               int
	EnemyObs, AllyObs     int
	EnemyState, AllyState int
}

// Env steps a vector of independent instances of one task. Lanes share nothing:
// what happens in one never depends on another. An Env is used by one goroutine
// at a time.
type Env interface {
	Spec() EnvSpec
	// Reset starts a new episode in each listed lane. seeds[i] belongs to
	// lanes[i] and is the only source of randomness of that episode: equal
	// seeds and actions give equal episodes, whatever happened before.
	// It writes Obs, State and Avail of those lanes.
	Reset(lanes []int, seeds []uint64, f *Frame) error
	// Step advances each listed lane by one joint action, read from
	// actions[lane*n : (lane+1)*n], and writes all of the lane's fields in f.
	// An unavailable action is an error that names lane, agent and action, and
	// so is a lane without a running episode. A refused call changes nothing.
	Step(lanes []int, actions []int32, f *Frame) error
	Close() error
}

// Frame holds what the lanes of an Env show. The caller owns it; rows are
// indexed by lane, whichever lanes a call lists.
type Frame struct {
	Obs    []float32 // [lanes, n, o]
	State  []float32 // [lanes, S]
	Avail  []uint8   // [lanes, n, A], 1 where the action is available
	Reward []float32 // [lanes], team reward of the last step
	// Terminated: a true terminal state was reached. Truncated: the episode was
	// cut by the time limit. If both hold in one step only Terminated is set.
	Terminated, Truncated []bool // [lanes]
	Won                   []bool // [lanes], success at the episode's end
}

// NewFrame makes a frame for the lanes of one task.
func NewFrame(s EnvSpec, lanes int) *Frame {
	return &Frame{
		Obs:        make([]float32, lanes*s.Agents*s.ObsWidth),
		State:      make([]float32, lanes*s.StateWidth),
		Avail:      make([]uint8, lanes*s.Agents*s.Actions),
		Reward:     make([]float32, lanes),
		Terminated: make([]bool, lanes),
		Truncated:  make([]bool, lanes),
		Won:        make([]bool, lanes),
	}
}

// Check is an error unless the frame is one of NewFrame for lanes lanes of the task. It
// names the first field that is not, with both lengths.
func (f *Frame) Check(s EnvSpec, lanes int) error {
	if f == nil {
		return errors.New("there is no frame")
	}
	rows := lanes * s.Agents
	for _, c := range [...]struct {
		field     string
		has, want int
	}{
		{"Obs", len(f.Obs), rows * s.ObsWidth}, {"State", len(f.State), lanes * s.StateWidth},
		{"Avail", len(f.Avail), rows * s.Actions}, {"Reward", len(f.Reward), lanes},
		{"Terminated", len(f.Terminated), lanes}, {"Truncated", len(f.Truncated), lanes}, {"Won", len(f.Won), lanes},
	} {
		if c.has != c.want {
			return fmt.Errorf("the frame has %d values in %s, want %d", c.has, c.field, c.want)
		}
	}
	return nil
}
