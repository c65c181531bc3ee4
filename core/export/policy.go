// Package export writes what a trained team needs for acting, the features phi
// and all heads, in forms that other programs read: a safetensors file of named
// tensors, or an ONNX model of one time step.
//
// Both take a row per agent,
//
//	[observation; last action, one-hot, zeros at the start; agent, one-hot]
//
// of which a run may leave the last two out, and a recurrent state that is zero
// at an episode's start. The ONNX model multiplies the observation by the run's
// feature_scale itself; whoever uses the tensors alone has to. An agent acts
// with the largest value among its available actions. Both compute in float32: a
// run with precision bf16 itself acts with rounded operands, so values differ a
// little.
//
// With sharing none each agent has tensors of its own, phi.agent0.*, head.agent0.*
// and so on, and in the ONNX model inputs and outputs of its own.
package export

import (
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/safetensors"
)

// The parts of a learner's weights that act, by the start of their names; what
// else there is, the mixer, is only needed for training.
const (
	featuresPrefix = "phi."
	headPrefix     = "head"
)

// inputs are the shared keys that say what a row consists of.
type inputs struct {
	LastAction bool    `cfg:"obs_last_action" help:"append the agent's last action, one-hot, to its observation"`
	AgentID    bool    `cfg:"obs_agent_id" help:"append the agent's number, one-hot, to its observation"`
	Scale      float64 `cfg:"feature_scale" min:"0" help:"factor on the features of observations before any network"`
}

// Policy is the acting part of a learner.
type Policy struct {
	// Meta is free text that both forms carry beside what New has noted.
	Meta map[string]string
	// Producer is the program that ONNX files name as their maker.
	Producer string

	spec    core.EnvSpec
	inputs  inputs
	weights []core.Weight // phi, the live head, the saved heads
}

// New takes the acting part out of a learner's weights; spec is a task of the
// run and s its settings. Weights without features or heads are an error.
func New(weights []core.Weight, spec core.EnvSpec, s core.Settings) (*Policy, error) {
	p := &Policy{spec: spec, Meta: map[string]string{}}
	if err := config.Decode(s, &p.inputs); err != nil {
		return nil, err
	}
	features := 0
	for _, w := range weights {
		switch {
		case strings.HasPrefix(w.Name, featuresPrefix):
			features++
		case !strings.HasPrefix(w.Name, headPrefix):
			continue
		}
		p.weights = append(p.weights, w)
	}
	if features == 0 || features == len(p.weights) {
		return nil, fmt.Errorf("the learner's weights have %d tensors of features and %d of heads: there is nothing that acts", features, len(p.weights)-features)
	}
	maps.Copy(p.Meta, map[string]string{
		"agents": strconv.Itoa(spec.Agents), "actions": strconv.Itoa(spec.Actions), "obs_width": strconv.Itoa(spec.ObsWidth),
		"obs_last_action": strconv.FormatBool(p.inputs.LastAction), "obs_agent_id": strconv.FormatBool(p.inputs.AgentID),
		"feature_scale": strconv.FormatFloat(p.inputs.Scale, 'g', -1, 64),
	})
	return p, nil
}

func (p *Policy) width() int {
	w := p.spec.ObsWidth
	if p.inputs.LastAction {
		w += p.spec.Actions
	}
	if p.inputs.AgentID {
		w += p.spec.Agents
	}
	return w
}

// Safetensors writes the tensors under their names, with Meta.
func (p *Policy) Safetensors(w io.Writer) error {
	f := safetensors.New()
	maps.Copy(f.Meta, p.Meta)
	for _, t := range p.weights {
		safetensors.Put(f, t.Name, t.Data, t.Shape...)
	}
	return f.Encode(w)
}
