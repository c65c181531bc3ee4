package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/store"
	"macpro/core/sweep"
	"macpro/registry/experiment"
	"macpro/registry/remote"
)

// Opening a configuration finds what only its plugins know to be wrong, and builds
// networks to do so. Of more than openAll configurations one is opened only if its
// plugins or its tasks are new, or if it has a value that none before had, up to
// openValues values of a key. The keys of all are checked.
const (
	openAll    = 200
	openValues = 50
)

// planner resolves the settings of cells as macpro run does. Plugins and built-in
// files are looked at once for all cells that choose the same.
// A cell keeps the states of its external plugins: when they change it fails, and
// the results of a sweep are not mixed.
type planner struct {
	out      string // root of the results, where runs are that others start from
	environ  []string
	written  map[string]string // by key, see config.User
	evaluate []sweep.Evaluate
	choosing map[string]bool     // keys that choose plugins, overlays and their places
	choices  map[string]*choice  // by the settings that choose
	values   map[string][]string // that were opened, by key
	opened   int
	unopened int
	idle     map[string]idle // keys without effect, by sentence
}

// idle is a key without effect in some configurations.
type idle struct {
	config.Idle
	configurations int
}

// choice is what cells with the same plugins and overlays have in common.
type choice struct {
	*experiment.Stem
	err    error
	groups map[string]sweep.Cell // by hash
	shapes map[string]shape      // that were opened
}

// shape is an opened configuration.
type shape struct {
	cell  sweep.Cell
	tasks []string
	fact  string // about the tasks, see config.FactsOf
}

func newPlanner(out string, evaluate []sweep.Evaluate) *planner {
	p := &planner{out: out, environ: keysOf(os.Environ()), evaluate: evaluate,
		choosing: map[string]bool{}, choices: map[string]*choice{}, values: map[string][]string{}, idle: map[string]idle{}}
	for _, f := range slices.Concat(config.Schema(config.Choice{}), remote.Schema()) {
		p.choosing[f.Key] = true
	}
	return p
}

func (p *planner) choice(sets []string) *choice {
	var own []string
	for _, kv := range sets {
		if p.choosing[keyOf(kv)] {
			own = append(own, kv)
		}
	}
	id := strings.Join(own, "\n")
	c := p.choices[id]
	if c == nil {
		c = &choice{groups: map[string]sweep.Cell{}, shapes: map[string]shape{}}
		c.Stem, c.err = experiment.StemOf(config.User{Sets: own, Environ: p.environ, Written: p.written})
		p.choices[id] = c
	}
	return c
}

func keyOf(kv string) string {
	key, _, _ := strings.Cut(kv, "=")
	return key
}

func (p *planner) resolve(sets []string) (r sweep.Resolved, err error) {
	c := p.choice(sets)
	if c.err != nil {
		return r, c.err
	}
	user := config.User{Sets: sets, Environ: p.environ, Written: p.written}
	x, err := c.Stem.Resolve(user)
	if err != nil {
		return r, err
	}
	group := x.Config.GroupHash()
	cell, known := c.groups[group]
	if !known {
		if cell, err = p.group(c, x, user); err != nil {
			return r, err
		}
		cell.GroupHash = group
		c.groups[group] = cell
	}
	r.Cell = cell
	if set := pinned(r.Plugins); set != "" {
		user.Sets = append(slices.Clone(sets), set)
		pinned := p.choice(user.Sets)
		if pinned.err != nil {
			return r, pinned.err
		}
		if x, err = pinned.Stem.Resolve(user); err != nil {
			return r, err
		}
	}
	r.Config = x.Config.YAML()
	r.ConfigHash = x.Config.Hash()
	return r, nil
}

