package config

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macpro/core"
)

type shared struct {
	Seed    int      `cfg:"seed" min:"0" help:"root of all randomness"`
	Threads int      `cfg:"threads" min:"1" max:"2" help:"threads"`
	LR      float64  `cfg:"lr" min:"0" max:"1" help:"step size"`
	Buffer  int      `cfg:"buffer_size" min:"1" help:"episodes"`
	Anneal  int64    `cfg:"epsilon_anneal_time" min:"1" help:"transitions"`
	Double  bool     `cfg:"double_q" help:"double Q-learning"`
	Tasks   []string `cfg:"tasks" help:"tasks"`
	Head    string   `cfg:"on_switch" enum:"keep,reset_head" help:"optimiser state"`
}

type envKeys struct {
	Sight int   `cfg:"env_args.sight" min:"0" help:"cells"`
	Limit int   `cfg:"env_args.time_limit" min:"1" help:"steps"`
	Cells []int `cfg:"env_args.cells" min:"0" help:"cells"`
}

type algKeys struct {
	Alpha float64 `cfg:"alpha_reg" min:"0" help:"weight"`
	New   string  `cfg:"new_head" enum:"copy,reset" help:"start"`
}

const sharedYAML = `seed: 1
threads: 1
lr: 0.0005
buffer_size: 5000
epsilon_anneal_time: 50000
double_q: true
tasks: []
on_switch: keep
`

// request is a complete one; tests change parts of it.
func request(file string, sets ...string) Request {
	return Request{
		Env: core.Info{Name: "grid", Schema: Schema(envKeys{}), Config: []byte(
			"env_args:\n  sight: 2\n  time_limit: 25\n  cells: [1, 2]\nlr: 0.001\nnew_head: reset\n")},
		Alg: core.Info{Name: "heads", Schema: Schema(algKeys{}), Config: []byte(
			"alpha_reg: 500.0\nnew_head: copy\nbuffer_size: 4000\n")},
		Learner: core.Info{Name: "sum", Config: []byte("buffer_size: 3000\newc_lambda: 1\n")},
		Shared:  Schema(shared{}),
		Default: []byte(sharedYAML),
		Profile: Overlay{"short", []byte("alpha_reg: 50.0\nepsilon_anneal_time: 1e3\nkappa1: 5\n" +
			"envs:\n  grid: {epsilon_anneal_time: 2e3}\n  other: {epsilon_anneal_time: 3e3}\n")},
		Choices: map[string]Chosen{
			"env": {"grid", Origin{Layer: LayerCommand, Source: "--env grid"}}, "alg": {"heads", Origin{}},
			"learner": {"sum", Origin{}}, "profile": {"short", Origin{}},
		},
		User:  User{File: file, Sets: sets},
		Known: map[string]string{"ewc_lambda": "method ewc", "kappa1": "method macpro"},
	}
}

