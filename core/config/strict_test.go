package config

import (
	"strings"
	"testing"
)

// Every line of a file that must be refused, with what the message must say
// after "my.yaml:LINE: ".
var brokenFiles = []struct{ text, want string }{
	// unknown keys
	{"epsilon_aneal_time: 50000", `1: unknown key "epsilon_aneal_time", did you mean "epsilon_anneal_time"?`},
	{"lr: 0.1\nGamma: 1\nDouble_Q: true", `3: unknown key "Double_Q", did you mean "double_q"?`},
	{"ewc_lambda: 5", `1: key "ewc_lambda" belongs to method ewc, which is not part of this run`},
	{"ewc_lamda: 5", `1: unknown key "ewc_lamda", did you mean "ewc_lambda"? (that key belongs to method ewc`},
	{"zzzzzzzzzzzz: 5", `1: unknown key "zzzzzzzzzzzz"; --dry-run lists`},
	{"env_args:\n  sigth: 3", `2: unknown key "env_args.sigth", did you mean "env_args.sight"?`},
	{strings.Repeat("x", 1000) + ": 1", `1: "` + strings.Repeat("x", 80) + `"... is no key`},
	{"sight: 3", `1: unknown key "sight", did you mean "env_args.sight"?`},
	{"env_args:\n  seed: 3", `2: unknown key "env_args.seed", did you mean "seed"?`},
	{"env_args:\n  difficulty: 3", `2: unknown key "env_args.difficulty"; --dry-run lists`}, // that most letters are the same is the section's doing
	{"env_args: 3", `1: "env_args" is a section; set the keys below it: env_args.cells, env_args.sight`},
	{"env_args:", `1: "env_args" is a section`},
	{"env_args: {}", `1: "env_args" is a section`},
	{"lr:\n  start: 1", `2: "lr" is a number and has no keys below it`},
	{"envs:\n  grid:\n    lr: 1", `3: unknown key "envs.grid.lr", did you mean "lr"?`},
	// duplicates
	{"lr: 0.1\nseed: 2\nlr: 0.2", "3: lr is set twice, first in line 1"},
	{"env_args:\n  sight: 1\nenv_args:\n  sight: 2", "3: env_args is set twice, first in line 1"},
	{"env_args.sight: 1\nenv_args:\n  sight: 2", "3: env_args.sight is set twice, first in line 1"},
	// numbers
	{"buffer_size: 3.7", `1: buffer_size: "3.7" is not a whole number, such as 5000 or 5e3`},
	{"buffer_size: 5e-1", `1: buffer_size: "5e-1" is not a whole number`},
	{"buffer_size: 1e99", `1: buffer_size: "1e99" is outside of the range of whole numbers`},
	{"buffer_size: 0x10", `1: buffer_size: "0x10" is not a whole number`},
	{"buffer_size: 010", `1: buffer_size: "010" starts with a zero, which some programs read as octal; write "10"`},
	{"env_args:\n\tcells: [1]", "2: not valid YAML: a tab stands where YAML wants blanks"},
	{"threads: 12345678", "1: threads: 12345678 is out of range, want 1 to 2"},
	{"buffer_size: 0", "1: buffer_size: 0 is out of range, want at least 1"},
	{"threads: 3", "1: threads: 3 is out of range, want 1 to 2"},
	{"buffer_size: \"5000\"", `1: buffer_size: "5000" is in quotes and thus a text`},
	{"buffer_size: true", `1: buffer_size: "true" is not a whole number`},
	{"lr: fast", `1: lr: "fast" is not a number, such as 0.0005 or 5e-4`},
	{"lr: 0.0005x", `1: lr: "0.0005x" is not a number`},
	{"lr: 0,0005", `1: lr: "0,0005" is not a number`},
	{"lr: .nan", `1: lr: ".nan" is not a number`},
	{"lr: .inf", `1: lr: ".inf" is not a number`},
	{"lr: -.inf", `1: lr: "-.inf" is not a number`},
	{"lr: NaN", `1: lr: "NaN" is not a number`},
	{"lr: 1e400", `1: lr: "1e400" is outside of the range of numbers`},
	{"lr: 1e-400", `1: lr: "1e-400" is outside of the range of numbers`},
	{"lr: -1e-4", "1: lr: -0.0001 is out of range, want 0 to 1"},
	{"lr: 2024-01-01", `1: lr: "2024-01-01" is not a number`},
	{"lr: 1:30", `1: lr: "1:30" is not a number`},
	// truth values
	{"double_q: yes", `1: double_q: "yes" is not a truth value, such as true or false`},
	{"double_q: no", `1: double_q: "no" is not a truth value`},
	{"double_q: 1", `1: double_q: "1" is not a truth value`},
	{"double_q: 'true'", `1: double_q: "true" is in quotes`},
	// texts
	{"on_switch: kepp", `1: on_switch: unknown value "kepp", did you mean "keep"? (known: keep, reset_head)`},
	{"on_switch: Keep", `1: on_switch: unknown value "Keep", did you mean "keep"?`},
	{"on_switch: ''", `1: on_switch: unknown value ""`},
	{"on_switch: [keep]", "1: on_switch: a list stands where a single value belongs"},
	// lists
	{"tasks: right", `1: tasks: "right" is not a list of texts; write [right]`},
	{"tasks: [a, [b]]", "1: tasks: entry 2: a list stands where a single value belongs"},
	{"tasks: [a, null]", "1: tasks: entry 2: the value is missing (null)"},
	{"tasks: {a: 1}", `1: "tasks" is a list of texts and has no keys below it`},
	{"env_args: {cells: [1, 2.5]}", `1: env_args.cells: entry 2: "2.5" is not a whole number`},
	{"env_args: {cells: [1, -2]}", "1: env_args.cells: -2 is out of range, want at least 0"},
	{"env_args: {cells: ['1']}", `1: env_args.cells: entry 1: "1" is in quotes`},
	// null
	{"lr:", "1: lr: the value is missing (null)"},
	{"lr: null", "1: lr: the value is missing (null)"},
	{"on_switch: ~", "1: on_switch: the value is missing (null)"},
	{"tasks:", "1: tasks: want a list of texts, such as [a, b]"},
	// YAML
	{"lr: 0.1\n  seed: 2", "2: not valid YAML: mapping values are not allowed in this context"},
	{"lr: [1", "1: not valid YAML: did not find expected"},
	{"\tlr: 1", "1: not valid YAML: a tab stands where YAML wants blanks"},
	{"lr: 0.1\n# \xff", "2: the line holds bytes that are not text in UTF-8"},
	{"lr: 0.1\n# \x00", "2: the line holds bytes that are not text in UTF-8"},
	{"- lr", "1: a configuration consists of lines of the form key: value"},
	{"lr", "1: a configuration consists of lines of the form key: value"},
	{"lr: 0.1\n---\nseed: 2", "2: a second document starts here"},
	{"a: &x 1\nlr: *x", "2: lr: anchors and aliases are not supported"},
	{"lr: &x 0.1", "1: lr: anchors and aliases are not supported"},
	{"<<: {lr: 0.1}", "1: a key is a plain word"},
	{"? [lr]\n: 1", "1: a key is a plain word"},
	{"lr: !!float 1", "1: lr: the tag !!float is not supported"},
	{"lr: !x 1", "1: lr: the tag !x is not supported"},
}

