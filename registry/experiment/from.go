package experiment

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"macpro/core"
	"macpro/core/store"
)

// noOrigin is the value of the key from of a run that starts with networks of its own.
const noOrigin = "none"

// OriginKey is the value of the key from for a checkpoint of a run: the newest, or that
// of a step. at is -1 for the newest.
func OriginKey(rec *store.Record, at int64) (string, error) {
	c, err := checkpointOf(rec, at, func(string) {})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s@%d:%s", rec.Manifest.ID, c.TEnv, c.Digest()), nil
}

// parseOrigin reads the key from.
func parseOrigin(key string) (store.Origin, error) {
	run, rest, _ := strings.Cut(key, "@")
	step, digest, _ := strings.Cut(rest, ":")
	at, err := strconv.ParseInt(step, 10, 64)
	if run == "" || err != nil || len(digest) != 64 {
		return store.Origin{}, fmt.Errorf("from %q: want ID@STEP:SHA256, which macpro run --from RUN writes", key)
	}
	return store.Origin{How: store.OriginFrom, Run: run, TEnv: at, Checkpoint: digest}, nil
}

// TakeOver reads the networks that the key from names, so that the run starts with
// them. It looks for their run in a results root. rec, if not nil, is that run. A run
// whose key is "none" needs nothing.
func (x *Experiment) TakeOver(root string, rec *store.Record, w Watch) error {
	key, _ := x.Settings["from"].(string)
	if key == noOrigin {
		return nil
	}
	o, err := parseOrigin(key)
	if err != nil {
		return Input(err)
	}
	if rec == nil {
		if rec, err = store.Find(store.OS(), root, o.Run); err != nil {
			return Input(fmt.Errorf("from: %w", err))
		}
	}
	n, err := LoadNetworks(rec.Dir, o.TEnv, nil, w)
	if err != nil {
		return fmt.Errorf("from %s: %w", rec.Dir, err)
	}
	defer func() { _ = n.Runner.Close() }() // nothing was written
	if d := n.Checkpoint.Digest(); d != o.Checkpoint {
		return Input(fmt.Errorf("from: the checkpoint of %s at step %d is another one than was recorded (%s, now %s)", o.Run, o.TEnv, o.Checkpoint[:12], d[:12]))
	}
	source := n.Runner.Learner()
	weights, values, learner := shapes(source), source.Parameters(core.ScopeAll, nil), n.Learner.Info().Name
	x.origin = &o
	x.init = func(l core.Learner) error {
		if err := x.sameShapes(l, weights, learner); err != nil {
			return fmt.Errorf("the networks of run %s do not fit: %w", o.Run, err)
		}
		if err := core.AbilitiesOf(l).Weights.SetParameters(core.ScopeAll, values); err != nil {
			return err
		}
		l.SyncTarget()
		return nil
	}
	return nil
}

// savedHead is the beginning of the names of saved heads, see core.Exporter.
var savedHead = regexp.MustCompile(`^head[0-9]`)

// shapes lists the tensors that act and are trained, without saved heads. nil is a
// learner that does not show them.
func shapes(l core.Learner) []string {
	a := core.AbilitiesOf(l)
	if a.Exporter == nil || a.Weights == nil {
		return nil
	}
	var out []string
	for _, w := range a.Exporter.Weights() {
		if !savedHead.MatchString(w.Name) {
			out = append(out, fmt.Sprintf("%s %v", w.Name, w.Shape))
		}
	}
	return out
}

// sameShapes compares the networks of a learner with those that it is to start with.
func (x *Experiment) sameShapes(l core.Learner, want []string, learner string) error {
	if now := x.Learner.Info().Name; now != learner {
		return fmt.Errorf("they are of learner %s, this run has %s", learner, now)
	}
	have := shapes(l)
	if have == nil || want == nil {
		return fmt.Errorf("learner %s does not show its weights", learner)
	}
	for i := range max(len(have), len(want)) {
		switch {
		case i >= len(have):
			return fmt.Errorf("they have %s, this run has no such tensor", want[i])
		case i >= len(want):
			return fmt.Errorf("this run has %s, they have no such tensor", have[i])
		case have[i] != want[i]:
			return fmt.Errorf("they have %s, this run has %s: environment, tasks and network keys must give equal shapes", want[i], have[i])
		}
	}
	return nil
}

// begun makes sure that a run that names an origin has it.
func (x *Experiment) begun() error {
	if key, _ := x.Settings["from"].(string); key != noOrigin && key != "" && x.origin == nil {
		return errors.New("from: the networks were not loaded before the run was opened")
	}
	return nil
}
