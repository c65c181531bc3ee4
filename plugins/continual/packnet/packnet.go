// Package packnet packs several tasks into one network (PackNet, Mallya and
// Lazebnik, 2018): every weight w of the agent network, features and head, is free
// or belongs to a task. In task k, where the free weights and those that are kept
// for k learn and those of earlier tasks are fixed,
//
//	prune    in every layer keep, of the free weights, the share packnet_keep with
//	         the largest |w| for k; set the others to 0
//	retrain  the kept weights alone, for the last share packnet_retrain of the steps
//	end      the others are free for the next task
//
// A test knows its task j. It acts with the weights of the tasks up to j, all
// others at 0 (mode oracle). Biases belong to the first task, as in the source. The
// mixer is not packed: it plays no part in acting.
//
// The source has a head for each task that is not packed; here there is one, which is.
// Continual World and COOM give all tasks equally many weights, do not prune the last
// task, retrain on the buffer alone, and reset the optimiser before and after that. Here
// each task has the same share of what is free, as in the source, the last one too.
// Episodes are played on while the kept weights learn, and the optimiser keeps its state.
//
// With packnet_task inferred there is a further mode, inferred, in which nobody tells
// the task: see infer.
//
// With packnet_keep 0 it is Finetuning bit for bit.
package packnet

import (
	"fmt"
	"math"

	"macpro/configs"
	"macpro/core"
	"macpro/core/budget"
	"macpro/core/config"
	"macpro/core/single"
	"macpro/plugins/continual/internal/prune"
)

// Plugin registers the method.
type Plugin struct{}

var (
	_ core.MethodPlugin = Plugin{}
	_ core.Matcher      = Plugin{}
)

// Config are the method's own keys.
type Config struct {
	Keep    float64 `cfg:"packnet_keep" min:"0" max:"1" help:"share of the free weights of every layer that a task keeps; 0 makes it Finetuning"`
	Retrain float64 `cfg:"packnet_retrain" min:"0" max:"1" help:"last part of a task's steps in which only the kept weights learn"`
	Task    string  `cfg:"packnet_task" enum:"oracle,inferred" neutral:"oracle" help:"who says in a test which task's weights act: the run (oracle), or the network that is most certain in probing episodes (inferred)"`
	Probes  int     `cfg:"packnet_probes" min:"1" neutral:"8" only:"packnet_task=inferred" help:"probing episodes before a test"`
}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "packnet",
		Summary: "one network, each task keeps weights of its own (Mallya and Lazebnik, 2018)",
		Version: "1",
		Config:  configs.Read("algs/packnet.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// Match refuses learners whose weights cannot be named, written and fixed, and for
// inferred tasks those that cannot value episodes with other weights.
func (Plugin) Match(p core.Pairing) error {
	var c Config
	if err := config.Decode(p.Settings, &c); err != nil {
		return err
	}
	if c.Task == taskInferred {
		return p.Needs(core.AbilityExport, core.AbilityWeights, core.AbilityValues)
	}
	return p.Needs(core.AbilityExport, core.AbilityWeights)
}

// New makes the method with an empty buffer and a network that is free.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	able := core.AbilitiesOf(sv.Learner)
	m := &method{learner: sv.Learner, weights: able.Weights, values: able.Valuer, journal: sv.Journal, tasks: sv.Tasks, rollouts: sv.Rollouts, task: -1}
	var all budget.Budget
	err := config.Decode(s, &m.cfg, &all)
	if err != nil {
		return nil, err
	}
	switch stop, _ := s["stop_when"].(string); {
	case m.cfg.Keep == 0: // Finetuning
	case len(sv.Tasks) > math.MaxUint8:
		return nil, fmt.Errorf("packnet: %d tasks, and a weight can belong to one of %d: train fewer, or set packnet_keep=0", len(sv.Tasks), math.MaxUint8)
	case stop != "" && stop != "none":
		return nil, fmt.Errorf("packnet: stop_when %q could end a task before it is pruned at packnet_retrain of its budget: set stop_when=none", stop)
	}
	var names []string
	for _, t := range sv.Tasks {
		names = append(names, t.Task)
	}
	if m.steps, err = all.Of(names); err != nil {
		return nil, err
	}
	if m.Buffered, err = single.NewBuffered("packnet", s, sv); err != nil {
		return nil, err
	}
	m.owners = prune.New(able.Exporter, len(sv.Learner.Parameters(core.ScopeAgent, nil)))
	return m, nil
}
