package config

import "testing"

func TestSameValue(t *testing.T) {
	for _, c := range []struct {
		recorded, written string
		same              bool
	}{
		{"0.0001", "1e-4", true}, {"0.0001", "0.00010", true}, {"0.0001", "1e-5", false}, {"0.99", "0.990", true},
		{"true", "True", true}, {"true", "false", false}, {"true", "1", false}, {"5000", "5e3", true}, {"5000", "5_000.0", true},
		{"9007199254740993", "9007199254740992", false}, {"50", "x", false}, {"50", "", false},
		{"[right]", "[ right]", true}, {"[right, bottom]", "[right,bottom]", true}, {"[right]", "[right, bottom]", false},
		{"[right]", "right", false}, {"[1, 2]", "[1.0, 2]", true}, {"[]", "[ ]", true}, {`[a b]`, `["a b"]`, true},
		{"train", "train", true}, {"train", `"train"`, true}, {"train", "Train", false}, {"", `""`, true},
		{"0.5", "[0.5]", false},
	} {
		if got := SameValue(c.recorded, c.written); got != c.same {
			t.Errorf("recorded %q, written %q: same %v", c.recorded, c.written, got)
		}
	}
}
