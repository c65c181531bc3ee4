// Package onlineewc is EWC with an importance that fades (Schwarz et al., 2018,
// section 3.2): one summed importance, of which a factor gamma is left whenever a
// task is added,
//
//	F* = gamma F* + F
//
// and the latest parameters as the anchor. In the paper the pull has the weight
// gamma F*, here F*: the constant gamma is part of ewc_lambda. It is the method ewc under
// defaults of its own, and is built on it by nature.
package onlineewc

import (
	"macpro/configs"
	"macpro/core"
	"macpro/plugins/continual/ewc"
)

// Plugin registers the method.
type Plugin struct{ ewc.Plugin }

var _ core.MethodPlugin = Plugin{}

// Info describes the method.
func (p Plugin) Info() core.Info {
	info := p.Plugin.Info()
	info.Name = "online_ewc"
	info.Summary = "EWC with one importance that fades from task to task (Schwarz et al., 2018)"
	info.Config = configs.Read("algs/online_ewc.yaml")
	return info
}
