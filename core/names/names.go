// Package names finds the known name that a misspelt one was meant to be, and
// words the error for it. Every list of names in macpro (plugins, tasks,
// configuration keys, profiles) answers a slip in this one way. Plain makes names
// that others chose safe to print.
package names

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Unknown is the error for a name that is not among the known ones: it points
// out the nearest and lists all of them.
func Unknown(kind, name string, known []string) error {
	msg := fmt.Sprintf("unknown %s %q", kind, name)
	if near := Nearest(name, known); near != "" {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	if len(known) > 0 {
		msg += fmt.Sprintf(" (known: %s)", strings.Join(known, ", "))
	}
	return fmt.Errorf("%s", msg)
}

// Nearest returns the known name that is closest to name by edit distance,
// whatever the case of its letters, or else the first that starts with name, or
// "" if none is near enough to be a likely slip. Of equally close ones it is the
// first with the same letters in another order.
func Nearest(name string, known []string) string {
	best, dist := "", slips(utf8.RuneCountInString(name))+1
	for _, k := range known {
		d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(k))
		if (d < dist || d == dist && sameLetters(name, k) && !sameLetters(name, best)) && d < max(utf8.RuneCountInString(name), utf8.RuneCountInString(k)) { // some letter is the same
			best, dist = k, d
		}
	}
	for _, k := range known {
		if best == "" && len(name) > 2 && strings.HasPrefix(k, name) {
			best = k
		}
	}
	return best
}

// slips is how many letters of a name may be wrong: two fifths of them, two at least
// and five at most. More is another word.
func slips(letters int) int { return min(max(2, (2*letters+2)/5), 5) }

// sameLetters says whether two names differ in nothing but the order of their letters.
func sameLetters(a, b string) bool {
	sorted := func(s string) []rune { return slices.Sorted(slices.Values([]rune(strings.ToLower(s)))) }
	return slices.Equal(sorted(a), sorted(b))
}
