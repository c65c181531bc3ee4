package macpro

import (
	"reflect"
	"testing"
)

// Centers are computed once for networks and a D' that stay as they are, and anew
// after an episode, a context step or a state was loaded. What a caller does to
// them is its own affair.
func TestCentersAreComputedOnce(t *testing.T) {
	w := trained(t)
	ask := func() []center {
		cs, err := w.m.centers(w.root.Child("any"))
		w.must(err)
		return cs
	}
	first := ask()
	if len(first) < 2 {
		t.Fatalf("%d centers, want those of two groups", len(first))
	}
	ask()[0].radius = -2
	if !reflect.DeepEqual(ask(), first) {
		t.Error("centers changed although nothing happened")
	}
	for what, happens := range map[string]func(){
		"an episode":     func() { w.collect(1) },
		"a context step": func() { w.must(w.m.contextStep(w.m.ready(), w.progress)) },
	} {
		ask()
		w.m.fresh.centers[0].radius = -1 // what is kept is what is given
		if got := ask()[0].radius; got != -1 {
			t.Errorf("before %s: radius %v, want the kept one", what, got)
		}
		happens()
		got := ask()
		want, err := w.m.computeCenters(w.root.Child("any"))
		w.must(err)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("after %s: centers %v, want %v", what, got, want)
		}
	}
}
