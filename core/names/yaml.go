package names

import "strings"

// YAML says in the text of an error of the YAML parser what is most often behind it.
func YAML(text string) string {
	return strings.Replace(text, "found character that cannot start any token",
		"a tab stands where YAML wants blanks, or a value begins with a character such as @ or %", 1)
}
