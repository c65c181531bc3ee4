package read

import (
	"fmt"
	"path/filepath"
	"time"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/store"
)

// Summary is what tables and figures need of one run. Its JSON form is the
// file that is committed beside a table. Scores lie in [0,1]; times are
// training transitions.
type Summary struct {
	Format   int           `json:"format"`
	ID       string        `json:"id"`
	Name     string        `json:"name,omitempty"` // that the user gave, see store.Manifest
	Created  time.Time     `json:"created"`
	Status   record.Status `json:"status"`
	Alg      string        `json:"alg"`
	Env      string        `json:"env"`
	Learner  string        `json:"learner"`
	Ablation string        `json:"ablation,omitempty"`
	Sequence string        `json:"sequence"`
	Seed     int64         `json:"seed"`

	ConfigHash string         `json:"config_hash"`
	GroupHash  string         `json:"group_hash"`
	EnvHash    string         `json:"env_hash"`
	Versions   store.Versions `json:"versions"`
	// Settings is the whole configuration by dotted key, values as YAML text.
	Settings map[string]string `json:"settings"`
	// Unhashed are the keys at their neutral values, which the hashes leave out.
	// An older run of the same plugins may lack them. See Value.
	Unhashed []string `json:"unhashed,omitempty"`
	// Overridden are the keys with other values than the profile's. nil is unknown.
	Overridden []string `json:"overridden,omitempty"`

	Tasks []string `json:"tasks"`
	Modes []string `json:"modes"` // the first is the method's own
	// R and Metrics are the score matrix and the measures by mode; nil until the
	// run is done.
	R       map[string]metrics.Matrix  `json:"r,omitempty"`
	Metrics map[string]metrics.Summary `json:"metrics,omitempty"`
	// Curves holds the tests by mode and task.
	Curves map[string][]metrics.Curve `json:"curves"`
	Starts []int64                    `json:"starts"` // of each task that has begun
	Ends   []int64                    `json:"ends"`   // of each task that has ended
	Heads  []HeadPoint                `json:"heads,omitempty"`
	// Choices counts, by mode, in the last test of each task, how often each
	// head acted for an agent: [task][head].
	Choices    map[string][][]int `json:"choices,omitempty"`
	TaskHeads  []int              `json:"task_heads,omitempty"`
	Expansions []Expansion        `json:"expansions,omitempty"`
	Borders    []int64            `json:"borders,omitempty"` // that the method has found by itself, in t_env
	Latents    []Dump             `json:"latents,omitempty"`
	Plasticity []Plasticity       `json:"plasticity,omitempty"`

	TEnv          int64            `json:"t_env"`
	Total         int64            `json:"total"` // transitions of the whole run
	WallS         float64          `json:"wall_s"`
	TestSteps     int64            `json:"test_env_steps"`
	MethodSteps   map[string]int64 `json:"method_env_steps,omitempty"`
	GradientSteps int64            `json:"gradient_steps"`
	Alarms        int              `json:"alarms"`
	// PeakQRatio is the largest mean Q_tot as a multiple of the largest return; 0 is
	// unknown, as in a run that is not done.
	PeakQRatio float64 `json:"peak_q_ratio,omitempty"`
	// Bytes are the sizes of the parts of the newest checkpoint; nil is unknown.
	Bytes   map[string]int64 `json:"bytes,omitempty"`
	Damaged []string         `json:"damaged,omitempty"` // lines of the journal that were skipped

	// Evaluations are tests of the finished networks on further tasks or with
	// other settings.
	Evaluations []record.Evaluation `json:"evaluations,omitempty"`

	// Now is how a run goes on.
	Now Now `json:"-"`

	neutral map[string]string // values of keys that came after this run; see Set.fill
	notes   []string          // about evaluations that were left out

	// Dir is the run's folder, "" when the summary was read from a file.
	Dir string `json:"-"`
}

// Format is that of summary files, raised when the meaning of a field changes.
const Format = 1

