package wire

import "macpro/core"

// FromInfo encodes the description of a plugin.
func FromInfo(i core.Info) *Description {
	d := &Description{Name: i.Name, Summary: i.Summary, Version: i.Version, Config: i.Config}
	for _, f := range i.Schema {
		d.Schema = append(d.Schema, &Field{Key: f.Key, Kind: string(f.Kind), Help: f.Help, Min: f.Min, Max: f.Max, Enum: f.Enum, Neutral: f.Neutral, Only: f.Only})
	}
	return d
}

// ToInfo decodes the description of a plugin.
func ToInfo(d *Description) core.Info {
	i := core.Info{Name: d.GetName(), Summary: d.GetSummary(), Version: d.GetVersion(), Config: d.GetConfig(), ConfigFile: "plugin " + d.GetKind() + "/" + d.GetName()}
	for _, f := range d.GetSchema() {
		i.Schema = append(i.Schema, core.Field{Key: f.Key, Kind: core.Kind(f.Kind), Help: f.Help, Min: f.Min, Max: f.Max, Enum: f.Enum, Neutral: f.Neutral, Only: f.Only})
	}
	return i
}

// FromSpec encodes a task's description.
func FromSpec(s core.EnvSpec) *Spec {
	out := &Spec{
		Env: s.Env, Task: s.Task, Agents: int64(s.Agents), Actions: int64(s.Actions), ObsWidth: int64(s.ObsWidth),
		StateWidth: int64(s.StateWidth), Limit: int64(s.Limit), Score: string(s.Score), MaxReturn: s.MaxReturn, Hash: s.Hash,
	}
	if e := s.Entities; e != nil {
		out.Entities = &Entities{
			NonAttack: int64(e.NonAttack), Move: int64(e.Move), OwnObs: int64(e.OwnObs), Enemies: int64(e.Enemies),
			EnemyObs: int64(e.EnemyObs), AllyObs: int64(e.AllyObs), EnemyState: int64(e.EnemyState), AllyState: int64(e.AllyState),
		}
	}
	return out
}

// ToSpec decodes a task's description.
func ToSpec(s *Spec) core.EnvSpec {
	out := core.EnvSpec{
		Env: s.GetEnv(), Task: s.GetTask(), Agents: int(s.GetAgents()), Actions: int(s.GetActions()), ObsWidth: int(s.GetObsWidth()),
		StateWidth: int(s.GetStateWidth()), Limit: int(s.GetLimit()), Score: core.Score(s.GetScore()), MaxReturn: s.GetMaxReturn(), Hash: s.GetHash(),
	}
	if e := s.GetEntities(); e != nil {
		out.Entities = &core.Entities{
			NonAttack: int(e.NonAttack), Move: int(e.Move), OwnObs: int(e.OwnObs), Enemies: int(e.Enemies),
			EnemyObs: int(e.EnemyObs), AllyObs: int(e.AllyObs), EnemyState: int(e.EnemyState), AllyState: int(e.AllyState),
		}
	}
	return out
}

// FromSpecs encodes descriptions of tasks.
func FromSpecs(list []core.EnvSpec) []*Spec {
	var out []*Spec
	for _, s := range list {
		out = append(out, FromSpec(s))
	}
	return out
}

// ToSpecs decodes descriptions of tasks; nil for none.
func ToSpecs(list []*Spec) []core.EnvSpec {
	var out []core.EnvSpec
	for _, s := range list {
		out = append(out, ToSpec(s))
	}
	return out
}

// FromSpecOf encodes a description that may be absent.
func FromSpecOf(s *core.EnvSpec) *Spec {
	if s == nil {
		return nil
	}
	return FromSpec(*s)
}

// ToSpecOf decodes a description that may be absent.
func ToSpecOf(m *Spec) *core.EnvSpec {
	if m == nil {
		return nil
	}
	s := ToSpec(m)
	return &s
}

// FromTasks encodes the tasks of an environment family.
func FromTasks(l core.TaskList) *TaskList {
	out := &TaskList{Sequences: map[string]*Names{}, Generalization: l.Generalization, Absent: l.Absent, Params: map[string]*Params{}}
	for name, tasks := range l.Sequences {
		out.Sequences[name] = &Names{Names: tasks}
	}
	for task, params := range l.Params {
		p := &Params{}
		for _, q := range params {
			p.Params = append(p.Params, &Param{Name: q.Name, Value: q.Value})
		}
		out.Params[task] = p
	}
	return out
}

// ToTasks decodes the tasks of an environment family.
func ToTasks(l *TaskList) core.TaskList {
	out := core.TaskList{Sequences: map[string][]string{}, Generalization: l.GetGeneralization(), Absent: l.GetAbsent(), Params: map[string][]core.Param{}}
	for name, tasks := range l.GetSequences() {
		out.Sequences[name] = tasks.GetNames()
	}
	for task, params := range l.GetParams() {
		list := []core.Param{}
		for _, q := range params.GetParams() {
			list = append(list, core.Param{Name: q.Name, Value: q.Value})
		}
		out.Params[task] = list
	}
	return out
}

// FromPairing encodes what a run combines.
func FromPairing(p core.Pairing) (*Pairing, error) {
	settings, err := FromSettings(p.Settings)
	out := &Pairing{Env: p.Env, Learner: p.Learner, Method: p.Method, Tasks: FromSpecs(p.Tasks), Settings: settings, Abilities: p.Abilities}
	return out, err
}

// ToPairing decodes what a run combines.
func ToPairing(p *Pairing) (core.Pairing, error) {
	settings, err := ToSettings(p.GetSettings())
	out := core.Pairing{Env: p.GetEnv(), Learner: p.GetLearner(), Method: p.GetMethod(), Tasks: ToSpecs(p.GetTasks()), Settings: settings, Abilities: p.GetAbilities()}
	return out, err
}
