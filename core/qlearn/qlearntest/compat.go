package qlearntest

import (
	"fmt"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/qlearn"
)

// Compat are the settings of a compat file in an environment. Below the file lie
// the defaults of the keys that all learners share and of the plugin's own keys.
// replace replaces some settings and adds others.
func Compat(compat, env string, plugin core.Info, replace core.Settings) (core.Settings, error) {
	shared, err := Settings(nil)
	if err != nil {
		return nil, err
	}
	defaults, err := yaml.Marshal(map[string]any(shared))
	if err != nil {
		return nil, err
	}
	overlay := config.Overlay{Name: compat, YAML: configs.Read("compat/" + compat + ".yaml")}
	var file map[string]any
	if err := yaml.Unmarshal(overlay.YAML, &file); err != nil {
		return nil, err
	}
	known := map[string]string{}
	listKeys("", file, known)
	c, err := config.Load(config.Request{
		Env: core.Info{Name: env}, Alg: plugin, Shared: config.Schema(qlearn.Config{}), Default: defaults, Compat: overlay, Known: known,
	})
	if err != nil {
		return nil, fmt.Errorf("compat %s: %w", compat, err)
	}
	s := core.Settings{}
	for _, key := range c.Keys() {
		s[key], _ = c.Get(key)
	}
	maps.Copy(s, replace)
	return s, nil
}

// listKeys adds the dotted keys of a compat file, those for single environments
// without their section, to a list.
func listKeys(prefix string, section map[string]any, into map[string]string) {
	for name, v := range section {
		key := prefix + name
		if below, ok := v.(map[string]any); ok {
			listKeys(key+".", below, into)
			continue
		}
		if parts := strings.SplitN(key, ".", 3); parts[0] == "envs" {
			key = parts[2]
		}
		into[key] = "the compat file"
	}
}