// write puts a file into a folder of the test and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, r Request) *Config {
	t.Helper()
	c, err := Load(r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLayersWinInOrder(t *testing.T) {
	r := request(write(t, "lr: .25\ndouble_q: false\nenv_args:\n  sight: 3\n"), "env_args.cells=[7]", "tasks=[a, b]")
	r.User.Environ = []string{"PATH=/bin", "MACPRO_ENV_ARGS__SIGHT=4", "MACPRO_ON_SWITCH=reset_head"}
	r.Compat = Overlay{"official", []byte("lr: 0.1\nalpha_reg: 7\n")}
	r.Ablation = Overlay{"without_reg", []byte("alpha_reg: 0\n")}
	c := load(t, r)
	for key, want := range map[string]struct{ value, at string }{
		"seed":                {"1", "configs/default.yaml:1"},
		"env_args.time_limit": {"25", "configs/envs/grid.yaml:3"},
		"new_head":            {"reset", "configs/envs/grid.yaml:6"}, // over the method's own default
		"buffer_size":         {"3000", "configs/learners/sum.yaml:1"},
		"epsilon_anneal_time": {"2000", "configs/profiles/short.yaml:5"},
		"alpha_reg":           {"0.0", "configs/ablations/without_reg.yaml:1"},
		"lr":                  {"0.25", r.User.File + ":1"},
		"double_q":            {"false", r.User.File + ":2"},
		"env_args.sight":      {"4", "MACPRO_ENV_ARGS__SIGHT"},
		"on_switch":           {"reset_head", "MACPRO_ON_SWITCH"},
		"env_args.cells":      {"[7]", "--set env_args.cells=[7]"},
		"tasks":               {"[a, b]", "--set tasks=[a, b]"},
		"env":                 {"grid", "--env grid"},
		"ablation":            {"none", "default"},
	} {
		v, ok := c.Get(key)
		if got := flow(v); !ok || got != want.value || c.Origin(key).String() != want.at {
			t.Errorf("%s = %s from %s, want %s from %s", key, got, c.Origin(key), want.value, want.at)
		}
	}
	if _, ok := c.Get("kappa1"); ok {
		t.Error("the key of another method slipped in")
	}
	if h := c.History("lr"); len(h) != 4 || h[0].Value != 0.0005 || h[2].Value != 0.1 {
		t.Errorf("history of lr: %v", h)
	}
}

func TestConfigIsFrozen(t *testing.T) {
	c := load(t, request("", "tasks=[a]"))
	before := c.Hash()
	s := c.Settings()
	s["lr"] = 9.0
	s["tasks"].([]string)[0] = "z"
	v, _ := c.Get("env_args.cells")
	v.([]int)[0] = 9
	if c.Hash() != before || c.Settings()["lr"] != 0.001 {
		t.Error("a caller changed the configuration")
	}
}

func TestHashes(t *testing.T) {
	base := load(t, request(""))
	for set, same := range map[string][2]bool{ // equal Hash, equal GroupHash
		"threads=2":           {true, true},
		"seed=2":              {false, true},
		"lr=0.002":            {false, false},
		"lr=1e-3":             {true, true},
		"tasks=[a]":           {false, false},
		"env_args.cells=[12]": {false, false},
	} {
		c := load(t, request("", set))
		if got := [2]bool{c.Hash() == base.Hash(), c.GroupHash() == base.GroupHash()}; got != same {
			t.Errorf("%s: equal hashes %v, want %v", set, got, same)
		}
	}
	if base.Hash() == base.GroupHash() {
		t.Error("Hash must depend on the seed")
	}
}

// A younger key does not make strangers of older runs, which went without it.
func TestHashOfYoungerKeys(t *testing.T) {
	base := load(t, request(""))
	for _, c := range []struct {
		kind                 core.Kind
		neutral, same, other string
	}{
		{core.Int, "0", "0", "2"}, {core.Float, "0", "0.0", "0.5"}, {core.Bool, "false", "false", "true"}, {core.String, "off", "off", "on"},
		{core.Strings, "[]", "[]", "[a]"},
	} {
		younger := func(value string) *Config {
			r := request("")
			r.Alg.Schema = append(r.Alg.Schema, core.Field{Key: "younger", Kind: c.kind, Help: "h", Neutral: c.neutral})
			r.Alg.Config = append(r.Alg.Config, "younger: "+value+"\n"...)
			return load(t, r)
		}
		if got := younger(c.same); got.Hash() != base.Hash() || got.GroupHash() != base.GroupHash() {
			t.Errorf("%s %s: the value without effect changes the hash", c.kind, c.same)
		}
		if got := younger(c.other); got.Hash() == base.Hash() || got.GroupHash() == base.GroupHash() {
			t.Errorf("%s %s: the value does not change the hash", c.kind, c.other)
		}
	}
	r := request("")
	r.Alg.Schema = append(r.Alg.Schema, core.Field{Key: "younger", Kind: core.Int, Help: "h", Neutral: "none"})
	r.Alg.Config = append(r.Alg.Config, "younger: 0\n"...)
	if _, err := Load(r); err == nil || !strings.Contains(err.Error(), `key "younger": neutral:`) {
		t.Errorf("a neutral value that is no number: %v", err)
	}
	r = request("")
	r.Alg.Schema = append(r.Alg.Schema, core.Field{Key: "younger", Kind: core.Int, Help: "h", Only: "round"})
	r.Alg.Config = append(r.Alg.Config, "younger: 0\n"...)
	if _, err := Load(r); err == nil || !strings.Contains(err.Error(), `key "younger": only "round"`) {
		t.Errorf("a condition that is none: %v", err)
	}
}

func TestYAMLGivesTheSameAgain(t *testing.T) {
	c := load(t, request("", "tasks=['no', '010', a b, \"x: y\", null_]", "lr=1e-7", "seed=12345678901234"))
	r := request(write(t, string(c.YAML())))
	again := load(t, r)
	if again.Hash() != c.Hash() {
		t.Errorf("%s\nbecame\n%s", c.YAML(), again.YAML())
	}
	for _, key := range c.Keys() {
		if _, choice := r.Choices[key]; !choice && key != "ablation" && key != "compat" && again.Origin(key).Source != r.User.File {
			t.Errorf("%s is not in the file", key)
		}
	}
}

func TestPrintShowsOrigins(t *testing.T) {
	var b bytes.Buffer
	if err := load(t, request("", "lr=0.5")).Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# command line: --set lr=0.5, instead of 0.001 (configs/envs/grid.yaml:5), instead of 0.0005 (configs/default.yaml:3)\n",
		"env_args.cells: [1, 2] ", "# default: configs/envs/grid.yaml:4\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// Messages name the place that a plugin's configuration really came from.
func TestPluginsNameTheirFile(t *testing.T) {
	r := request("")
	r.Alg.ConfigFile = "plugin method/heads"
	var b bytes.Buffer
	if err := load(t, r).Print(&b); err != nil {
		t.Fatal(err)
	}
	if want := "instead of 500.0 (plugin method/heads:1)"; !strings.Contains(b.String(), want) {
		t.Errorf("%q is missing in\n%s", want, b.String())
	}
	r.Alg.Config = []byte("alpha_reg: [1\n")
	if _, err := Load(r); err == nil || !strings.Contains(err.Error(), "plugin method/heads:") {
		t.Errorf("a broken configuration: %v", err)
	}
}

func TestPluginsMustFitTogether(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Request)
		want   string
	}{
		"taken key":    {func(r *Request) { r.Alg.Schema = Schema(shared{}) }, `method heads: key "seed" is declared by every run, too`},
		"no default":   {func(r *Request) { r.Alg.Config = []byte("alpha_reg: 1\n") }, ""},
		"none at all":  {func(r *Request) { r.Alg.Config = nil; r.Env.Config = nil }, `method heads: key "new_head" is declared without a default`},
		"shared typo":  {func(r *Request) { r.Learner.Config = []byte("bufer_size: 1\n") }, `configs/learners/sum.yaml:1: unknown key "bufer_size", did you mean "buffer_size"?`},
		"profile typo": {func(r *Request) { r.Profile.YAML = []byte("kapa1: 1\n") }, `configs/profiles/short.yaml:1: unknown key "kapa1", did you mean "kappa1"?`},
		"bad key":      {func(r *Request) { r.Env.Schema[0].Key = "Sight" }, `env grid: key "Sight" does not consist of lower-case words`},
		"no effect": {func(r *Request) { r.Ablation = Overlay{"x", []byte("kappa1: 1\n")} },
			`configs/ablations/x.yaml:1: key "kappa1" belongs to method macpro, which is not part of this run`},
	} {
		r := request("")
		c.change(&r)
		_, err := Load(r)
		if c.want == "" {
			if err != nil { // the environment's file gives new_head a value
				t.Errorf("%s: %v", name, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestChoose(t *testing.T) {
	u := User{
		File:    write(t, "alg: heads\nenv: grid\nlr: x\n"),
		Environ: []string{"MACPRO_ALG=ewc"},
		Sets:    []string{"learner=qmix"},
		Flags:   map[string]string{"alg": "owl", "seed": "7"},
	}
	got, err := Choose(u, map[string]string{"profile": "reduced", "env": "lbf"})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"env": "grid " + u.File + ":2", "alg": "owl --alg owl", "learner": "qmix --set learner=qmix",
		"profile": "reduced default",
	} {
		if s := got[key].Value + " " + got[key].At.String(); s != want {
			t.Errorf("%s: %s, want %s", key, s, want)
		}
	}
	if _, ok := got["ablation"]; ok || len(got) != 4 {
		t.Errorf("%v", got)
	}
	u.Sets = []string{"alg=ewc", "env=[a]"}
	if _, err = Choose(u, nil); err == nil || !strings.Contains(err.Error(), "--set alg=ewc: alg is set twice on the command line") {
		t.Errorf("twice: %v", err)
	}
	u.Flags, u.Environ, u.File = nil, nil, write(t, "env: [a]\n")
	if _, err = Choose(u, nil); err == nil || !strings.Contains(err.Error(), ":1: env: a list stands where") {
		t.Errorf("list: %v", err)
	}
}

func TestDefaults(t *testing.T) {
	s, err := Defaults("heads.yaml", []byte("alpha_reg: 5\nnew_head: copy\nlr: 1\n"), Schema(algKeys{}))
	if err != nil || len(s) != 2 || s["alpha_reg"] != 5.0 {
		t.Errorf("%v, %v", s, err)
	}
	_, err = Defaults("heads.yaml", []byte("\nalpha_reg: x\n"), Schema(algKeys{}))
	for _, want := range []string{`heads.yaml:2: alpha_reg: "x" is not a number`, `heads.yaml: key "new_head" has no value`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
}

// Overridden are the keys to which the user gave another value, whatever the layers
// below say about each other.
func TestOverridden(t *testing.T) {
	for set, want := range map[string][]string{
		"lr=0.002":  {"lr"},
		"seed=9":    {},
		"threads=2": {},
		"tasks=[a]": {},
	} {
		if got := load(t, request("", set)).Overridden(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", set, got, want)
		}
	}
	same := load(t, request("", "lr=0.001"))
	if v, _ := load(t, request("")).Get("lr"); v != 0.001 || len(same.Overridden()) > 0 {
		t.Errorf("the value of the files (lr %v) counts as overridden: %v", v, same.Overridden())
	}
}
