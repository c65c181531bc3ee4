// Package l2init is regenerative regularisation (L2 Init; Kumar, Marklund and
// Van Roy, 2023): the agent network is pulled to its own initial parameters,
// from the first step on, so that it stays able to learn:
//
//	L = L_TD + c ||theta - theta_0||^2
//
// It is made against the loss of plasticity; nothing protects earlier tasks. The paper
// pulls all that is trained; here the mixer is free. With l2init_coef 0 it is Finetuning
// bit for bit.
package l2init

import (
	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/plugins/continual/internal/pull"
)

// Plugin registers the method.
type Plugin struct{}

var _ core.MethodPlugin = Plugin{}

// Config are the method's own keys.
type Config struct {
	Coef float64 `cfg:"l2init_coef" min:"0" help:"weight c of the pull towards the initial parameters; 0 switches it off"`
}

// TaskFree says that the method needs no borders. The anchor is set once, before the first step.
func (Plugin) TaskFree() bool { return true }

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "l2init",
		Summary: "one network, pulled to its initial parameters so that it can go on learning (Kumar et al., 2023)",
		Version: "1",
		Config:  configs.Read("algs/l2init.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// New makes the method. The anchor is set when the first task begins.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	b, err := pull.New("l2init", c.Coef, s, sv)
	return &method{b}, err
}

type method struct{ pull.Base }

func (m *method) BeginTask(t core.Task, p core.Progress) error {
	if t.Index == 0 {
		if err := m.Hold(nil); err != nil {
			return err
		}
	}
	return m.Base.BeginTask(t, p)
}
