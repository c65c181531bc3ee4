package sc2

import (
	"flag"
	"os"
	"testing"

	"macpro/core"
	"macpro/plugins/envs/internal/sc2/sc2test"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

func TestMain(m *testing.M) {
	sc2test.Main()
	playVictim()
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // most tests wait for something
		panic(err)
	}
	os.Exit(m.Run())
}

// never is a time-out in seconds that is not to come.
const never = 120

// config is a configuration for the stand-in that is installed in root.
func config(root string) Config {
	return Config{Backend: Backend, Path: root, Args: []string{"-headlessNoRender"}, Games: 64, StartTimeout: never, Timeout: never}
}

// task makes the task of a map as package family does.
func task(t testing.TB, name string, rules *skirmish.Rules) Task {
	t.Helper()
	m := battle.Find(battle.Every, name)
	if m == nil {
		t.Fatalf("no map %s", name)
	}
	opt := battle.Options{Rules: rules, Sight: 9, Shoot: 6}
	v := battle.NewView(m, opt)
	return Task{Map: m, Options: opt, Spec: core.EnvSpec{
		Env: "test", Task: name, Agents: m.Agents(), Actions: m.Actions(), ObsWidth: v.ObsWidth(), StateWidth: v.StateWidth(),
		Limit: m.Limit,
	}}
}

// open opens lanes of a task; they are closed when the test ends, if not before.
func open(t testing.TB, task Task, lanes int, c Config) *env {
	t.Helper()
	e, err := Open(task, lanes, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e.(*env)
}

// played is one lane of an environment with its frame.
type played struct {
	*env
	f *core.Frame
	u []int32
}

func newPlayed(e *env) *played {
	s := e.Spec()
	return &played{env: e, f: core.NewFrame(s, 1), u: make([]int32, s.Agents)}
}

func (p *played) reset(t testing.TB, seed uint64) {
	t.Helper()
	if err := p.Reset([]int{0}, []uint64{seed}, p.f); err != nil {
		t.Fatal(err)
	}
}

// step plays a joint action that is always available: agents stop.
func (p *played) step(t testing.TB) {
	t.Helper()
	if err := p.tryStep(); err != nil {
		t.Fatal(err)
	}
}

func (p *played) tryStep() error {
	a := p.Spec().Actions
	for i := range p.u {
		p.u[i] = int32(p.f.Avail[i*a+1])
	}
	return p.Step([]int{0}, p.u, p.f)
}
