package sdk_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/record"
	"macpro/plugins/continual/ewc"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/learners/qmix"
	"macpro/registry/remote"
	"macpro/registry/remote/manifest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	remote.CloseAll()
	os.Exit(code)
}

// withPython puts a Python that has the modules first on the path, or skips the
// test.
func withPython(t *testing.T, modules, packages string) {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err != nil || exec.Command(path, "-c", "import "+modules).Run() != nil {
			continue
		}
		dir := filepath.Dir(path)
		if name != "python3" {
			dir = t.TempDir()
			if err := os.Symlink(path, filepath.Join(dir, "python3")); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
		return
	}
	t.Skipf("no Python here that can import %s (Debian: %s)", modules, packages)
}

// running are the plugins that were started, by their places. They end with the
// tests.
var running = map[string]remote.Plugin{}

// python is the running plugin of a folder, or of a script of testdata.
func python[T any](t *testing.T, path string) T {
	t.Helper()
	p := running[path]
	if p == nil {
		p = started(t, path)
		running[path] = p
	}
	x, ok := p.(T)
	if !ok {
		t.Fatalf("%s is a %T", path, p)
	}
	return x
}

// started starts a plugin.
func started(t *testing.T, path string) remote.Plugin {
	t.Helper()
	modules, packages := "grpc, google.protobuf, numpy", "python3-grpcio python3-protobuf python3-numpy"
	if strings.Contains(path, "torch") {
		modules, packages = modules+", torch", packages+" python3-torch"
	}
	withPython(t, modules, packages)
	l, start := remote.Launch{Command: []string{"python3", path}}, remote.Discover
	if !strings.HasSuffix(path, ".py") {
		m, err := manifest.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		l, start = m.Launch(func(string) error { return nil }), remote.New
	}
	l.StartTimeout, l.CallTimeout = time.Minute, time.Minute
	p, err := start(l)
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func example(name string) string { return "../examples/python/" + name }

// settings are those of every run, with small networks, and the own keys of
// plugins, with changes on top.
func settings(t *testing.T, infos []core.Info, changes ...any) core.Settings {
	t.Helper()
	s, err := qlearntest.Settings(core.Settings{"mlp_hidden": 8, "mlp_layers": 2, "rnn_hidden_dim": 6})
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(s, mini.Settings())
	for _, i := range infos {
		maps.Copy(s, conform.Defaults(t, i))
	}
	for i := 0; i+1 < len(changes); i += 2 {
		s[changes[i].(string)] = changes[i+1]
	}
	return s
}

// played plays a run to its end, from a checkpoint if there is one.
func played(t *testing.T, rec *conform.Record, o continual.Options, from *conform.Checkpoint) (map[string][]byte, record.Result) {
	t.Helper()
	parts, res, err := rec.Play(o, from)
	if err != nil {
		t.Fatal(err)
	}
	return parts, res
}

// The examples of methods and learners pass the suites.
func TestExamplesConform(t *testing.T) {
	small := []any{"mixing_embed_dim", 4, "hypernet_embed", 4}
	t.Run("ewc", func(t *testing.T) {
		p := python[core.MethodPlugin](t, example("ewc"))
		conform.Method(t, p, conform.Defaults(t, p.(remote.Plugin).Info()))
	})
	t.Run("task free", func(t *testing.T) {
		conform.Method(t, python[core.MethodPlugin](t, "testdata/free.py"), nil)
	})
	for name, path := range map[string]string{
		"linear_vdn": example("linear_vdn"), "torch_qmix": example("torch_qmix"), "every ability": "testdata/able.py",
	} {
		t.Run(name, func(t *testing.T) {
			p := python[core.LearnerPlugin](t, path)
			conform.Learner(t, conform.LearnerSubject{Plugin: p, Settings: settings(t, []core.Info{p.Info()}, small...)})
		})
	}
}

// EWC in Python is the built-in one: journal and learner are the same, byte for
// byte, and so are those of runs that go on from a checkpoint.
func TestEWCHasTheBitsOfTheBuiltIn(t *testing.T) {
	there := python[core.MethodPlugin](t, example("ewc"))
	s := settings(t, []core.Info{qmix.Plugin{}.Info(), ewc.Plugin{}.Info()}, "fisher_episodes", 6, "checkpoint_interval", 40)
	run := func(p core.MethodPlugin) (*conform.Record, map[string][]byte, continual.Options) {
		rec, o := &conform.Record{}, continual.Options{Env: mini.Env{}, Learner: qmix.Plugin{}, Method: p, Settings: s}
		parts, _ := played(t, rec, o, nil)
		return rec, parts, o
	}
	_, plain, _ := run(finetuning.Plugin{})
	want, built, _ := run(ewc.Plugin{})
	if conform.SameParts(plain, built, continual.PartMethod) == nil {
		t.Fatal("EWC changes nothing here")
	}
	rec, parts, o := run(there)
	if err := conform.SameRows(want.Rows, rec.Rows); err != nil {
		t.Error(err)
	}
	if err := conform.SameParts(built, parts, continual.PartMethod, continual.PartRun); err != nil { // which name the method
		t.Error(err)
	}
	for i, c := range rec.Checkpoints {
		if i%4 != 1 {
			continue
		}
		again := rec.From(c)
		end, _ := played(t, again, o, &c)
		if err := conform.SameRows(rec.Rows, again.Rows); err != nil {
			t.Errorf("resumed at t_env %d: %v", c.Meta.TEnv, err)
		}
		if err := conform.SameParts(parts, end); err != nil {
			t.Errorf("resumed at t_env %d: %v", c.Meta.TEnv, err)
		}
	}
}

// The linear learner finds the best joint action of every matrix.
func TestLinearVDNLearnsTheMatrixGame(t *testing.T) {
	env, p := python[core.EnvPlugin](t, example("matrix_game")), python[core.LearnerPlugin](t, example("linear_vdn"))
	s := settings(t, []core.Info{p.Info(), env.Info(), finetuning.Plugin{}.Info()},
		"steps_per_task", 400, "epsilon_anneal_time", 200, "explore_sticky", 0.0, "batch_size", 16, "buffer_size", 400, "lr", 0.02, "test_interval", 400, "test_nepisode", 8)
	_, res := played(t, &conform.Record{}, continual.Options{Env: env, Learner: p, Method: finetuning.Plugin{}, Settings: s}, nil)
	matrix := res.R["single"]
	for i := range res.Tasks {
		if got := matrix[i+1][i]; got != 1 {
			t.Errorf("after task %s its return is %v, the best is 1", res.Tasks[i], got)
		}
	}
}
