package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// broken lists calls that must fail before anything starts: the arguments, the
// text of my.yaml if there is one, a variable, and what the message must say.
var broken = []struct{ args, file, environ, want string }{
	// names
	{args: "run", want: "no environment: choose one with --env (known: lbf"},
	{args: "rum --env lbf", want: `unknown verb "rum", did you mean "run"?`},
	{args: "help rum", want: `unknown verb "rum", did you mean "run"?`},
	{args: "run --env lfb", want: `--env lfb: unknown env "lfb", did you mean "lbf"?`},
	{args: "run --env LBF", want: `unknown env "LBF", did you mean "lbf"?`},
	{args: "run --env pp --alg finetunning", want: `--alg finetunning: unknown method "finetunning", did you mean "finetuning"?`},
	{args: "run --env lbf --learner qmixx", want: `--learner qmixx: unknown learner "qmixx", did you mean "qmix"?`},
	{args: "run --env lbf --profile smok", want: `--profile smok: unknown profile "smok", did you mean "smoke"? (known: paper, reduced, smoke)`},
	{args: "run --env lbf --compat offical", want: `unknown compat "offical", did you mean "official"? (known: default, official, paper)`},
	{args: "run --env lbf --ablation without_modell", want: `--ablation without_modell: unknown ablation "without_modell"`},
	{args: "run --env lbf --sed 3", want: "unknown flag: --sed, did you mean --seed?"},
	{args: "run --env", want: "flag needs an argument: --env"},
	{args: "run --env lbf --lr 3", want: "unknown flag: --lr: lr is a key: --set lr=VALUE;"},
	{args: "run --env lbf --steps-per-task 300", want: "--steps-per-task: steps_per_task is a key: --set steps_per_task=VALUE"},
	{args: "run --env lbf --tasks right", want: "--tasks: tasks is a key: --set tasks=VALUE"},
	{args: "run --env lbf --kappa1 3", want: "--kappa1: kappa1 is a key: --set kappa1=VALUE"},
	{args: "sweep --env lbf --lr 1e-3,1e-4", want: "--lr: lr is a key: --set lr=VALUE"},
	{args: "run --env lbf --t-max 3", want: "--t-max: the budget is steps_per_task"},
	{args: "run --env lbf --use_cuda", want: "--use_cuda: training runs on the processor"},
	{args: "run --env lbf --seeds 1..3", want: "--seeds: it is a flag of macpro sweep"},
	{args: "run --env lbf --jobs 2", want: "--jobs: it is a flag of macpro sweep"},
	{args: "table main --lr 3", want: "unknown flag: --lr"},
	{args: "run -x", want: "unknown shorthand flag"},
	{args: "run lbf", want: `unexpected argument "lbf"; keys are set by --set key=value or "with key=value ..."`},
	{args: "run --env lbf with", want: `"with" wants key=value behind it`},
	{args: "run --env lbf with lr", want: "with lr: want key=value, such as lr=0.0005"},
	{args: "run --env lbf --alg nope --learner nope --profile nope", want: `--profile nope: unknown profile "nope"`},
	// flags that are empty, given twice, too small or without effect
	{args: "run --env lbf --config=", want: `invalid argument "" for "--config" flag: the value is missing`},
	{args: "run --env lbf --env pp", want: `"--env" flag: the flag is set twice, first to lbf`},
	{args: "report --serve --listen=", want: "the value is missing"},
	{args: "report --listen 127.0.0.1:0", want: "--listen is for --serve"},
	{args: "report --serve -o x.html", want: "--output is for a page that is written, without --serve"},
	{args: "eval x --fps 9", want: "--fps is for --render FILE.gif"},
	{args: "eval x --render x.png --fps 9", want: "--fps is for --render FILE.gif"},
	{args: "eval x --render-episodes 9", want: "--render-episodes is for --render and --render-ascii"},
	{args: "table main --key lr", want: "--key is for the values of a key, as sensitivity shows them"},
	{args: "plot main --key lr", want: "--key is for the values of a key, as sensitivity shows them"},
	{args: "eval x --episodes 0", want: "--episodes 0: want at least 1"},
	{args: "eval x --at -2", want: "--at -2: want at least 0"},
	{args: "export x --checkpoint -7", want: "--checkpoint -7: want at least 0"},
	{args: "resume x --threads 0", want: "--threads 0: want at least 1"},
	{args: "resume x --threads -1", want: "--threads -1: want at least 1"},
	{args: "bench --env lbf,lfb", want: `--env lfb: unknown env "lfb", did you mean "lbf"?`},
	{args: "bench --env=", want: "the value is missing"},
	{args: "run --env lbf --ablation without_rge", want: `unknown ablation "without_rge", did you mean "without_reg"?`},
	{args: "eval x --checkpoint -2", want: "--at -2: want at least 0"},
	{args: "export x --at -7", want: "--checkpoint -7: want at least 0"},
	{args: "sweep", want: `want an experiment ("macpro list sweeps" shows them), a file, or a grid of your own`},
	{args: "sweep --alg ewc", want: "no environment: choose one with --env"},
	{args: "sweep stauts", want: `unknown verb of sweep "stauts", did you mean "status"?`},
	{args: "sweep reusme --quiet", want: `unknown verb of sweep "reusme", did you mean "resume"?`},
	{args: "sweep paper_mian", want: `unknown experiment "paper_mian", did you mean "paper_main"?`},
	{args: "plugin check /nix", want: "stat /nix: no such file or directory"},
	{args: "plugin check nix/nix", want: "no such file or directory; a built-in plugin is named with its kind, as in env/lbf"},
	{args: "plugin check lbf", want: "no such file or directory; a built-in plugin is named with its kind, as in env/lbf"},
	{args: "plugin check env/lfb", want: `unknown env "lfb", did you mean "lbf"?`},
	{args: "sweep smoke --trials 3", want: "--trials is for --strategy random or asha"},
	{args: "sweep smoke --strategy random --eta 3", want: "--eta is for --strategy asha"},
	{args: "sweep smoke --name -x", want: `a sweep cannot be named "-x"`},
	{args: "sweep smoke --throttle 3", want: "--throttle is for --executor slurm"},
	{args: "sweep smoke --executor slurm --strategy asha --pack 3", want: "--pack is for job arrays; --strategy asha is one task on Slurm"},
	// tasks
	{args: "run --env lbf --set tasks=[rigth]", want: `"rigth", did you mean "right"?`},
	{args: "run --env lbf --set sequence=trane", want: `"trane", did you mean "train"?`},
	// numbers on the command line
	{args: "run --env lbf --seed x", want: `--seed x: seed: "x" is not a whole number`},
	{args: "run --env lbf --seed 1.5", want: `"1.5" is not a whole number`},
	{args: "run --env lbf --seed 1 --set seed=2", want: "--set seed=2: seed is set twice on the command line"},
	{args: "run --env lbf --threads 3", want: "threads 3: a gradient step has 2 shards"},
	{args: "run --env lbf --threads 0", want: "threads: 0 is out of range"},
	{args: "run --env lbf --set lr=0.0005x", want: `--set lr=0.0005x: lr: "0.0005x" is not a number, such as 0.0005 or 5e-4`},
	{args: "run --env lbf --set lr=__import__('os').getpid()", want: "is not a number"},
	{args: "run --env lbf --set lr=", want: "lr: the value is missing"},
	{args: "run --env lbf --set lr=nan", want: `"nan" is not a number`},
	{args: "run --env lbf --set lr=-1", want: "lr: -1 is out of range, want at least 0"},
	{args: "run --env lbf --set gamma=1.01", want: "gamma: 1.01 is out of range, want 0 to 1"},
	{args: "run --env lbf --set buffer_size=3.7", want: `buffer_size: "3.7" is not a whole number`},
	{args: "run --env lbf --set batch_size=0", want: "batch_size: 0 is out of range, want at least 1"},
	{args: "run --env lbf --set mlp_hidden=1000000", want: "is out of range, want 1 to 4096"},
	{args: "run --env lbf --set mlp_layers=100000", want: "is out of range, want 1 to 64"},
	{args: "run --env lbf --set env_args.time_limit=100000000", want: "is out of range, want 1 to 10000"},
	{args: "run --env lbf --set double_q=yes", want: `double_q: "yes" is not a truth value`},
	{args: "run --env lbf --set optim_on_switch=reset", want: `unknown value "reset", did you mean "reset_head"? (known: keep, reset_head)`},
	{args: "run --env lbf --set tasks=right", want: `"right" is not a list of texts; write [right]`},
	// keys
	{args: "run --env lbf --set epsilon_aneal_time=1", want: `unknown key "epsilon_aneal_time", did you mean "epsilon_anneal_time"?`},
	{args: "run --env lbf --set Gamma=.9", want: `unknown key "Gamma", did you mean "gamma"?`},
	{args: "run --env lbf --set env_args=3", want: `"env_args" is a section; set the keys below it: env_args.`},
	{args: "run --env lbf --set env_args.time_limits=3", want: `unknown key "env_args.time_limits", did you mean "env_args.time_limit"?`},
	{args: "run --env lbf --set env_args.prey_nearest=prey", want: `key "env_args.prey_nearest" belongs to env pp, which is not part of this run`},
	{args: "run --env lbf --alg finetuning --set kappa1=3", want: `key "kappa1" belongs to `},
	{args: "run --env lbf --set evaluate=true", want: `unknown key "evaluate"`},
	{args: "run --env lbf with gama=.9 lr=x", want: `with gama=.9: unknown key "gama", did you mean "gamma"?`},
	// values that do not fit together
	{args: "run --env lbf --set buffer_size=16", want: "buffer_size 16 is smaller than batch_size 32"},
	{args: "run --env lbf --set epsilon_start=0.01", want: "epsilon_finish 0.05 is larger than epsilon_start 0.01"},
	// variables
	{args: "run --env lbf", environ: "MACPRO_LR=x", want: `MACPRO_LR: lr: "x" is not a number`},
	{args: "run --env lbf", environ: "MACPRO_EPSILON_ANEAL_TIME=1", want: `MACPRO_EPSILON_ANEAL_TIME: unknown key "epsilon_aneal_time", did you mean "epsilon_anneal_time"?`},
	{args: "run --env lbf", environ: "MACPRO_ENV_ARGS_TIME_LIMIT=3", want: `did you mean "env_args.time_limit"?`},
	{args: "run --env lbf", environ: "MACPRO_gamma=.9", want: "variables are in upper case: MACPRO_GAMMA"},
	{args: "run", environ: "MACPRO_ENV=lfb", want: `MACPRO_ENV: unknown env "lfb", did you mean "lbf"?`},
	// files
	{args: "run --env lbf --config none.yaml", want: "none.yaml: cannot be read"},
	{args: "run --env lbf --config my.yaml", file: "lr: 0.1\nepsilon_aneal_time: 50000\n", want: `my.yaml:2: unknown key "epsilon_aneal_time", did you mean "epsilon_anneal_time"?`},
	{args: "run --env lbf --config my.yaml", file: "lr: 0.1\ngamma: 1\nlr: 0.2\n", want: "my.yaml:3: lr is set twice, first in line 1"},
	{args: "run --env lbf --config my.yaml", file: "lr: null\n", want: "my.yaml:1: lr: the value is missing (null)"},
	{args: "run --env lbf --config my.yaml", file: "gamma: 1\nlr:\n", want: "my.yaml:2: lr: the value is missing (null)"},
	{args: "run --env lbf --config my.yaml", file: "lr: .inf\n", want: `my.yaml:1: lr: ".inf" is not a number`},
	{args: "run --env lbf --config my.yaml", file: "lr: '0.1'\n", want: `my.yaml:1: lr: "0.1" is in quotes`},
	{args: "run --env lbf --config my.yaml", file: "buffer_size: 010\n", want: "my.yaml:1: buffer_size: \"010\" starts with a zero"},
	{args: "run --env lbf --config my.yaml", file: "double_q: no\n", want: `my.yaml:1: double_q: "no" is not a truth value`},
	{args: "run --env lbf --config my.yaml", file: "seed: 2024-01-01\n", want: `my.yaml:1: seed: "2024-01-01" is not a whole number`},
	{args: "run --env lbf --config my.yaml", file: "env_args: 3\n", want: `my.yaml:1: "env_args" is a section`},
	{args: "run --env lbf --config my.yaml", file: "env_args:\n  Time_limit: 3\n", want: `my.yaml:2: unknown key "env_args.Time_limit", did you mean "env_args.time_limit"?`},
	{args: "run --env lbf --config my.yaml", file: "lr: [1\n", want: "my.yaml:1: not valid YAML"},
	{args: "run --env lbf --config my.yaml", file: "a: &x 1\nlr: *x\n", want: "my.yaml:2: lr: anchors and aliases are not supported"},
	{args: "run --env lbf --config my.yaml", file: "- lr\n", want: "my.yaml:1: a configuration consists of lines of the form key: value"},
	{args: "run --config my.yaml", file: "lr: 1\n", want: "no environment: my.yaml has no key env, and --env is not set (known: lbf"},
	{args: "run --config my.yaml", file: "lr: 1\n\nenv: lfb\n", want: `my.yaml:3: unknown env "lfb", did you mean "lbf"?`},
	{args: "run --config my.yaml", file: "env: [lbf]\n", want: "my.yaml:1: env: a list stands where a single value belongs"},
	{args: "run --env lbf --config my.yaml", file: "profile: smok\n", want: `my.yaml:1: unknown profile "smok", did you mean "smoke"?`},
	{args: "run --env lbf --config my.yaml --set gamma=2", file: "lr: x\n", want: "2 problems in the configuration:"},
	// other verbs
	{args: "resume", want: `want "macpro resume RUN", got 0 arguments`},
	{args: "resume nothing", want: `no run "nothing": it is neither a run's folder nor an id or name in results/runs`},
	{args: "resume nothing --thread 1", want: "unknown flag: --thread, did you mean --threads?"},
	{args: "eval", want: `want "macpro eval RUN", got 0 arguments`},
	{args: "eval nothing --out elsewhere", want: "nor an id or name in elsewhere/runs"},
	{args: "eval nothing --episodes many", want: `invalid argument "many" for "--episodes"`},
	{args: "export", want: `want "macpro export RUN", got 0 arguments`},
	{args: "export nothing", want: `no run "nothing": it is neither a run's folder nor an id or name in results/runs`},
	{args: "export nothing --fromat onnx", want: "unknown flag: --fromat, did you mean --format?"},
	{args: "list envs methods", want: `want "macpro list [tasks|runs|envs|learners`},
	{args: "list envs --set x=1", want: "--set is for macpro list tasks"},
	{args: "list envs --env lbf", want: "--env is for macpro list tasks"},
	{args: "list --set x=1", want: "--set is for macpro list tasks"},
	{args: "list env", want: `unknown list "env", did you mean "envs"?`},
	{args: "list tasks --env lfb", want: `unknown env "lfb", did you mean "lbf"?`},
	{args: "list tasks --set env_args.time_limit=3", want: "--set needs --env"},
	{args: "list tasks --env lbf --set env_args.time_limit=x", want: `env_args.time_limit: "x" is not a whole number`},
	{args: "version please", want: `want "macpro version"`},
	{args: "doctor please", want: `want "macpro doctor"`},
}

func TestBrokenCalls(t *testing.T) {
	t.Parallel()
	for _, c := range broken {
		t.Run(c.args+c.environ, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			left := 0
			if c.file != "" {
				left = 1
				if err := os.WriteFile(filepath.Join(dir, "my.yaml"), []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var environ []string
			if c.environ != "" {
				environ = []string{c.environ}
			}
			got := macpro(t, dir, environ, words(c.args)...)
			if got.Code != exitUsage || !strings.Contains(got.Stderr, c.want) || got.Stdout != "" {
				t.Errorf("exit code %d\n%s%s\nwant\n%s", got.Code, got.Stdout, got.Stderr, c.want)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) != left {
				t.Errorf("left %v behind (%v)", files, err)
			}
			if got.CPU > 5*time.Second {
				t.Errorf("took %v", got.CPU)
			}
		})
	}
}
