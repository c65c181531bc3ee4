package record

import (
	"fmt"

	"macpro/core/metrics"
)

// Kinds that readers choose by before they decode a row.
const (
	KindTaskStart   = "task_start"
	KindTest        = "test"
	KindTestEpisode = "test_episode"
	KindExpansion   = "expansion"
	KindBudget      = "budget"
)

// TaskStart opens the training of a task.
type TaskStart struct {
	At
	Index   int     `row:"index"` // of the task in the sequence
	Head    int     `row:"head"`  // in training from now on
	Heads   int     `row:"heads"` // saved so far
	Epsilon float64 `row:"epsilon"`
}

// TaskEnd closes the training of a task.
type TaskEnd struct {
	At
	Index        int                `row:"index"`
	Head         int                `row:"head"`
	Heads        int                `row:"heads"`
	TaskSteps    int64              `row:"task_steps"`    // transitions of this task
	FinalAverage map[string]float64 `row:"final_average"` // by mode, over the tasks so far
	// Stopped is the condition that ended the task before its budget was spent.
	Stopped string `row:"stopped,omitempty"`
}

// Plasticity says how able to learn the networks are at the end of a task.
type Plasticity struct {
	At
	Index   int      `row:"index"`
	Steps   int      `row:"steps"`           // transitions that the units were seen on
	Dormant float64  `row:"dormant"`         // see metrics.Dormant, tau .025
	Rank    *int     `row:"rank,omitempty"`  // of phi's features, see metrics.EffectiveRank, delta .01
	Norm    float64  `row:"norm"`            // Euclidean norm of phi's parameters
	Drift   *float64 `row:"drift,omitempty"` // Euclidean distance of phi from the last task's end
}

// Train holds means over the training episodes since the last such row.
type Train struct {
	At
	Episodes      int64   `row:"episodes"`
	ReturnMean    float64 `row:"return_mean"`
	LengthMean    float64 `row:"length_mean"`
	WinRate       float64 `row:"win_rate"`
	GradientSteps int64   `row:"gradient_steps"`
	Epsilon       float64 `row:"epsilon"`
	Head          int     `row:"head"`
	Heads         int     `row:"heads"`
	*Gradients            // nil without a gradient step
}

// Gradients are means over gradient steps, see core.TrainStats.
type Gradients struct {
	Loss      float64 `row:"loss"`
	TDLoss    float64 `row:"td_loss"`
	Penalty   float64 `row:"penalty"`
	ValueLoss float64 `row:"value_loss,omitempty"`
	TDAbs     float64 `row:"td_abs"`
	QTaken    float64 `row:"q_taken"`
	Target    float64 `row:"target"`
	GradNorm  float64 `row:"grad_norm"`
	Clip      float64 `row:"clip"`
}

// Test is one test of a task in a mode, after the rows of its episodes.
type Test struct {
	At
	Mode     string  `row:"mode,required"`
	Index    int     `row:"index,required"` // of the task in the sequence, -1 outside of it
	Seen     bool    `row:"seen"`           // the task's training has begun
	Episodes int     `row:"episodes"`
	Score    float64 `row:"score,required"` // in [0,1], as the task defines it
	TestStats
	// After is the number of tasks that were trained before a test that fills a row
	// of the score matrix, nil for other tests.
	After *int           `row:"after,omitempty"`
	Extra map[string]any `row:"*"` // what the method adds
}

// TestStats are means over the episodes of a test.
type TestStats struct {
	ReturnMean metrics.Number `row:"return_mean" json:"return_mean"`
	ReturnStd  metrics.Number `row:"return_std" json:"return_std"` // population standard deviation
	WinRate    metrics.Number `row:"win_rate" json:"win_rate"`
	LengthMean metrics.Number `row:"length_mean" json:"length_mean"`
	// HeadAccuracy is the share of agents that acted with the head of their task,
	// nil where that is not defined.
	HeadAccuracy  *float64 `row:"head_accuracy,omitempty" json:"head_accuracy"`
	ProbeEpisodes int64    `row:"probe_episodes,omitempty" json:"probe_episodes"`
	ProbeSteps    int64    `row:"probe_steps,omitempty" json:"probe_steps"`
}

// TestEpisode is one episode of a test.
type TestEpisode struct {
	At
	Mode string `row:"mode"`
	Played
	// TaskIndex is Repeated of the task.
	TaskIndex *int `row:"task_index,omitempty"`
}

// Played is what came out of an episode.
type Played struct {
	Index  int     `row:"index" json:"index"` // of the episode in its test
	Seed   string  `row:"seed" json:"seed"`   // see SeedText
	Return float64 `row:"return" json:"return"`
	Length int     `row:"length" json:"length"` // transitions
	Won    bool    `row:"won" json:"won"`
	// Heads [n] are those of the last step, -1 is the live head; nil if all are.
	Heads []int32 `row:"heads,omitempty" json:"heads,omitempty"`
}

// SeedText prints an episode's seed; a JSON number would lose its last bits in
// many readers.
func SeedText(seed uint64) string { return fmt.Sprintf("%#016x", seed) }

// Expansion is the decision at a task's start: a new head, or merging with the
// group of an old one.
type Expansion struct {
	At
	Index    int            `row:"index"`
	Decision string         `row:"decision"` // first, new or merge
	Head     int            `row:"head"`
	Heads    int            `row:"heads"`
	Extra    map[string]any `row:"*"` // what decided, such as distances
}

// Border is a change of the task that a method suspects where boundaries are hidden.
type Border struct {
	At
	Found  bool           `row:"found"`  // the method goes on as in a new task; else it has thought better of it
	Number int64          `row:"number"` // of the borders found so far, this one included
	Extra  map[string]any `row:"*"`      // what made it suspicious
}

// Alarm tells of something that a user should look at.
type Alarm struct {
	At
	Reason string         `row:"reason"`
	Extra  map[string]any `row:"*"`
}

// Reasons of the runner's own alarms.
const (
	AlarmInflation = "q_inflation" // Q_tot has become detached from the returns
	AlarmDiverged  = "diverged"    // the run ends: its numbers are no longer finite
)

// Latents are the contexts of one task. The tasks of one dump follow each other.
type Latents struct {
	At
	When         string        `row:"when"`
	Head         int           `row:"head"`
	ContextSteps int64         `row:"context_steps"`
	G            [][]float32   `row:"g"`       // [episodes][z]
	F            [][][]float32 `row:"f"`       // [episodes][agents][z]
	Lengths      []int         `row:"lengths"` // [episodes], transitions
	TaskIndex    *int          `row:"task_index,omitempty"`
}

// Checkpoint says that a checkpoint follows.
type Checkpoint struct {
	At
	Reason string `row:"reason"`
}

// Budget says that a run was resumed with a longer budget.
type Budget struct {
	At
	Steps []int64 `row:"steps"` // transitions of every task from now on
}

// Final closes the journal of a run with its result.
type Final struct {
	At
	Outcome
}
