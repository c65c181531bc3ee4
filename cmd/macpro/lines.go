package main

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"macpro/core/names"
)

// newLog writes for the user: on a terminal lines to be read, elsewhere lines that
// programs read as well. quiet leaves warnings and errors.
func newLog(w io.Writer, s *screen, quiet bool) slog.Handler {
	level := slog.LevelInfo
	if quiet {
		level = slog.LevelWarn
	}
	if s != nil {
		return &lines{screen: s, level: level}
	}
	return slog.NewTextHandler(w, &slog.HandlerOptions{Level: level})
}

// lines prints the time, the message and, in brackets, what belongs to it, in lines
// that the terminal can show.
type lines struct {
	screen *screen
	level  slog.Level
}

func (l *lines) Enabled(_ context.Context, level slog.Level) bool { return level >= l.level }

// WithAttrs implements slog.Handler. Nothing here has attributes of its own.
func (l *lines) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *lines) WithGroup(string) slog.Handler { return l }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	var with []string
	r.Attrs(func(a slog.Attr) bool {
		with = appendAttr(with, "", a)
		return true
	})
	text := r.Message
	if len(with) > 0 {
		text += " (" + strings.Join(with, ", ") + ")"
	}
	code, word := faint, ""
	if r.Level >= slog.LevelWarn {
		code, word = yellow, "warning:"
	}
	return l.screen.line(r.Time.Format(clockForm), code, word, text)
}

// appendAttr words a value, and the parts of a group each.
func appendAttr(to []string, prefix string, a slog.Attr) []string {
	v := a.Value.Resolve()
	if v.Kind() != slog.KindGroup {
		return append(to, strings.ReplaceAll(prefix+a.Key, "_", " ")+" "+v.String())
	}
	for _, part := range v.Group() {
		to = appendAttr(to, prefix+a.Key+".", part)
	}
	return to
}

// clockForm is the form of the time in front of a line.
const clockForm = "15:04:05"

// line writes a text that may be longer than the terminal is wide behind a label, a first
// word in a colour, if it is not "", and in front of phrases that are not broken.
func (s *screen) line(label, code, word, text string, phrases ...string) error {
	columns, _ := sizeOf(s.file)
	words := append(strings.Fields(names.Plain(text)), phrases...)
	if word != "" {
		words = append([]string{s.paint(code, word)}, words...)
	}
	_, err := io.WriteString(s, strings.Join(s.labelled(label, words, columns), "\n")+"\n")
	return err
}
