package remote

import (
	"fmt"
	"slices"

	"macpro/core"
	"macpro/registry/remote/wire"
)

// able gives the learner the optional abilities that the other side has.
func (l *learner) able(abilities []string) core.Learner {
	e, j, h := exporter{l}, jointValuer{l}, headValuer{l}
	has := func(ability string) bool { return slices.Contains(abilities, ability) }
	switch [3]bool{has(abilityWeights), has(abilityJointValues), has(abilityHeadValues)} {
	case [3]bool{true, true, true}:
		return struct {
			*learner
			exporter
			jointValuer
			headValuer
		}{l, e, j, h}
	case [3]bool{true, true, false}:
		return struct {
			*learner
			exporter
			jointValuer
		}{l, e, j}
	case [3]bool{true, false, true}:
		return struct {
			*learner
			exporter
			headValuer
		}{l, e, h}
	case [3]bool{true, false, false}:
		return struct {
			*learner
			exporter
		}{l, e}
	case [3]bool{false, true, true}:
		return struct {
			*learner
			jointValuer
			headValuer
		}{l, j, h}
	case [3]bool{false, true, false}:
		return struct {
			*learner
			jointValuer
		}{l, j}
	case [3]bool{false, false, true}:
		return struct {
			*learner
			headValuer
		}{l, h}
	}
	return l
}

// The optional abilities of core.Exporter, core.JointValuer and core.HeadValuer.
type (
	exporter    struct{ l *learner }
	jointValuer struct{ l *learner }
	headValuer  struct{ l *learner }
)

// Weights copies the online weights. A failure shows at the next call that can
// return it.
func (e exporter) Weights() []core.Weight {
	a, err := ask(e.l.link, "Weights", e.l.calls.Weights, e.l.ref())
	var out []core.Weight
	for _, w := range a.GetWeights() {
		x := core.Weight{Name: w.Name}
		for _, d := range w.Shape {
			x.Shape = append(x.Shape, int(d))
		}
		if x.Data, err = wire.Numbers[float32](w.Name, w.Data); err != nil {
			err = e.l.link.fault("Weights", err)
			break
		}
		out = append(out, x)
	}
	if err != nil {
		e.l.link.note(err)
	}
	return out
}

func (j jointValuer) SaveMixer(k int) error {
	_, err := ask(j.l.link, "SaveMixer", j.l.calls.SaveMixer, &wire.HeadRequest{Learner: j.l.id, Head: int64(k)})
	return err
}

func (j jointValuer) JointValues(s *core.JointStep) error {
	a, err := ask(j.l.link, "JointValues", j.l.calls.JointValues, &wire.JointRequest{
		Learner: j.l.id, Lanes: int64(s.Lanes), Mixer: int64(s.Mixer),
		State: wire.Bytes(s.State), Avail: s.Avail, Q: wire.Bytes(s.Q), Actions: wire.Bytes(s.Actions),
	})
	if err != nil {
		return err
	}
	if err := wire.Fill("joint values", s.QTot, a.Values); err != nil {
		return j.l.link.fault("JointValues", fmt.Errorf("%d lanes: %w", s.Lanes, err))
	}
	return nil
}

func (h headValuer) HeadValues(s *core.HeadStep) error {
	q := &wire.HeadStep{
		Learner: h.l.id, Lanes: int64(s.Lanes), Obs: wire.Bytes(s.Obs), LastActions: wire.Bytes(s.LastActions),
		Hidden: wire.Bytes(s.Hidden), Heads: wire.Bytes(s.Heads),
	}
	if rows := len(s.Heads) * len(s.LastActions); rows > 0 {
		q.Actions = int64(len(s.Q) / rows)
	}
	a, err := ask(h.l.link, "HeadValues", h.l.calls.HeadValues, q)
	if err != nil {
		return err
	}
	return h.l.fill("HeadValues", a, s.Q, s.Hidden)
}
