package palette

import "testing"

// A name has one colour, which nothing on the wheel has.
func TestNamed(t *testing.T) {
	for _, name := range []string{"mine", "yours", "without_expansion", ""} {
		if Named(name) != Named(name) {
			t.Errorf("%q changes its colour", name)
		}
		for i := range wheel {
			if Named(name) == Wheel(i) {
				t.Errorf("%q has the colour %d of the wheel", name, i)
			}
		}
	}
	if Named("mine") == Named("yours") {
		t.Error("mine and yours have one colour")
	}
}
