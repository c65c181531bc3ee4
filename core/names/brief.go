package names

import "regexp"

// digest is a SHA-256 as hexadecimal digits.
var digest = regexp.MustCompile(`\b([0-9a-f]{12})[0-9a-f]{52}\b`)

// Brief leaves of every SHA-256 in a text the first 12 of its 64 digits, which tell
// it from others. It is for people: keys that are read again need all digits.
func Brief(text string) string { return digest.ReplaceAllString(text, "$1") }
