package pp

import (
	"maps"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/rng"
)

func TestGeneratedConformance(t *testing.T) {
	s := conform.Defaults(t, Plugin{}.Info())
	maps.Copy(s, core.Settings{"env_args.generate": 4})
	conform.Env(t, Plugin{}, s)
}

// Every drawn name opens the task that it tells; speeds stay within the ranges of their
// difficulty and all preys occur.
func TestDraw(t *testing.T) {
	s, count := rng.New(3).Stream(), map[policy]int{}
	for range 1000 {
		name := draw(s, 0)
		x, ok := parse(name)
		if !ok {
			t.Fatalf("%s cannot be read", name)
		}
		count[x.policy]++
		for kind, b := range base {
			if b.policy != x.policy {
				continue
			}
			if f := x.prey.maxSpeed / b.prey.maxSpeed; f < 0.499 || f > 1.001 || x.prey.size != b.prey.size {
				t.Fatalf("%s: the prey is %g times as fast as that of %s", name, f, kind)
			}
			if f := x.predator.maxSpeed / b.predator.maxSpeed; f < 0.999 || f > 1.301 {
				t.Fatalf("%s: predators are %g times as fast as those of %s", name, f, kind)
			}
		}
	}
	for p, n := range count {
		if n < 200 || n > 300 {
			t.Errorf("%d of 1000 tasks have a prey that %s", n, p)
		}
	}
	for _, name := range []string{"fix-frozen-p100-q75", "bull-bull-p131-q75", "bull-bull-p100-q49", "bull-bull-p0100-q75", "bull-p100-q75"} {
		if x, ok := parse(name); ok {
			t.Errorf("%s was read as %+v", name, x)
		}
	}
	x, _ := parse("bull-bull-p120-q75")
	if b := base["bull-bull"]; x.predator.maxSpeed != b.predator.maxSpeed*1.2 || x.prey.accel != b.prey.accel*.75 || x.touching != 2 {
		t.Errorf("%+v", x)
	}
}
