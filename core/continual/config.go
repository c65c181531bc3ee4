package continual

import (
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/budget"
	"macpro/core/config"
)

// Config holds the keys of the training loop that all runs share. Counts of
// steps are training transitions.
type Config struct {
	Seed     int64    `cfg:"seed" help:"root of all random streams of the run"`
	Sequence string   `cfg:"sequence" help:"name of the environment's task sequence that is trained"`
	Tasks    []string `cfg:"tasks" help:"tasks to train instead of the sequence, in this order; empty uses the sequence"`
	Repeat   int      `cfg:"sequence_repeat" min:"1" max:"10000" neutral:"1" help:"rounds in which the tasks are trained, one after the other"`
	Shuffle  bool     `cfg:"sequence_shuffle" neutral:"false" help:"draw the order of the tasks, anew in every round"`
	Order    int64    `cfg:"sequence_seed" neutral:"1" only:"sequence_shuffle=true" help:"root of the stream of the drawn orders; runs with other seeds share them"`
	Borders  string   `cfg:"boundaries" enum:"told,hidden" neutral:"told" help:"whether method and learner hear when the task changes: told or hidden"`
	budget.Budget
	StopWhen string `cfg:"stop_when" neutral:"none" help:"end a task before its budget is spent, as in score>=0.95 x3: after three tests in a row with that score in the method's own test mode; none never does"`

	From     string `cfg:"from" neutral:"none" help:"networks that the run starts with, as run --from writes it: ID@STEP:SHA256, or none"`
	Extended []int  `cfg:"extended" neutral:"[]" min:"1" help:"numbers of tasks after which macpro extend added further ones: tests at the ends of tasks before leave those out"`

	EpsilonStart      float64 `cfg:"epsilon_start" min:"0" max:"1" help:"probability of a random action at the start"`
	EpsilonFinish     float64 `cfg:"epsilon_finish" min:"0" max:"1" help:"probability of a random action after the decay"`
	EpsilonAnnealTime int64   `cfg:"epsilon_anneal_time" min:"0" help:"transitions of the linear decay of epsilon"`
	ResetEpsilon      bool    `cfg:"reset_epsilon" help:"start the decay anew with every task"`
	ExploreSticky     float64 `cfg:"explore_sticky" min:"0" max:"1" help:"probability that an exploring agent repeats its last action"`

	EnvsPerRollout       int   `cfg:"envs_per_rollout" min:"1" max:"1024" help:"training episodes that are played side by side"`
	BatchSize            int   `cfg:"batch_size" min:"1" help:"episodes in a gradient step"`
	BufferSize           int   `cfg:"buffer_size" min:"1" help:"episodes in the replay buffer D"`
	TrainStepsPerEpisode int   `cfg:"train_steps_per_episode" min:"1" help:"gradient steps per training episode"`
	TargetUpdateInterval int64 `cfg:"target_update_interval" min:"1" help:"episodes between copies of the online into the target networks"`
	SyncTargetOnSwitch   bool  `cfg:"sync_target_on_switch" help:"also copy the online into the target networks at the start of every task"`

	TestInterval       int64   `cfg:"test_interval" min:"1" help:"transitions between tests"`
	TestEpisodes       int     `cfg:"test_nepisode" min:"1" max:"4096" help:"greedy episodes per task and mode in a test"`
	BoundaryFullTest   bool    `cfg:"boundary_full_test" help:"test all tasks, seen or not, at the start and at every task's end"`
	TestTasks          string  `cfg:"test_tasks" neutral:"all" help:"tasks that a test covers beside the one in training: all seen ones, window(k) of the last k, or sample(k) of k drawn ones; the run's first and last test cover all"`
	PlasticityEpisodes int     `cfg:"plasticity_nepisode" min:"0" max:"4096" neutral:"0" help:"greedy episodes on which the plasticity of the networks is measured at the end of every task; 0 measures nothing"`
	FinalAvgPoints     int     `cfg:"final_avg_points" min:"1" help:"tests of one task that are averaged into an entry of the score matrix"`
	QAlarmFactor       float64 `cfg:"q_alarm_factor" min:"0" help:"alarm when the mean Q_tot exceeds this multiple of the largest return; 0 is off"`

	LogInterval        int64 `cfg:"log_interval" min:"1" help:"transitions between two rows of training statistics"`
	CheckpointInterval int64 `cfg:"checkpoint_interval" min:"0" help:"transitions between checkpoints; 0 leaves those at the ends of tasks"`
	CheckpointKeep     int   `cfg:"checkpoint_keep" min:"1" help:"checkpoints that are kept"`
	Threads            int   `cfg:"threads" min:"1" max:"8" help:"goroutines of a gradient step, at most as many as shards; results do not depend on it"`

	chosen chosen   // of TestTasks
	stop   stopRule // of StopWhen
}

// learners are keys of every learner that the run depends on.
type learners struct {
	Shards int `cfg:"shards" min:"2" max:"8" help:"parts of a batch"`
}

// Schema lists the keys of Config.
func Schema() []core.Field { return config.Schema(Config{}) }

// Parse reads and checks the shared keys.
func Parse(s core.Settings) (Config, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return c, err
	}
	if c.BufferSize < c.BatchSize {
		return c, fmt.Errorf("buffer_size %d is smaller than batch_size %d: there could never be a gradient step", c.BufferSize, c.BatchSize)
	}
	var l learners
	if err := config.Decode(s, &l); err != nil {
		return c, err
	}
	if l.Shards&(l.Shards-1) != 0 {
		return c, fmt.Errorf("shards %d: want 2, 4 or 8", l.Shards)
	}
	if c.Threads > l.Shards {
		return c, fmt.Errorf("threads %d: a gradient step has %d shards, and a thread works on one at a time; set shards to 4 or 8 for more, which gives other bits", c.Threads, l.Shards)
	}
	var err error
	if c.chosen, err = parseChosen(c.TestTasks); err != nil {
		return c, err
	}
	if c.stop, err = parseStop(c.StopWhen); err != nil {
		return c, err
	}
	if !slices.IsSorted(c.Extended) {
		return c, fmt.Errorf("extended %v: want ascending numbers of tasks", c.Extended)
	}
	if c.EpsilonFinish > c.EpsilonStart {
		return c, fmt.Errorf("epsilon_finish %g is larger than epsilon_start %g: the decay goes down", c.EpsilonFinish, c.EpsilonStart)
	}
	return c, nil
}

// Epsilon is the exploration probability after t transitions: a line from
// epsilon_start to epsilon_finish over epsilon_anneal_time, then constant.
func (c *Config) Epsilon(t int64) float64 {
	if t >= c.EpsilonAnnealTime {
		return c.EpsilonFinish
	}
	part := float64(t) / float64(c.EpsilonAnnealTime)
	return max(c.EpsilonFinish, c.EpsilonStart-(c.EpsilonStart-c.EpsilonFinish)*part)
}
