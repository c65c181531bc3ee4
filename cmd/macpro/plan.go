package main

import "macpro/core/config"

// plan is the JSON form of what a run would be.
type plan struct {
	Alg          string                 `json:"alg"`
	Env          string                 `json:"env"`
	Learner      string                 `json:"learner"`
	Profile      string                 `json:"profile"`
	Compat       string                 `json:"compat"`
	Ablation     string                 `json:"ablation,omitempty"`
	Seed         int64                  `json:"seed"`
	Tasks        []string               `json:"tasks"`
	StepsPerTask int64                  `json:"steps_per_task"`
	Steps        []int64                `json:"steps"` // of each task
	ConfigHash   string                 `json:"config_hash"`
	GroupHash    string                 `json:"group_hash"`
	EnvHash      string                 `json:"env_hash"`
	Config       map[string]planSetting `json:"config"`
}

// planSetting is the value of a key with where it came from and the values that
// it replaced, the latest first.
type planSetting struct {
	planValue
	Instead []planValue `json:"instead_of,omitempty"`
}

type planValue struct {
	Value any    `json:"value"`
	Layer string `json:"layer"`
	From  string `json:"from"`
}

func (s *session) plan() plan {
	m, c := s.Manifest(), s.Runner.Config()
	p := plan{
		Alg: m.Alg, Env: m.Env, Learner: m.Learner, Profile: m.Profile, Compat: m.Compat, Ablation: m.Ablation,
		Seed: c.Seed, Tasks: s.Runner.Tasks(), StepsPerTask: c.StepsPerTask, Steps: s.Runner.Budget(),
		ConfigHash: m.ConfigHash, GroupHash: m.GroupHash, EnvHash: m.EnvHash, Config: map[string]planSetting{},
	}
	for _, key := range s.Config.Keys() {
		steps := s.Config.History(key)
		last := len(steps) - 1
		set := planSetting{planValue: planValueOf(steps[last])}
		for i := last - 1; i >= 0; i-- {
			if steps[i].At.Source != steps[last].At.Source {
				set.Instead = append(set.Instead, planValueOf(steps[i]))
			}
		}
		p.Config[key] = set
	}
	return p
}

func planValueOf(s config.Step) planValue { return planValue{s.Value, s.At.Layer, s.At.String()} }
