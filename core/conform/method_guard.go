package conform

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/rollout"
)

// guarded makes methods whose every call is watched.
type guarded struct {
	core.MethodPlugin
	batches *int // that were seen
	tests   *int
}

func (g guarded) New(s core.Settings, sv core.Services) (core.Method, error) {
	m, err := g.MethodPlugin.New(s, sv)
	if err != nil {
		return nil, err
	}
	return &guard{Method: m, plugin: g, learner: sv.Learner}, nil
}

// guard is a method with its contract checked around every call.
type guard struct {
	core.Method
	plugin  guarded
	learner core.Learner
	begun   int
	last    []*episode.Episode // the last batch
	sum     uint64             // its fingerprint
}

func (g *guard) BeginTask(t core.Task, p core.Progress) error {
	if err := g.Method.BeginTask(t, p); err != nil {
		return err
	}
	g.begun++
	k := g.learner.Heads()
	if h := g.Head(); h < 0 || h >= max(1, k) {
		return fmt.Errorf("Head() is %d with %d saved heads", h, k)
	}
	if heads := g.Report().TaskHeads; heads != nil {
		if len(heads) != g.begun || heads[g.begun-1] != g.Head() {
			return fmt.Errorf("the report's TaskHeads are %v after %d tasks began, the head in training is %d", heads, g.begun, g.Head())
		}
	}
	return nil
}

// Collected spoils the episode afterwards: the method has to have copied it.
func (g *guard) Collected(e *episode.Episode, p core.Progress) error {
	before := fingerprint(e)
	if err := g.Method.Collected(e, p); err != nil {
		return err
	}
	if fingerprint(e) != before {
		return errors.New("Collected changed the episode it was lent")
	}
	for i := range e.Obs {
		e.Obs[i] = -1e30
	}
	for i := range e.Reward {
		e.Reward[i] = -1e30
	}
	g.last = nil
	return nil
}

func (g *guard) NextBatch() ([]*episode.Episode, error) {
	if err := g.unchanged("the next batch was drawn"); err != nil {
		return nil, err
	}
	b, err := g.Method.NextBatch()
	if err != nil || len(b) == 0 {
		return b, err
	}
	*g.plugin.batches++
	seen := map[*episode.Episode]bool{}
	for i, e := range b {
		switch err := e.Check(); {
		case err != nil:
			return nil, fmt.Errorf("episode %d of a batch: %w", i, err)
		case seen[e]:
			return nil, fmt.Errorf("episode %d comes twice in a batch", e.Index)
		case e.Task < 0 || e.Task >= g.begun:
			return nil, fmt.Errorf("an episode of task %d in a batch, %d tasks have begun", e.Task, g.begun)
		case slices.Min(e.Obs) < -1e29 || slices.Min(e.Reward) < -1e29:
			return nil, errors.New("a batch holds an episode that was only lent to Collected: it must be copied")
		}
		seen[e] = true
	}
	g.last, g.sum = b, fingerprint(b...)
	return b, nil
}

func (g *guard) Trained(p core.Progress) error {
	if err := g.unchanged("the gradient steps"); err != nil {
		return err
	}
	if err := g.Method.Trained(p); err != nil {
		return err
	}
	return g.unchanged("Trained")
}

// unchanged: a batch stays valid until the next one or the next Collected.
func (g *guard) unchanged(when string) error {
	if len(g.last) > 0 && fingerprint(g.last...) != g.sum {
		return fmt.Errorf("a batch changed before the next Collected, at %s", when)
	}
	return nil
}

func (g *guard) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	*g.plugin.tests++
	before, err := g.state()
	if err != nil {
		return core.HeadPlan{}, err
	}
	a, err := g.Method.ChooseHeads(t, mode, ev)
	if err != nil {
		return a, err
	}
	b, err := g.Method.ChooseHeads(t, mode, ev)
	if err != nil {
		return b, err
	}
	after, err := g.state()
	switch {
	case err != nil:
		return a, err
	case !bytes.Equal(before, after):
		return a, fmt.Errorf("ChooseHeads in mode %s changed the state of the method or the learner", mode)
	case !reflect.DeepEqual(a.Heads, b.Heads) || a.Skip != b.Skip || (a.Stepper == nil) != (b.Stepper == nil):
		return a, fmt.Errorf("ChooseHeads in mode %s answers one question twice differently", mode)
	case !a.Skip && a.Heads != nil && len(a.Heads) != ev.Episodes*t.Spec.Agents:
		return a, fmt.Errorf("mode %s plans %d heads for %d episodes of %d agents", mode, len(a.Heads), ev.Episodes, t.Spec.Agents)
	case a.ProbeEpisodes < 0 || a.ProbeSteps < a.ProbeEpisodes:
		return a, fmt.Errorf("mode %s counts %d probing steps in %d episodes", mode, a.ProbeSteps, a.ProbeEpisodes)
	}
	return b, rollout.CheckHeads(a.Heads, g.learner.Heads())
}

// state is everything that training can see.
func (g *guard) state() ([]byte, error) {
	var b bytes.Buffer
	if err := g.Method.Save(&b); err != nil {
		return nil, err
	}
	if err := g.learner.Save(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// fingerprint covers all values of episodes.
func fingerprint(eps ...*episode.Episode) uint64 {
	h := fnv.New64a()
	for _, e := range eps {
		fmt.Fprint(h, *e)
	}
	return h.Sum64()
}
