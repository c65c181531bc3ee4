package core

import (
	"fmt"
	"strings"

	"macpro/core/episode"
)

// The optional abilities of plugins and learners. What a method or a HeadStepper
// may add is data or has an empty default, see MethodReport and Unwatched.

// Matcher is the optional ability of a LearnerPlugin or MethodPlugin to refuse
// a combination it cannot serve, in one sentence, before anything has started.
type Matcher interface {
	Match(p Pairing) error
}

// TaskFree is the optional ability of a MethodPlugin to train without hearing when
// the task changes (the key boundaries: hidden). Such a run is one task for learner
// and method, HiddenTask with index 0: BeginTask is called once before it and EndTask
// once at its end. The tests have their tasks, all of them with index -1. The
// settings still have the budgets of the tasks, and the method must not look at them.
type TaskFree interface {
	TaskFree() bool
}

// HiddenTask is the name of the whole sequence, where boundaries are hidden. In a
// RolloutRequest it is the task that is trained now, whichever that is.
const HiddenTask = "hidden"

// Hidden says whether settings hide the boundaries between tasks.
func Hidden(s Settings) bool { return s["boundaries"] == "hidden" }

// RunsTaskFree says whether a method has the ability TaskFree.
func RunsTaskFree(p MethodPlugin) bool {
	able, ok := p.(TaskFree)
	return ok && able.TaskFree()
}

// LaneLimiter is the optional ability of an EnvPlugin whose instances are heavy to bound
// how many of them may play at a time. More episodes are played one wave after the other,
// which changes none of them.
type LaneLimiter interface {
	// MaxLanes is the largest number of lanes that Open takes under the given settings;
	// 0 is any number.
	MaxLanes(s Settings) int
}

// Exporter is the optional ability to show a learner's weights by name.
type Exporter interface {
	// Weights returns copies of the online weights: of phi, of every head, live
	// and saved, and of the mixer.
	Weights() []Weight
}

// Valuer is the optional ability of a Learner to value actions other than those
// that act now: with several heads for one pass of the features, with earlier
// mixers, in whole episodes, with other parameters.
type Valuer interface {
	// HeadValues computes the action values that several heads give in one step.
	HeadValues(s *HeadStep) error
	// SaveMixer copies the online mixer to the saved head k, beside the copy of
	// the head itself.
	SaveMixer(k int) error
	// JointValues computes Q_tot of one joint action in each of several lanes.
	JointValues(s *JointStep) error
	// EpisodeValues appends, for each episode, the action values [T, n, A] at the
	// records that its transitions leave. agent holds the parameters of ScopeAgent
	// that give them, those of a teacher; nil means the online network.
	EpisodeValues(batch []*episode.Episode, agent []float32) ([][]float32, error)
}

// GradientEditor is the optional ability of a Learner to show gradients and to let
// a method shape its next gradient steps. All vectors are in the order of
// Parameters.
type GradientEditor interface {
	// Gradient appends to dst the gradient of the TD loss of a batch with respect
	// to a scope. Penalties, value terms and the clip play no part and nothing is
	// changed, so it may be called from the hook.
	Gradient(scope Scope, batch []*episode.Episode, dst []float32) ([]float32, error)
	// SetGradientHook lets edit change the gradient g of ScopeAll in every Train,
	// after TD loss and value term and before penalties and clip. An error ends
	// Train with nothing changed. nil takes the hook away. A hook is not saved.
	SetGradientHook(edit func(g []float32) error) error
	// SetValueTerm adds a term to the loss of the next Train, and of that alone.
	SetValueTerm(t ValueTerm) error
}

// WeightEditor is the optional ability of a Learner to open its weights, layers
// and units to a method.
type WeightEditor interface {
	// SetParameters writes a scope's online parameters, in the order of
	// Parameters. Target, saved heads and the optimiser stay as they are.
	SetParameters(scope Scope, values []float32) error
	// SetFrozen fixes the parameters of ScopeAgent that are marked: neither the
	// optimiser nor a penalty moves them, and they have no part in the norm that
	// the clip sees. nil frees all. The marks are not saved: a method sets them
	// again when it is loaded.
	SetFrozen(frozen []bool) error
	// Layers lists the layers of the agent network whose units can be looked at,
	// from the input to the values.
	Layers() []Layer
	// ResetUnits draws the incoming weights of units anew, then sets their outgoing
	// weights in phi and the live head to zero, and makes the optimiser forget
	// what it knew of either.
	ResetUnits(layer string, units []int) error
	// Activity reduces the activations of layers at the records that the
	// transitions of a batch leave.
	Activity(batch []*episode.Episode, q ActivityQuery) ([]Activity, error)
}

// LearnerAbilities are a learner's optional abilities, nil where it has not got
// one.
type LearnerAbilities struct {
	Exporter  Exporter
	Valuer    Valuer
	Gradients GradientEditor
	Weights   WeightEditor
}

// The names of a learner's abilities.
const (
	AbilityExport    = "export"
	AbilityValues    = "values"
	AbilityGradients = "gradients"
	AbilityWeights   = "weights"
)

// AbilitiesOf finds a learner's abilities: the interfaces that it implements, or
// what its method Abilities says, which one that stands for another has.
func AbilitiesOf(l Learner) LearnerAbilities {
	if other, ok := l.(interface{ Abilities() LearnerAbilities }); ok {
		return other.Abilities()
	}
	var a LearnerAbilities
	a.Exporter, _ = l.(Exporter)
	a.Valuer, _ = l.(Valuer)
	a.Gradients, _ = l.(GradientEditor)
	a.Weights, _ = l.(WeightEditor)
	return a
}

// Names lists the names of the abilities that are there.
func (a LearnerAbilities) Names() []string {
	var names []string
	for _, x := range []struct {
		name string
		has  bool
	}{
		{AbilityExport, a.Exporter != nil}, {AbilityValues, a.Valuer != nil},
		{AbilityGradients, a.Gradients != nil}, {AbilityWeights, a.Weights != nil},
	} {
		if x.has {
			names = append(names, x.name)
		}
	}
	return names
}

// Pairing is what a run combines.
type Pairing struct {
	Env, Learner, Method string
	Tasks                []EnvSpec // of the run's sequence, in order
	Settings             Settings
	Abilities            []string // of the learner; nil when its own plugin is asked
}

// Needs is an error that names what a method needs of the learner and does not
// find.
func (p Pairing) Needs(abilities ...string) error {
	var missing []string
	for _, a := range abilities {
		found := false
		for _, b := range p.Abilities {
			found = found || a == b
		}
		if !found {
			missing = append(missing, a)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("method %s needs a learner that can %s, and learner %s cannot", p.Method, strings.Join(missing, ", "), p.Learner)
}
