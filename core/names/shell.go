package names

import "strings"

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
