package macpro

import (
	"bytes"
	"errors"
	"fmt"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/entity"
	"macpro/core/episode"
)

// Test modes. The first is the method of the paper; the others show what its
// choice of heads costs and gains.
const (
	ModeCTDE   = "ctde"        // every agent chooses by f from its own observations
	ModeOracle = "oracle"      // the head that the task was trained with
	ModeRandom = "random_head" // any head
	ModeCTCE   = "ctce"        // one head for the team, chosen by g from the states
)

// Plugin is the method under its own name.
var Plugin = Variant{
	Name: "macpro", Mode: ModeCTDE,
	Summary: "heads for groups of tasks, chosen by learned contexts",
}

// Variant is MACPro under a name and with a test mode as its own. Training does not
// depend on either.
type Variant struct {
	Name, Summary string
	Mode          string // comes first among the modes
}

var (
	_ core.MethodPlugin = Variant{}
	_ core.Matcher      = Variant{}
	_ core.TaskFree     = Variant{}
)

// TaskFree says that the method finds borders by itself.
func (Variant) TaskFree() bool { return true }

// Info describes the variant. Its file may override keys of the method's own,
// whose defaults are those of macpro.
func (v Variant) Info() core.Info {
	file := configs.Read("algs/macpro.yaml")
	if v.Name != Plugin.Name {
		file = bytes.Join([][]byte{file, configs.Read("algs/" + v.Name + ".yaml")}, []byte("\n"))
	}
	return core.Info{Name: v.Name, Summary: v.Summary, Version: "1", Config: file, ConfigFile: "configs/algs/macpro.yaml", Schema: config.Schema(Config{})}
}

// New makes the method. Its networks follow with the first task, whose shapes
// they have.
func (v Variant) New(s core.Settings, sv core.Services) (core.Method, error) {
	cfg, err := decode(s)
	if err != nil {
		return nil, err
	}
	var c episode.ReplayConfig
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	replay, err := episode.NewReplay(c, sv.Source)
	if err != nil {
		return nil, err
	}
	if core.Hidden(s) {
		cfg.MinGroups = 1 // a border shows by contexts, in the first task already
	}
	m := &method{cfg: cfg, all: s, sv: sv, replay: replay, borders: newBorders(&cfg.Config, s), store: episode.NewGroups(cfg.ContextBuffer), modes: []string{v.Mode}, protection: newProtection(&cfg.Config, sv)}
	for _, mode := range []string{ModeCTDE, ModeOracle, ModeRandom, ModeCTCE} {
		if mode != v.Mode {
			m.modes = append(m.modes, mode)
		}
	}
	return m, nil
}

// Match refuses a store D' in which the groups' shares become too small for a
// batch, and tasks of different shapes where the encoders read flat states and
// observations, and learners that lack what protect asks for. Teams of entities may
// have any size, if there is one local encoder for all agents.
func (v Variant) Match(p core.Pairing) error {
	c, err := decode(p.Settings)
	if err != nil {
		return err
	}
	if err := errors.Join(c.needs(p), c.hides(p.Settings)); err != nil {
		return err
	}
	if len(p.Tasks) > 0 && p.Tasks[0].Entities != nil {
		if err := v.matchTeams(&c, p); err != nil {
			return err
		}
		return c.matchStore(len(p.Tasks))
	}
	for _, t := range p.Tasks {
		if err := alike(p.Tasks[0], t); err != nil {
			return fmt.Errorf("the encoders of %s serve tasks of one shape: %w", v.Name, err)
		}
	}
	return c.matchStore(len(p.Tasks))
}

// matchStore makes sure that there may be as many heads as there will be, and
// that D' can hold a batch of every head's group.
func (c *Config) matchStore(tasks int) error {
	groups := max(1, tasks)
	switch limit := c.MaxHeads; {
	case c.Expansion == keyNever:
		groups = 1
	case limit == 0 || limit >= groups:
	case c.Expansion == keyAlways:
		return fmt.Errorf("expansion %s makes %d heads for %d tasks, more than max_heads %d: raise max_heads, or let tasks share heads (expansion adaptive)",
			c.Expansion, groups, groups, limit)
	case limit < c.MinGroups:
		return fmt.Errorf("with max_heads %d there are never context_min_groups %d groups and the encoders are not trained: raise max_heads, or have one head (expansion never)",
			limit, c.MinGroups)
	default:
		groups = limit
	}
	if share := c.ContextBuffer / groups; share < c.ContextBatch {
		return fmt.Errorf("with context_buffer_size %d each of %d groups keeps %d trajectories in the end, fewer than context_batch %d: no contexts could be computed",
			c.ContextBuffer, groups, share, c.ContextBatch)
	}
	return nil
}

func (v Variant) matchTeams(c *settings, p core.Pairing) error {
	if err := c.decodeEntities(p.Settings); err != nil {
		return err
	}
	if c.LocalEncoder == keyPerAgent {
		return fmt.Errorf("local_encoder %s: teams of %s change their size, %s needs one encoder for all agents (shared)", c.LocalEncoder, p.Env, v.Name)
	}
	largest := 1<<c.IDLength - 1
	for _, t := range p.Tasks {
		if err := entity.Family("encoders", p.Tasks[0], t); err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
		if t.Agents > largest {
			return fmt.Errorf("%s: task %s/%s has %d agents, numbers of %d bits (id_length) tell at most %d apart",
				v.Name, t.Env, t.Task, t.Agents, c.IDLength, largest)
		}
	}
	return nil
}

// alike says how a task's shapes differ from those of the first.
func alike(a, b core.EnvSpec) error {
	for _, c := range []struct {
		what  string
		first int
		other int
	}{
		{"agents", a.Agents, b.Agents}, {"actions", a.Actions, b.Actions}, {"floats in an observation", a.ObsWidth, b.ObsWidth},
		{"floats in a state", a.StateWidth, b.StateWidth}, {"steps at most", a.Limit, b.Limit},
	} {
		if c.first != c.other {
			return fmt.Errorf("task %s has %d %s, task %s has %d", a.Task, c.first, c.what, b.Task, c.other)
		}
	}
	return nil
}
