// Package names finds the known name that a misspelt one was meant to be, and
// words the error for it. Every list of names in macpro (plugins, tasks,
// configuration keys, profiles) answers a slip in this one way. Plain makes names
// that others chose safe to print.
package names

import (
	"errors"
	"fmt"
	"regexp"
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

// Many is a number of things, as in "1 head" and "2 heads".
func Many[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// digest is a SHA-256 as hexadecimal digits.
var digest = regexp.MustCompile(`\b([0-9a-f]{12})[0-9a-f]{52}\b`)

// Brief leaves of every SHA-256 in a text the first 12 of its 64 digits, which tell
// it from others. It is for people: keys that are read again need all digits.
func Brief(text string) string { return digest.ReplaceAllString(text, "$1") }

// MaxLen bounds names of plugins and tasks, in bytes.
const MaxLen = 200

// Check says what is wrong with a name that a plugin gives to itself or to a task,
// if anything: names are written on command lines, in names of files and in tables.
func Check(name string) error {
	switch {
	case name == "":
		return errors.New("a name must not be empty")
	case len(name) > MaxLen:
		return fmt.Errorf("the name %s... has %d bytes, want at most %d", Plain(name[:20]), len(name), MaxLen)
	case Plain(name) != name:
		return fmt.Errorf("the name %q holds characters that no screen shows", name)
	case strings.ContainsAny(name, "/ "):
		return fmt.Errorf("the name %q must be one word without a slash", name)
	case strings.HasPrefix(name, "-"):
		return fmt.Errorf("the name %q must not begin with a dash, as flags do", name)
	}
	return nil
}
