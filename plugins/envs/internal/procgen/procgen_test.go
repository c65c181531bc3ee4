package procgen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macpro/core/rng"
)

func letter(s *rng.Stream, d float64) string { return fmt.Sprint(s.Intn(1 + int(d*100))) }

// Tasks are distinct, the same at every call, the first of a longer sequence are those of
// a shorter one, and another seed or family has others.
func TestDraw(t *testing.T) {
	draw := func(n int, seed int64, family string) []string {
		names, err := Config{Count: n, Difficulty: 1, Seed: seed}.Draw(family, letter)
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	long := draw(50, 1, "a")
	if sorted := slices.Sorted(slices.Values(long)); len(slices.Compact(sorted)) != 50 {
		t.Errorf("not distinct: %v", long)
	}
	if short := draw(20, 1, "a"); !slices.Equal(short, long[:20]) {
		t.Errorf("%v is no beginning of %v", short, long)
	}
	if slices.Equal(draw(50, 2, "a"), long) || slices.Equal(draw(50, 1, "b"), long) {
		t.Error("another seed or family draws the same tasks")
	}
	_, err := Config{Count: 3, Difficulty: 0.01, Seed: 1}.Draw("a", letter)
	if err == nil || !strings.Contains(err.Error(), "only 2 different tasks") {
		t.Errorf("three of two tasks: %v", err)
	}
}