// Now is what the newest rows of training tell; NaN is unknown.
type Now struct {
	Loss, Epsilon float64
	Speed         float64 // transitions a second over the newest rows, 0 if unknown
}

// HeadPoint is the number of saved heads from time T on.
type HeadPoint struct {
	T     int64 `json:"t"`
	Heads int   `json:"heads"`
}

// Expansion is the decision at a task's start: a new head, or merging with the
// group of an old one.
type Expansion struct {
	T        int64          `json:"t"`
	Task     string         `json:"task"`
	Decision string         `json:"decision"`
	Head     int            `json:"head"`
	Details  map[string]any `json:"details,omitempty"` // the distances that decided
}

// Plasticity says how able to learn the networks were at the end of a task; see
// record.Plasticity. What was not measured is NaN.
type Plasticity struct {
	T       int64          `json:"t"`
	Index   int            `json:"index"` // of the task
	Dormant metrics.Number `json:"dormant"`
	Rank    metrics.Number `json:"rank"`
	Norm    metrics.Number `json:"norm"`
	Drift   metrics.Number `json:"drift"`
}

// Own is the method's own test mode.
func (s *Summary) Own() string {
	if len(s.Modes) == 0 {
		return ""
	}
	return s.Modes[0]
}

// Profile and Compat are the overlays that the run was made with.
func (s *Summary) Profile() string { return s.Settings["profile"] }

// Compat is the compatibility overlay of the run.
func (s *Summary) Compat() string { return s.Settings["compat"] }

// Inflation says how far the mean Q_tot rose above the largest return; "" if no alarm
// (record.AlarmInflation) was raised.
func (s *Summary) Inflation() string {
	switch {
	case s.Alarms == 0:
		return ""
	case s.PeakQRatio > 0:
		return fmt.Sprintf("the mean Q_tot reached %.3g times the largest return", s.PeakQRatio)
	}
	return "the mean Q_tot rose above " + s.Settings["q_alarm_factor"] + " times the largest return"
}

// FinalRow lists the final scores R[M] by task in a mode; nil if the run has none.
func (s *Summary) FinalRow(mode string) []float64 {
	r, ok := s.R[mode]
	if !ok || r.Check() != nil || r.Tasks() != len(s.Tasks) {
		return nil
	}
	return r[r.Tasks()]
}

// Average is A(t), the mean score over the tasks that were started by time t.
func (s *Summary) Average(mode string, t int64) float64 {
	return metrics.AverageSeen(s.Curves[mode], s.Starts, t)
}

// Spans are the times [2] in which the tasks were trained, of those that have ended.
func (s *Summary) Spans() [][2]int64 {
	out := make([][2]int64, min(len(s.Starts), len(s.Ends)))
	for i := range out {
		out[i] = [2]int64{s.Starts[i], s.Ends[i]}
	}
	return out
}

// SpeedLoss is the loss of learning speed over repeats in a mode; see metrics.SpeedLoss.
func (s *Summary) SpeedLoss(mode string) float64 {
	return metrics.SpeedLoss(s.Tasks, s.Curves[mode], s.Spans())
}

// ParseSummary reads the JSON form; name is the file's name for messages.
func ParseSummary(name string, data []byte) (*Summary, error) {
	var s Summary
	if err := names.DecodeJSON(data, &s); err != nil {
		return nil, fmt.Errorf("%s is not the summary of a run: %w", name, err)
	}
	switch {
	case s.Format != Format:
		return nil, fmt.Errorf("%s is not the summary of a run in format %d", name, Format)
	case s.ID == "":
		return nil, fmt.Errorf("%s: the id of the run is missing", name)
	case filepath.Base(s.ID) != s.ID || s.ID == "..":
		return nil, fmt.Errorf("%s: %q cannot be the id of a run", name, s.ID)
	}
	for mode, curves := range s.Curves {
		if len(curves) != len(s.Tasks) {
			return nil, fmt.Errorf("%s: mode %s has %d curves for %d tasks", name, mode, len(curves), len(s.Tasks))
		}
	}
	return &s, nil
}
