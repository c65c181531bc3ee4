package remote_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/rng"
	"macpro/plugins/envs/lbf"
	"macpro/registry/remote"
	"macpro/registry/remote/manifest"
)

// withPython puts a Python that has grpc and protobuf first on the path, or
// skips the test.
func withPython(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-c", "import grpc, google.protobuf").Run() == nil {
			dir := t.TempDir()
			if err := os.Symlink(path, filepath.Join(dir, "python3")); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(path, "shims") {
				dir = filepath.Dir(path) // a shim looks at its own name
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
			return path
		}
	}
	t.Skip("no Python with grpc and protobuf here (Debian: python3-grpcio python3-protobuf)")
	return ""
}

// pythonPlugin starts an example plugin.
func pythonPlugin(t *testing.T, name string) core.EnvPlugin {
	t.Helper()
	withPython(t)
	m, err := manifest.Read("../../examples/python/" + name)
	if err != nil {
		t.Fatal(err)
	}
	l := m.Launch(func(string) error { return nil })
	l.StartTimeout, l.CallTimeout = 2*time.Minute, 2*time.Minute
	p, err := remote.New(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p.(core.EnvPlugin)
}

func TestPythonConformance(t *testing.T) {
	names := []string{"matrix_game", "lbf"}
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p := pythonPlugin(t, name)
			skip := []string{"allocations"}
			if name == "lbf" {
				skip = append(skip, "episodes", "hash") // every task and key: seconds
			}
			conform.Env(t, p, conform.Defaults(t, p.Info()), skip...)
		})
	}
}

// Equal seeds and actions give the episodes of the environment in Go, in every
// bit, with several lanes that end at different times.
func TestPythonForagingIsTheSame(t *testing.T) {
	const lanes = 4
	p := pythonPlugin(t, "lbf")
	s := conform.Defaults(t, lbf.Plugin{}.Info())
	for _, task := range []string{"right", "bottomleft", "6x6-right"} {
		here, err := lbf.Plugin{}.Open(task, lanes, s)
		if err != nil {
			t.Fatal(err)
		}
		there, err := p.Open(task, lanes, s)
		if err != nil {
			t.Fatal(err)
		}
		draw := rng.FromSeed(5)
		a, b := core.NewFrame(here.Spec(), lanes), core.NewFrame(here.Spec(), lanes)
		active := []int{0, 1, 2, 3}
		seeds := []uint64{1, 2, 1<<63 + 3, 4}
		for i, e := range []core.Env{here, there} {
			if err := e.Reset(active, seeds, []*core.Frame{a, b}[i]); err != nil {
				t.Fatal(err)
			}
		}
		ends := 0
		for step := range 400 {
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("%s, step %d: the frames differ:\n%v\n%v", task, step, a, b)
			}
			var over []int
			for l := range lanes {
				if a.Terminated[l] || a.Truncated[l] {
					over = append(over, l)
					a.Terminated[l], a.Truncated[l], b.Terminated[l], b.Truncated[l] = false, false, false, false
				}
			}
			ends += len(over)
			fresh := make([]uint64, len(over))
			for i := range fresh {
				fresh[i] = draw.Uint64()
			}
			joint := make([]int32, lanes*2)
			for i := range joint {
				joint[i] = int32(1 + draw.Intn(4))
			}
			for i, e := range []core.Env{here, there} {
				f := []*core.Frame{a, b}[i]
				if err := e.Reset(over, fresh, f); err != nil {
					t.Fatal(err)
				}
				if err := e.Step(active, joint, f); err != nil {
					t.Fatal(err)
				}
			}
		}
		if ends < 50 {
			t.Errorf("%s: only %d episodes ended", task, ends)
		}
	}
}

// Errors of a Python plugin are shown: one at its import, one in a step.
func TestPythonErrors(t *testing.T) {
	withPython(t)
	sdk, err := filepath.Abs("../../sdk/python")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", sdk)
	for text, says := range map[string][]string{
		"import macpro_plugin\nprint('loading')\nimport no_such_module\n":                                                              {"start: it ended at once with exit status 1", "No module named 'no_such_module'"},
		strings.Replace(broken, "1 / 0", "self.observe = lambda: [['one']]", 1):                                                        {`Reset: broken x: lane 0, agent 0: the observation, number 0 is 'one', want a number`},
		strings.Replace(broken, "version = \"broken\", \"divides by zero\", \"1\"", "version = \"broken\", \"divides by zero\", 1", 1): {`Describe: version is 1, want a string`},
		broken: {"plugin env/broken: Reset: ZeroDivisionError: division by zero; its last words:\n", "broken.py", "in reset\n    1 / 0"},
		strings.Replace(broken, "1 / 0", "exit(3)", 1): {"Reset: SystemExit: 3; its last words:\n", "in reset\n    exit(3)"},
	} {
		t.Run(says[0], func(t *testing.T) {
			t.Parallel()
			script := filepath.Join(t.TempDir(), "broken.py")
			if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			l := remote.Launch{Kind: "env", Info: core.Info{Name: "broken", Version: "1"}, Command: []string{"python3", script}, StartTimeout: 2 * time.Minute}
			p, err := remote.New(l)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			err = p.Start()
			if err == nil {
				e, err2 := p.(core.EnvPlugin).Open("x", 1, nil)
				if err2 != nil {
					t.Fatal(err2)
				}
				err = e.Reset([]int{0}, []uint64{1}, core.NewFrame(e.Spec(), 1))
			}
			wants(t, err, says...)
		})
	}
}

const broken = `
from macpro_plugin import Family, Game, Spec, serve

class Zero(Game):
    spec = Spec(agents=1, actions=1, obs=1, state=1, limit=1, max_return=1.0)

    def reset(self, rng):
        1 / 0

class Broken(Family):
    name, summary, version = "broken", "divides by zero", "1"
    sequences = {"train": ["x"]}

    def make(self, task, settings):
        return Zero()

serve(Broken())
`

// The kit's own tests, which need no other process.
func TestPythonKit(t *testing.T) {
	python := withPython(t)
	cmd := exec.Command(python, "-m", "unittest", "discover", "-s", "tests")
	cmd.Dir = "../../sdk/python"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
