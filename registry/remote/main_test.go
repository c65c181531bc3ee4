package remote_test

import (
	"flag"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/plugins/continual/agem"
	"macpro/plugins/continual/cbp"
	"macpro/plugins/continual/clonex"
	"macpro/plugins/continual/er"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/l2"
	"macpro/plugins/continual/l2init"
	"macpro/plugins/continual/lwf"
	"macpro/plugins/continual/macpro"
	"macpro/plugins/continual/mas"
	"macpro/plugins/continual/onlineewc"
	"macpro/plugins/continual/owl"
	"macpro/plugins/continual/packnet"
	"macpro/plugins/continual/si"
	"macpro/plugins/envs/lbf"
	"macpro/plugins/learners/qmix"
	"macpro/registry/remote"
)

// serveVariable makes the test binary a plugin.
const serveVariable = "SERVE_TEST_PLUGIN"

// served are the plugins that the test binary can be.
func served() map[string]any {
	all := map[string]any{
		"env/mini": mini.Env{}, "learner/mini-learner": mini.Learner{}, "method/mini-method": describedMethod{},
		"env/lbf": lbf.Plugin{}, "learner/qmix": qmix.Plugin{}, "ablation/less": less{}, "learner/mini-recurrent": recurrent{},
	}
	for _, m := range []core.MethodPlugin{
		finetuning.Plugin{}, owl.Plugin{}, macpro.Plugin, agem.Plugin{}, clonex.Plugin{}, packnet.Plugin{}, l2.Plugin{}, l2init.Plugin{},
		onlineewc.Plugin{}, mas.Plugin{}, si.Plugin{}, lwf.Plugin{}, cbp.Plugin{}, er.Plugin{},
	} {
		all[remote.KindMethod+"/"+m.Info().Name] = m
	}
	maps.Copy(all, evils())
	maps.Copy(all, evilParts())
	for name, p := range listeners() {
		all[name] = p
	}
	return all
}

func TestMain(m *testing.M) {
	if name := os.Getenv(serveVariable); name != "" {
		beforeServing(name)
		spoiled(name)
		remote.Serve(served()[name])
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // many tests wait for something
		panic(err)
	}
	code := m.Run()
	remote.CloseAll()
	os.Exit(code)
}

// launch is how the test binary serves a plugin.
func launch(name string) remote.Launch {
	kind, _, _ := strings.Cut(name, "/")
	l := remote.Launch{
		Kind: kind, Command: []string{os.Args[0]}, Env: []string{serveVariable + "=" + name},
		StartTimeout: 2 * time.Minute, CallTimeout: 2 * time.Minute,
	}
	if p, ok := served()[name].(interface{ Info() core.Info }); ok {
		l.Info = p.Info()
	}
	if a, ok := served()[name].(core.AblationPlugin); ok {
		l.Algs = a.Algs()
	}
	return l
}

// isolated runs a plugin in a process of its own until the test ends.
func isolated[T any](t testing.TB, name string) T {
	t.Helper()
	p, err := remote.New(launch(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	x, ok := p.(T)
	if !ok {
		t.Fatalf("%s is a %T", name, p)
	}
	return x
}

// describedMethod is the mini-method with a configuration file, as the suite of
// methods wants it.
type describedMethod struct{ mini.Method }

func (m describedMethod) Info() core.Info {
	i := m.Method.Info()
	i.Config = []byte("# Nothing to set.\n")
	return i
}

// less is an ablation.
type less struct{}

func (less) Info() core.Info {
	return core.Info{Name: "less", Summary: "half of the batch", Version: "1", Config: []byte("batch_size: 16\n")}
}

func (less) Algs() []string { return []string{"finetuning"} }
