package store

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"macpro/core/record"
)

// sacredDir is the run's own folder in the layout of Sacred's FileStorageObserver,
// where each experiment has a number. SacredFolder numbers several runs.
var sacredDir = filepath.Join("sacred", "1")

// sacred is a view in the files that PyMARL's and EPyMARL's plot scripts read:
// config.json, metrics.json, info.json and run.json.
type sacred struct {
	fsys     FS
	dir      string
	number   int
	manifest *Manifest
	series   map[string]*series
}

func newSacred(fsys FS, dir string, number int, m *Manifest, configYAML []byte) (*sacred, error) {
	s := &sacred{fsys, dir, number, m, map[string]*series{}}
	if err := fsys.MkdirAll(s.dir); err != nil {
		return nil, err
	}
	config, err := sacredConfig(m, configYAML)
	if err != nil {
		return nil, err
	}
	return s, s.save("config.json", config)
}

// sacredConfig is the run's configuration with the keys by which EPyMARL's plot
// script groups runs, and those that PyMARL's scripts look for. All but the seed
// must be equal within a group.
func sacredConfig(m *Manifest, configYAML []byte) (map[string]any, error) {
	config := map[string]any{}
	if err := yaml.Unmarshal(configYAML, &config); err != nil {
		return nil, fmt.Errorf("config.yaml: %w", err)
	}
	if config == nil { // an empty document
		config = map[string]any{}
	}
	args, ok := config["env_args"].(map[string]any)
	if !ok {
		args = map[string]any{}
	}
	args["key"] = m.Sequence
	name := m.Alg
	if m.Ablation != "" {
		name += "_" + m.Ablation
	}
	maps.Copy(config, map[string]any{
		"name": name, "env": m.Env, "env_args": args, "seed": m.Seed,
		"t_max": m.TMax, "common_reward": true, "reward_scalarisation": "sum", "mixer": m.Learner,
	})
	return config, nil
}

func (s *sacred) at(name string) *series {
	c := s.series[name]
	if c == nil {
		c = &series{}
		s.series[name] = c
	}
	return c
}

// alias gives a curve a second name, unless another curve has it.
func (s *sacred) alias(name string, c *series) {
	if s.series[name] == nil {
		s.series[name] = c
	}
}

func (s *sacred) write(status record.Status, wall float64) error {
	metrics := make(map[string]any, len(s.series))
	info := make(map[string]any, 2*len(s.series))
	for name, c := range s.series {
		stamps := make([]string, len(c.walls))
		for i, w := range c.walls {
			stamps[i] = s.stamp(w)
		}
		metrics[name] = map[string]any{"steps": c.steps, "timestamps": stamps, "values": c.values}
		info[name], info[name+"_T"] = c.values, c.steps
	}
	if err := s.save("metrics.json", metrics); err != nil {
		return err
	}
	if err := s.save("info.json", info); err != nil {
		return err
	}
	return s.save("run.json", s.run(status, wall))
}

func (s *sacred) run(status record.Status, wall float64) map[string]any {
	m := s.manifest
	state := map[record.Status]string{record.Running: "RUNNING", record.Unknown: "RUNNING", record.Done: "COMPLETED", record.Failed: "FAILED", record.Diverged: "FAILED", record.Interrupted: "INTERRUPTED"}
	run := map[string]any{
		"_id": s.number, "command": strings.Join(m.Argv, " "), "status": state[status],
		"experiment": map[string]any{"name": m.ID, "sources": []string{}, "dependencies": []string{"macpro==" + m.Versions.Macpro}},
		"host":       map[string]any{"hostname": m.Host},
		"meta":       map[string]any{"config_hash": m.ConfigHash, "group_hash": m.GroupHash},
		"start_time": s.stamp(0), "heartbeat": s.stamp(wall), "stop_time": nil,
		"artifacts": []string{}, "resources": []string{}, "result": nil,
	}
	if state[status] != "RUNNING" {
		run["stop_time"] = s.stamp(wall)
	}
	return run
}

// stamp is the time after wall seconds of training in Python's ISO form.
func (s *sacred) stamp(wall float64) string {
	t := s.manifest.Created.Add(time.Duration(wall * float64(time.Second)))
	return t.UTC().Format("2006-01-02T15:04:05.000000")
}

func (s *sacred) save(name string, v any) error {
	return replaceJSON(s.fsys, filepath.Join(s.dir, name), v)
}

// pymarlNames are the names that PyMARL and EPyMARL give to numbers of training,
// by field. In tests "test_" stands before them.
var pymarlNames = map[string]string{
	"return_mean": "return_mean",
	"return_std":  "return_std",
	"win_rate":    "battle_won_mean",
	"length_mean": "ep_length_mean",
	"epsilon":     "epsilon",
	"loss":        "loss",
	"grad_norm":   "grad_norm",
	"td_abs":      "td_error_abs",
	"q_taken":     "q_taken_mean",
	"target":      "target_mean",
}

// flatName is PyMARL's name of a field, or the field's own where PyMARL has none.
func flatName(field string) string {
	if name, ok := pymarlNames[field]; ok {
		return name
	}
	return field
}
