package record

import "macpro/core/metrics"

// Result is what a run has come to, the content of final.json.
type Result struct {
	Env     string `json:"env"`
	Learner string `json:"learner"`
	Method  string `json:"method"`
	Seed    int64  `json:"seed"`
	// Finished is false for a run that was stopped.
	Finished bool `json:"finished"`
	Outcome
	Speed
}

// Outcome is the part of a result that depends on nothing but the configuration.
type Outcome struct {
	Tasks []string `json:"tasks" row:"tasks"`
	Modes []string `json:"modes" row:"modes"` // the first is the method's own
	// R is the score matrix by mode, FinalAverage the mean of its last row.
	R            map[string]metrics.Matrix  `json:"r" row:"r"`
	FinalAverage map[string]metrics.Number  `json:"final_average" row:"final_average"`
	Metrics      map[string]metrics.Summary `json:"metrics" row:"metrics"`
	// TaskHeads is the head of each begun task, nil for one-head methods; Heads
	// is the number of saved heads.
	TaskHeads []int `json:"task_heads,omitempty" row:"task_heads"`
	Heads     int   `json:"heads" row:"heads"`
	// Alarms is how often the mean Q_tot rose above q_alarm_factor times the
	// largest return; PeakQRatio is its largest multiple of that return.
	Alarms     int     `json:"alarms" row:"alarms"`
	PeakQRatio float64 `json:"peak_q_ratio" row:"peak_q_ratio"`

	TrainEnvSteps int64 `json:"train_env_steps" row:"train_env_steps"` // transitions
	TestEnvSteps  int64 `json:"test_env_steps" row:"test_env_steps"`
	// MethodEnvSteps are those of episodes that the method asked for, by
	// purpose ("probe", "identify", ...).
	MethodEnvSteps map[string]int64 `json:"method_env_steps" row:"method_env_steps"`
	Episodes       int64            `json:"episodes" row:"episodes"`
	GradientSteps  int64            `json:"gradient_steps" row:"gradient_steps"`
	ContextSteps   int64            `json:"context_steps" row:"context_steps"`
}

// Speed concerns the last process of a run only: since its training began.
type Speed struct {
	WallS             float64 `json:"wall_s"`
	TrainEnvStepsPerS float64 `json:"train_env_steps_per_s"`
	PeakRSSBytes      int64   `json:"peak_rss_bytes"`
}
