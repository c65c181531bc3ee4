package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/registry"
)

// experiment is a resolved configuration with the plugins that it names.
type experiment struct {
	config   *config.Config
	settings core.Settings
	choices  map[string]config.Chosen
	env      core.EnvPlugin
	alg      core.MethodPlugin
	learner  core.LearnerPlugin
	ablation core.AblationPlugin // nil if there is none
}

// resolve finds the plugins and overlays that the user chose and merges the
// configuration. Every error is the caller's mistake.
func resolve(u config.User) (*experiment, error) {
	s, err := stemOf(u)
	if err != nil {
		return nil, err
	}
	return s.resolve(u)
}

// stem is what experiments with the same plugins and overlays have in common.
type stem struct {
	plugins experiment // without a configuration
	layers  *config.Stem
	known   map[string]string // keys of other plugins, with their owners
}

// stemOf finds the plugins and overlays that the user chose and reads their files.
func stemOf(u config.User) (*stem, error) {
	where, err := pluginsOf(u)
	if err != nil {
		return nil, usage(err)
	}
	choices, err := config.Choose(u, map[string]string{
		"alg": defaultAlg(), "learner": "qmix", "profile": "reduced", "compat": "default", "ablation": "none",
	})
	where.imply(choices)
	if _, ok := choices["env"]; !ok {
		if err == nil {
			remedy := "choose one with --env"
			if u.File != "" {
				remedy = u.File + " has no key env, and --env is not set"
			}
			err = fmt.Errorf("no environment: %s (known: %s)", remedy, strings.Join(registry.Envs.Names(), ", "))
		}
		return nil, usage(err)
	}
	x := experiment{choices: choices}
	var errs []error
	x.env = pick(registry.Envs, where, choices["env"], &errs)
	x.alg = pick(registry.Methods, where, choices["alg"], &errs)
	x.learner = pick(registry.Learners, where, choices["learner"], &errs)
	r := config.Request{Shared: sharedFields(), Default: configs.Read(configs.Default)}
	r.Profile = pickFile("profiles", choices["profile"], "", &errs)
	r.Compat = pickFile("compat", choices["compat"], "default", &errs)
	x.ablation = pickAblation(where, choices["ablation"], choices["alg"].Value, &errs)
	if errs != nil {
		return nil, usage(errors.Join(errs...))
	}
	r.Env, r.Alg, r.Learner = x.env.Info(), x.alg.Info(), x.learner.Info()
	if x.ablation != nil {
		r.Ablation = config.Overlay{Name: x.ablation.Info().Name, YAML: x.ablation.Info().Config}
	}
	r.Known, r.Hints = knownKeys(r.Env, r.Alg, r.Learner), configs.PyMARL().Keys
	return &stem{plugins: x, layers: config.Prepare(r), known: r.Known}, nil
}

// resolve merges the configuration of a user whose choices are those of the stem.
func (s *stem) resolve(u config.User) (*experiment, error) {
	x := s.plugins
	var err error
	if x.config, err = s.layers.Load(x.choices, u); err != nil {
		return nil, err
	}
	x.settings = x.config.Settings()
	return &x, nil
}

// defaultAlg is macpro if it is part of the binary.
func defaultAlg() string {
	if slices.Contains(registry.Methods.Names(), "macpro") {
		return "macpro"
	}
	return "finetuning"
}

func pick[T registry.Plugin](c *registry.Catalogue[T], where placement, choice config.Chosen, errs *[]error) T {
	p, err := c.Get(choice.Value)
	if err == nil {
		p, err = place(where, c.Kind(), p)
	} else if hint := habit(c.Kind(), choice.Value); hint != "" {
		err = fmt.Errorf("unknown %s %q: %s", c.Kind(), choice.Value, hint)
	}
	if err != nil {
		*errs = append(*errs, fmt.Errorf("%s: %w", choice.At, err))
	}
	return p
}

// pickFile reads a built-in overlay; the name none stands for no overlay.
func pickFile(folder string, choice config.Chosen, none string, errs *[]error) config.Overlay {
	if none != "" && choice.Value == none {
		return config.Overlay{}
	}
	known := configs.Names(folder)
	if !slices.Contains(known, choice.Value) {
		if none != "" {
			known = append([]string{none}, known...)
		}
		word := strings.TrimSuffix(folder, "s")
		*errs = append(*errs, fmt.Errorf("%s: %w", choice.At, names.Unknown(word, choice.Value, known)))
		return config.Overlay{}
	}
	return config.Overlay{Name: choice.Value, YAML: configs.Read(folder + "/" + choice.Value + ".yaml")}
}

// pickAblation finds the ablation; nil for none.
func pickAblation(where placement, choice config.Chosen, alg string, errs *[]error) core.AblationPlugin {
	if choice.Value == "none" {
		return nil
	}
	p, err := registry.Ablations.Get(choice.Value)
	if err == nil {
		p, err = place(where, registry.Ablations.Kind(), p)
	}
	if err == nil {
		err = started(p)
	}
	if err != nil {
		*errs = append(*errs, fmt.Errorf("%s: %w", choice.At, err))
		return nil
	}
	if algs := p.Algs(); len(algs) > 0 && !slices.Contains(algs, alg) {
		*errs = append(*errs, fmt.Errorf("%s: ablation %q applies to %s, not to %s",
			choice.At, choice.Value, strings.Join(algs, ", "), alg))
	}
	return p
}