// group describes a configuration apart from its seed.
func (p *planner) group(c *choice, x *experiment.Experiment, user config.User) (sweep.Cell, error) {
	parsed, err := continual.Parse(x.Settings)
	if err != nil {
		return sweep.Cell{}, x.Blame(err)
	}
	like := likeOf(x)
	s, known := c.shapes[like]
	if fresh := p.fresh(user.Sets); !known || fresh || p.opened < openAll {
		if s, err = shapeOf(x, p.out, user, p.evaluate); err != nil {
			return s.cell, err
		}
		p.opened++
		c.shapes[like] = s
	} else {
		p.unopened++
	}
	steps, err := parsed.Of(s.tasks)
	if err != nil {
		return s.cell, usage(err)
	}
	for _, i := range x.Config.Idle(s.fact) {
		p.idle[i.Why()] = idle{i, p.idle[i.Why()].configurations + 1}
	}
	s.cell.Steps = 0
	for _, n := range steps {
		s.cell.Steps += n
	}
	return s.cell, nil
}

// notes says what was not looked at, and which keys have no effect. One that would
// choose the tasks and does so nowhere is an error.
func (p *planner) notes() (notes []string, err error) {
	all := p.opened + p.unopened
	if p.unopened > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d configurations were opened, and the keys of all were checked; a combination of values that its plugins refuse shows when its cell starts", p.opened, all))
	}
	for _, why := range slices.Sorted(maps.Keys(p.idle)) {
		i := p.idle[why]
		switch {
		case i.configurations < all:
			notes = append(notes, fmt.Sprintf("%s (%d of %d configurations)", why, i.configurations, all))
		case i.Tasks:
			err = errors.Join(err, errors.New(i.String()))
		default:
			notes = append(notes, why)
		}
	}
	return notes, err
}

// fresh says whether settings have a value that no opened configuration had, and
// notes the values.
func (p *planner) fresh(sets []string) bool {
	fresh := false
	for _, kv := range sets {
		key := keyOf(kv)
		seen := p.values[key]
		if v := kv[len(key)+1:]; key != "seed" && len(seen) < openValues && !slices.Contains(seen, v) {
			p.values[key] = append(seen, v)
			fresh = true
		}
	}
	return fresh
}

// likeOf is the part of a configuration that decides what a cell consists of, but
// for the length of its tasks.
func likeOf(x *experiment.Experiment) string {
	keys := []string{"tasks", "sequence", "test_nepisode"}
	for _, f := range x.Env.Info().Schema {
		keys = append(keys, f.Key)
	}
	var b strings.Builder
	for _, key := range keys {
		b.WriteString(x.Config.Text(key) + "\n")
	}
	return b.String()
}

// shapeOf opens a configuration and describes it apart from its seed.
func shapeOf(x *experiment.Experiment, out string, user config.User, evaluate []sweep.Evaluate) (shape, error) {
	if err := x.TakeOver(out, nil, nil); err != nil {
		return shape{}, err
	}
	s, err := x.Open(nil)
	if err != nil {
		return shape{}, err
	}
	tests, err := evaluationEpisodes(user, s, evaluate)
	if err != nil {
		return shape{}, errors.Join(err, s.Runner.Close())
	}
	m := s.Manifest()
	c := sweep.Cell{EnvHash: m.EnvHash, Alg: m.Alg, Env: m.Env, Learner: m.Learner, Ablation: m.Ablation, Tests: tests, Plugins: m.Versions.Plugins}
	return shape{c, s.Runner.Tasks(), config.FactsOf(s.Runner.Specs()[0])}, s.Runner.Close()
}

// pinned is the key that keeps external plugins in their state, "" for none.
func pinned(plugins []store.PluginVersion) string {
	var list []string
	for _, p := range plugins {
		if p.Hash != "" {
			list = append(list, p.Kind+"/"+p.Name+"="+p.Hash)
		}
	}
	if list == nil {
		return ""
	}
	return "plugins.sha256=[" + strings.Join(list, ",") + "]"
}

// foreign names, for the keys among a cell's settings that only other plugins
// have, one of them. Where the cell's plugins cannot be told it is empty:
// resolving the cell says why.
func (p *planner) foreign(sets []string) map[string]string {
	c := p.choice(sets)
	if c.err != nil {
		return nil
	}
	out := map[string]string{}
	for _, kv := range sets {
		if owner, foreign := c.Known[keyOf(kv)]; foreign {
			out[keyOf(kv)] = owner
		}
	}
	return out
}
