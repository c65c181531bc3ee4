package family

import (
	"fmt"

	"macpro/core"
	"macpro/plugins/envs/internal/lanes"
	"macpro/plugins/envs/internal/procgen"
	"macpro/plugins/envs/internal/sc2"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// Config is the configuration that all families of battles share.
type Config struct {
	Profile     string  `cfg:"env_args.profile" enum:"sc2,smaclite" help:"rules of the battle: the game's own numbers, clock and choice of targets, or those of SMAClite"`
	Conventions string  `cfg:"env_args.conventions" enum:"official,smaclite" help:"details of observation and reward: those of MACPro's SMAC, or of SMAClite"`
	Sight       float64 `cfg:"env_args.sight" min:"1" max:"64" help:"radius in which an agent sees, in cells"`
	Shoot       float64 `cfg:"env_args.shoot" min:"1" max:"64" help:"radius in which an agent may order an attack, in cells"`

	DamagePoint bool    `cfg:"env_args.damage_point" only:"env_args.profile=sc2 env_args.backend=embedded" help:"attacks need their wind-up time and can be cancelled in it"`
	Missiles    bool    `cfg:"env_args.missiles" only:"env_args.profile=sc2 env_args.backend=embedded" help:"missiles take time to fly"`
	CallForHelp bool    `cfg:"env_args.call_for_help" only:"env_args.profile=sc2 env_args.backend=embedded" help:"enemies that are hit turn on the attacker and call comrades within 4 cells"`
	Answer      bool    `cfg:"env_args.answer_attackers" only:"env_args.profile=sc2 env_args.backend=embedded" help:"an enemy that notices nobody goes for an agent that attacks it, at any distance"`
	Sidestep    bool    `cfg:"env_args.sidestep" only:"env_args.profile=sc2 env_args.backend=embedded" help:"units walk around others that stand in their way"`
	ZealotSize  float64 `cfg:"env_args.zealot_separation" min:"0.1" max:"0.5" only:"env_args.profile=sc2 env_args.backend=embedded" help:"radius of a zealot in collisions, in cells"`
	SpawnNoise  float64 `cfg:"env_args.spawn_noise" min:"0" max:"0.5" only:"env_args.backend=embedded" help:"largest random shift of a starting position on either axis, in cells"`

	Generate
	sc2.Config
}

// Generate are the keys of generated battles.
type Generate = procgen.Config

// Settings are the configuration of families in which enemies can recover. In
// other families the key below makes no difference, so they do not have it.
type Settings struct {
	Config
	ShieldReward string `cfg:"env_args.shield_reward" enum:"damage,net,absolute" neutral:"absolute" help:"what a step pays in which enemies recover: damage (what each enemy lost), net (losses less recoveries, at least 0, as SMACv2) or absolute (that difference without its sign, as SMAC: recoveries also pay). conventions smaclite: as damage, whatever the value"`
}

var pays = map[string]battle.Pay{"damage": battle.Damage, "net": battle.Net, "absolute": battle.Absolute}

const smaclite = "smaclite"

// options are the settings of a battle. A variant sees and shoots one cell less far.
func (c Settings) options(variant bool) (battle.Options, error) {
	rules, err := skirmish.RulesByName(c.Profile)
	if err != nil {
		return battle.Options{}, err
	}
	if c.Profile != smaclite {
		rules.Windup, rules.Missiles = c.DamagePoint, c.Missiles
		rules.Answer, rules.Sidestep = c.Answer, c.Sidestep
		if !c.CallForHelp {
			rules.HelpRadius = 0
		}
		rules.Stats[skirmish.Zealot].Separation = c.ZealotSize
	}
	rules.SpawnNoise = c.SpawnNoise
	opt := battle.Options{Rules: rules, Sight: c.Sight, Shoot: c.Shoot, Pay: pays[c.ShieldReward]}
	if c.Conventions == smaclite {
		opt.Style = battle.Lite
	}
	if variant {
		opt.Sight, opt.Shoot = c.Sight-1, c.Shoot-1
	}
	if opt.Sight <= 0 || opt.Shoot <= 0 {
		return opt, fmt.Errorf("env_args.sight %v and env_args.shoot %v leave a variant sight %v and range %v: both must be above 1",
			c.Sight, c.Shoot, opt.Sight, opt.Shoot)
	}
	return opt, nil
}

// params lists a task's constants: everything but the rules themselves, for which the
// family's version stands.
func (c Settings) params(m *battle.Map, opt battle.Options) []core.Param {
	out := []core.Param{
		{Name: "agents", Value: count(m.Allies())},
		{Name: "enemies", Value: count(m.Foes())},
		{Name: "limit", Value: fmt.Sprint(m.Limit)},
		{Name: "sight", Value: lanes.Number(opt.Sight)},
		{Name: "shoot", Value: lanes.Number(opt.Shoot)},
		{Name: "profile", Value: c.Profile},
		{Name: "conventions", Value: c.Conventions},
		{Name: "spawn noise", Value: lanes.Number(c.SpawnNoise)},
	}
	if m.Places != "" {
		out = append(out, core.Param{Name: "places", Value: m.Places})
	}
	if c.ShieldReward != "" {
		out = append(out, core.Param{Name: "shield reward", Value: c.ShieldReward})
	}
	out = append(out, c.Config.Config.Params()...)
	if c.Profile == smaclite {
		return out
	}
	return append(out,
		core.Param{Name: "damage point", Value: fmt.Sprint(c.DamagePoint)},
		core.Param{Name: "missiles", Value: fmt.Sprint(c.Missiles)},
		core.Param{Name: "call for help", Value: fmt.Sprint(c.CallForHelp)},
		core.Param{Name: "answer attackers", Value: fmt.Sprint(c.Answer)},
		core.Param{Name: "sidestep", Value: fmt.Sprint(c.Sidestep)},
		core.Param{Name: "zealot separation", Value: lanes.Number(c.ZealotSize)},
	)
}

// count writes a squad as "2 stalker, 3 zealot".
func count(kinds []skirmish.Kind) string {
	s := ""
	for i := 0; i < len(kinds); {
		j := i
		for j < len(kinds) && kinds[j] == kinds[i] {
			j++
		}
		if s != "" {
			s += ", "
		}
		s += fmt.Sprintf("%d %s", j-i, kinds[i])
		i = j
	}
	return s
}
