package names

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain makes a text safe to print on a terminal in one line: names and values
// may come from files and programs of others. What no screen shows, such as an
// escape code, a line end, a mark that turns the direction of writing, or a byte
// that is no UTF-8, is spelt out as in Go (\x1b, \n, \u202e). Other texts come
// back as they are.
func Plain(s string) string { return spell(s, "") }

// PlainLines is Plain for a text of several lines: line ends and tabs stay.
func PlainLines(s string) string { return spell(s, "\n\t") }

func spell(s, keep string) string {
	shown := func(r rune) bool { return unicode.IsPrint(r) || strings.ContainsRune(keep, r) }
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !shown(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if shown(r) && (r != utf8.RuneError || n > 1) {
			b.WriteString(s[:n])
		} else {
			q := strconv.Quote(s[:n])
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[n:]
	}
	return b.String()
}

// ShellWord quotes a word where the shell would read it in another way.
func ShellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:/-") == "" && s != "" {
		return s
	}
	return Quote(s)
}

// Quote quotes a word for the shell. One that cannot be shown is spelt out, in
// the form of quotes that the shell reads back.
func Quote(s string) string {
	if Plain(s) != s {
		plain := Plain(strings.ReplaceAll(s, `\`, `\\`))
		return "$'" + strings.ReplaceAll(plain, "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
