package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/core/store"
	"macpro/registry"
)

// Experiment is a resolved configuration with the plugins that it names.
type Experiment struct {
	Config   *config.Config
	Settings core.Settings
	Choices  map[string]config.Chosen // of plugins and overlays, with their origins
	Env      core.EnvPlugin
	Method   core.MethodPlugin
	Learner  core.LearnerPlugin
	Ablation core.AblationPlugin // nil if there is none

	origin *store.Origin            // of TakeOver or Extend
	init   func(core.Learner) error // of TakeOver

	trainedTasks []string // those of a checkpoint, nil without one
}

// Resolve finds the plugins and overlays that the user chose and merges the
// configuration. Every error is the caller's mistake.
func Resolve(u config.User) (*Experiment, error) {
	s, err := StemOf(u)
	if err != nil {
		return nil, err
	}
	return s.Resolve(u)
}

// Stem is what experiments with the same plugins and overlays have in common.
type Stem struct {
	plugins Experiment // without a configuration
	layers  *config.Stem
	// Known are keys of other plugins, with their owners.
	Known map[string]string
}

// StemOf finds the plugins and overlays that the user chose and reads their files.
func StemOf(u config.User) (*Stem, error) {
	where, err := pluginsOf(u)
	if err != nil {
		return nil, Input(err)
	}
	choices, err := config.Choose(u, map[string]string{
		"alg": DefaultAlg(), "learner": "qmix", "profile": "reduced", "compat": "default", "ablation": "none",
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
		return nil, Input(err)
	}
	x := Experiment{Choices: choices}
	var errs []error
	x.Env = pick(registry.Envs, where, choices["env"], &errs)
	x.Method = pick(registry.Methods, where, choices["alg"], &errs)
	x.Learner = pick(registry.Learners, where, choices["learner"], &errs)
	r := config.Request{Shared: SharedFields(), Default: configs.Read(configs.Default)}
	r.Profile = pickFile("profiles", choices["profile"], "", &errs)
	r.Compat = pickFile("compat", choices["compat"], "default", &errs)
	x.Ablation = pickAblation(where, choices["ablation"], choices["alg"].Value, &errs)
	if errs != nil {
		return nil, Input(errors.Join(errs...))
	}
	r.Env, r.Alg, r.Learner = x.Env.Info(), x.Method.Info(), x.Learner.Info()
	if x.Ablation != nil {
		r.Ablation = config.Overlay{Name: x.Ablation.Info().Name, YAML: x.Ablation.Info().Config}
	}
	r.Known, r.Hints = KnownKeys(r.Env, r.Alg, r.Learner), configs.PyMARL().Keys
	return &Stem{plugins: x, layers: config.Prepare(r), Known: r.Known}, nil
}

// Resolve merges the configuration of a user whose choices are those of the stem.
func (s *Stem) Resolve(u config.User) (*Experiment, error) {
	x := s.plugins
	var err error
	if x.Config, err = s.layers.Load(x.Choices, u); err != nil {
		return nil, err
	}
	if err := overlooked(x.Config); err != nil {
		return nil, Input(err)
	}
	x.Settings = x.Config.Settings()
	return &x, nil
}

// Blame makes an error about the value of a key, whose text begins with the key, one of
// the user's words that set it. Other errors are only marked as the user's.
func (x *Experiment) Blame(err error) error {
	key, _, _ := strings.Cut(err.Error(), " ")
	switch at := x.Config.Origin(strings.TrimSuffix(key, ":")); at.Layer {
	case config.LayerFile, config.LayerEnvironment, config.LayerCommand:
		err = fmt.Errorf("%s: %w", at, err)
	}
	return Input(err)
}

// overlooked refuses a sequence that the user chose and a profile's or another
// weaker layer's tasks would win over.
func overlooked(c *config.Config) error {
	at, by := c.Origin("sequence"), c.Origin("tasks")
	users := []string{config.LayerFile, config.LayerEnvironment, config.LayerCommand}
	if c.Text("tasks") == "[]" || slices.Index(users, at.Layer) <= slices.Index(users, by.Layer) {
		return nil
	}
	return fmt.Errorf("%s: sequence %s has no effect, because %s sets tasks to %s, which win over it: add --set 'tasks=[]'", at, c.Text("sequence"), by, c.Text("tasks"))
}

// DefaultAlg is macpro if it is part of the binary.
func DefaultAlg() string {
	if slices.Contains(registry.Methods.Names(), "macpro") {
		return "macpro"
	}
	return "finetuning"
}

func pick[T registry.Plugin](c *registry.Catalogue[T], where placement, choice config.Chosen, errs *[]error) T {
	p, err := c.Get(choice.Value)
	if err == nil {
		p, err = place(where, c.Kind(), p)
	} else if hint := Habit(c.Kind(), choice.Value); hint != "" {
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
