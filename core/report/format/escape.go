package format

import (
	"regexp"
	"strconv"
	"strings"

	"macpro/core/names"
)

// Names, values and messages in tables may come from files and programs of
// others. Every sink has one function that takes away the meaning that they could
// have there; the page's template and encoding/json escape by themselves.

// terminalText keeps control codes from a terminal.
func terminalText(s string) string { return names.Plain(s) }

// MarkdownText keeps signs of names from having a meaning, and HTML from being
// HTML. A "<" that begins no tag, as in a formula, stays.
func MarkdownText(s string) string {
	s = tag.ReplaceAllString(names.Plain(s), "&lt;$1")
	return strings.NewReplacer("_", `\_`, "|", `\|`, "*", `\*`, "](", `]\(`, "`", "\\`").Replace(s)
}

// markdownLabel is MarkdownText for the first cells of a row. A "_" within a word
// has no meaning and stays.
func markdownLabel(s string) string {
	return within.ReplaceAllString(MarkdownText(s), "${1}_")
}

var within = regexp.MustCompile(`([\pL\pN])\\_`)

// tag is what may begin a tag, a comment or an automatic link in Markdown.
var tag = regexp.MustCompile(`<([/!?]|[A-Za-z][A-Za-z0-9.+@-]*([\s/>:]|$))`)

func texText(s string) string { return texSpecial.Replace(names.Plain(s)) }

var texSpecial = strings.NewReplacer(
	`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
	"±", `$\pm$`, "<", `$<$`, ">", `$>$`)

// CSVText keeps a spreadsheet from taking a text for a formula. Numbers stay.
func CSVText(s string) string {
	if s == "" || !strings.ContainsAny(s[:1], "=+-@\t\r") {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
