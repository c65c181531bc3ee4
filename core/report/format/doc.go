// Package format prints tables as text, Markdown, LaTeX, CSV and JSON.
package format