func TestBrokenFiles(t *testing.T) {
	for _, c := range brokenFiles {
		path := write(t, c.text+"\n")
		_, err := Load(request(path))
		if err == nil {
			t.Errorf("accepted %q", c.text)
		} else if want := path + ":" + c.want; !strings.Contains(err.Error(), want) {
			t.Errorf("%.200q: got\n  %.300v\nwant\n  %s", c.text, err, want)
		}
	}
}

func TestBrokenArgumentsAndVariables(t *testing.T) {
	for arg, want := range map[string]string{
		"lr=0.0005x":                      `--set lr=0.0005x: lr: "0.0005x" is not a number`,
		"lr=__import__('os').getpid()":    `lr: "__import__('os').getpid()" is not a number`,
		"lr=":                             "--set lr=: lr: the value is missing",
		"lr":                              "--set lr: want key=value, such as lr=0.0005",
		"=3":                              "--set =3: want key=value",
		"LR=1":                            `unknown key "LR", did you mean "lr"?`,
		"buffer_size=3.7":                 "is not a whole number",
		"tasks=right":                     `"right" is not a list of texts; write [right]`,
		"tasks=[right":                    `"[right" is not a value in YAML`,
		"env_args.cells=[1,x]":            `entry 2: "x" is not a whole number`,
		"env_args=3":                      `"env_args" is a section`,
		"on_switch=reset":                 `unknown value "reset"`,
		"kappa1=3":                        `key "kappa1" belongs to method macpro`,
		"double_q=1":                      "is not a truth value",
		"MACPRO_LR=x":                     `MACPRO_LR: lr: "x" is not a number`,
		"MACPRO_LR=":                      "MACPRO_LR: lr: the value is missing",
		"MACPRO_lr=1":                     "MACPRO_lr: variables are in upper case: MACPRO_LR",
		"MACPRO_ENV_ARGS_SIGHT=1":         `MACPRO_ENV_ARGS_SIGHT: unknown key "env_args_sight", did you mean "env_args.sight"?`,
		"MACPRO_ENV_ARGS__TIME_LIMITS=10": `MACPRO_ENV_ARGS__TIME_LIMITS: unknown key "env_args.time_limits", did you mean "env_args.time_limit"?`,
	} {
		r := request("")
		if strings.HasPrefix(arg, Prefix) {
			r.User.Environ = []string{arg}
		} else {
			r.User.Sets = []string{arg}
		}
		if _, err := Load(r); err == nil {
			t.Errorf("accepted %q", arg)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got\n  %v\nwant\n  %s", arg, err, want)
		}
	}
	if _, err := Load(request("", "lr=1", "lr=0.5")); err == nil || !strings.Contains(err.Error(), "lr is set twice on the command line") {
		t.Errorf("twice: %v", err)
	}
	if _, err := Load(request("no/such.yaml")); err == nil || !strings.Contains(err.Error(), "no/such.yaml: cannot be read") {
		t.Errorf("missing file: %v", err)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	r := request(write(t, "lr: x\nbuffer_size: 0\n"), "threads=9")
	r.User.Environ = []string{"MACPRO_DOUBLE_Q=maybe"}
	_, err := Load(r)
	if err == nil || !strings.HasPrefix(err.Error(), "4 problems in the configuration:\n  ") {
		t.Fatal(err)
	}
	if got := len(err.(*Error).Problems); got != 4 {
		t.Errorf("%d problems", got)
	}
}

// Spellings that must give exactly this value.
func TestNumbersAreRead(t *testing.T) {
	for set, want := range map[string]any{
		"lr=1e-4": 1e-4, "lr=5e-4": 5e-4, "lr=.5": .5, "lr=1": 1.0, "lr=1.": 1.0, "lr=0": 0.0, "lr=+.25e+0": .25,
		"buffer_size=5e3": 5000, "buffer_size=5000.0": 5000, "buffer_size=1.5e1": 15, "buffer_size=500_000": 500000,
		"buffer_size=9007199254740993": 9007199254740993, "double_q=False": false, "double_q=true": true,
		"env_args.sight=0": 0, "seed= 7 ": 7,
	} {
		key, _, _ := strings.Cut(set, "=")
		c, err := Load(request("", set))
		if err != nil {
			t.Errorf("%s: %v", set, err)
		} else if got, _ := c.Get(key); got != want {
			t.Errorf("%s gives %v", set, got)
		}
	}
	c := load(t, request(write(t, "tasks:\n- 'yes'\n- 010\n- 2024-01-01\n- a#b\n")))
	if got, _ := c.Get("tasks"); strings.Join(got.([]string), "|") != "yes|010|2024-01-01|a#b" {
		t.Errorf("texts stay as they are written: %q", got)
	}
}
