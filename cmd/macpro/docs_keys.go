package main

import (
	"fmt"
	"io"
	"strings"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/core/report/format"
)

// kindWords are the types of keys in the words of a user.
var kindWords = map[core.Kind]string{
	core.Bool: "true or false", core.Int: "whole number", core.Float: "number", core.String: "text",
	core.Strings: "list of texts", core.Ints: "list of whole numbers",
}

func (k keyDoc) allowed() string {
	text := kindWords[k.Kind]
	if len(k.Enum) > 0 {
		text = strings.Join(k.Enum, ", ")
	}
	switch {
	case k.Min != nil && k.Max != nil:
		text += fmt.Sprintf(" from %g to %g", *k.Min, *k.Max)
	case k.Min != nil:
		text += fmt.Sprintf(" from %g", *k.Min)
	case k.Max != nil:
		text += fmt.Sprintf(" up to %g", *k.Max)
	}
	return text
}

// meaning is the help of a key, and when it counts.
func (k keyDoc) meaning() string {
	if k.Only == "" {
		return k.Help
	}
	return k.Help + "; only " + config.When(k.Only)
}

// keysText writes lines of at most so many columns.
func keysText(w io.Writer, sections []keySection, width int) error {
	var b strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&b, "%s\n", s.Title)
		for _, k := range s.Keys {
			usual := ""
			if k.Default != "" {
				usual = " (" + k.Default + ")"
			}
			fmt.Fprintf(&b, "  %s%s: %s\n", k.Key, usual, k.allowed())
			b.WriteString(wrapped("      ", strings.Fields(k.meaning()), width))
		}
		b.WriteString("\n")
	}
	b.WriteString("The value in brackets is the default. \"macpro run --dry-run\" shows the values of a run.\n")
	_, err := io.WriteString(w, names.PlainLines(b.String()))
	return err
}

func keysMarkdown(w io.Writer, sections []keySection) error {
	var b strings.Builder
	b.WriteString("# Keys of a configuration\n\nWritten by `macpro docs keys --format md -o docs/keys.md`. The default is that of a run without a profile.\n" +
		"`macpro run --env ENV --dry-run` shows the values of a run and where each comes from.\n")
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n| key | default | values | meaning |\n|---|---|---|---|\n", format.MarkdownText(s.Title))
		for _, k := range s.Keys {
			usual := ""
			if k.Default != "" {
				usual = "`" + k.Default + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Key, usual, format.MarkdownText(k.allowed()), format.MarkdownText(k.meaning()))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
