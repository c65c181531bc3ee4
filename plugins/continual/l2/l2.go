// Package l2 pulls the whole agent network to where the last task has left it,
// all parameters alike:
//
//	L = L_TD + c ||theta - theta*||^2
//
// It is the baseline "L2" that Kirkpatrick et al. (2017) compare EWC with: the same
// importance for all parameters. The weight is c in all tasks. In Continual World and
// COOM importances add up, so that it is k c after k tasks. They hold no heads: there
// each task has its own. In the first task, and with l2_coef 0 in all, it is Finetuning
// bit for bit.
package l2

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
	Coef float64 `cfg:"l2_coef" min:"0" help:"weight c of the pull towards the last task's parameters; 0 switches it off"`
}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "l2",
		Summary: "one network, all parameters are pulled to the last task's (Kirkpatrick et al., 2017)",
		Version: "1",
		Config:  configs.Read("algs/l2.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// New makes the method with nothing to protect.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	b, err := pull.New("l2", c.Coef, s, sv)
	return &method{b}, err
}

type method struct{ pull.Base }

func (m *method) EndTask(core.Progress) error { return m.Hold(nil) }
