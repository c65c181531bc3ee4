package palette

import "testing"

// A name has one colour, which nothing on the wheel has.
func TestNamed(t *testing.T) {
	for _, name := range []string{"mine", "yours", "without_expansion", ""} {
		first := Named(name)
		if Named(name) != first {
			t.Errorf("%q changes its colour", name)
		}
		for i := range wheel {
			if first == Wheel(i) {
				t.Errorf("%q has the colour %d of the wheel", name, i)
			}
		}
	}
	if Named("mine") == Named("yours") {
		t.Error("mine and yours have one colour")
	}
}
