package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"macpro/core"
	"macpro/core/film"
	"macpro/core/names"
	"macpro/core/rollout"
	"macpro/core/store"
)

type renderFlags struct {
	file     string
	ascii    bool
	episodes int
	rate     float64
}

func (f *renderFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.file, "render", "", "draw episodes into this file, "+strings.Join(film.Formats(), ", "))
	fs.BoolVar(&f.ascii, "render-ascii", false, "print episodes in letters, for boards such as lbf")
	fs.IntVar(&f.episodes, "render-episodes", 1, "episodes of every test that are drawn")
	fs.Float64Var(&f.rate, "fps", 4, "states a second in a gif")
}

// used refuses flags about drawings that are not made.
func (f *renderFlags) used(cmd *cobra.Command) error {
	return errors.Join(readBy(cmd, "--render and --render-ascii", f.file != "" || f.ascii, "render-episodes"),
		readBy(cmd, "--render FILE.gif", filepath.Ext(f.file) == ".gif", "fps"))
}

// filming collects the states of episodes; nil if nothing is to be drawn.
type filming struct {
	flags    renderFlags
	format   string
	reel     film.Reel
	episodes [][]film.Frame // of the test under way, by number
	test     string
}

func (f renderFlags) begin() (*filming, error) {
	m := &filming{flags: f, reel: film.Reel{Rate: f.rate}}
	switch {
	case f.file == "" && !f.ascii:
		return nil, nil
	case f.episodes < 1:
		return nil, fmt.Errorf("--render-episodes %d: want at least 1", f.episodes)
	case !(f.rate > 0 && f.rate <= 50):
		return nil, fmt.Errorf("--fps %v: want more than 0 and at most 50", f.rate)
	}
	if f.file != "" {
		m.format = strings.TrimPrefix(filepath.Ext(f.file), ".")
		if !slices.Contains(film.Formats(), m.format) {
			return nil, fmt.Errorf("--render %s: %w", f.file, names.Unknown("format of pictures", m.format, film.Formats()))
		}
	}
	return m, nil
}

// watch is what the evaluation shows its states to.
func (m *filming) watch(n *networks) func(task, mode string, s rollout.Moment) error {
	if m == nil {
		return nil
	}
	env := n.Env.Info().Name
	return func(task, mode string, s rollout.Moment) error {
		if s.Episode >= m.flags.episodes {
			return nil
		}
		if test := task + "/" + mode; test != m.test {
			m.test, m.episodes = test, make([][]film.Frame, m.flags.episodes)
		}
		painter, ok := s.Env.(core.Painter)
		if !ok {
			return usage(fmt.Errorf("the environment %s cannot be drawn: it does not offer the ability to paint its states (core.Painter)", env))
		}
		f := film.Frame{Title: fmt.Sprintf("%s %s, %s, episode %d", env, task, mode, s.Episode), Caption: caption(s), Last: s.Ended}
		painter.Paint(s.Lane, &f.Scene)
		if m.flags.ascii && !f.Scene.Board {
			return usage(fmt.Errorf("--render-ascii: %s is no board that letters could show; use --render FILE.gif", env))
		}
		if f.Scene.Note != "" {
			f.Caption += ", " + f.Scene.Note
		}
		f.Heads, f.Actions = slices.Clone(s.Heads), slices.Clone(s.Actions)
		m.episodes[s.Episode] = append(m.episodes[s.Episode], f)
		if !s.Ended {
			return nil
		}
		return m.cut()
	}
}

// caption says how far an episode has come.
func caption(s rollout.Moment) string {
	text := fmt.Sprintf("step %d/%d, return %.2f", s.T, s.Limit, s.Return)
	switch {
	case s.Won:
		text += ", won"
	case s.Ended:
		text += ", not won"
	}
	return text
}

// cut appends the episodes of a test to the reel in their order, once all of
// them have ended: they are played side by side.
func (m *filming) cut() error {
	for _, e := range m.episodes {
		if len(e) > 0 && !e[len(e)-1].Last {
			return nil
		}
	}
	for i, e := range m.episodes {
		for _, f := range e {
			if err := m.reel.Add(f); err != nil {
				return usage(err)
			}
		}
		m.episodes[i] = nil
	}
	return nil
}

func (m *filming) end(out output) error {
	if m == nil {
		return nil
	}
	if m.flags.ascii {
		screen := out.stdout
		if out.json {
			screen = out.stderr
		}
		if err := m.reel.WriteText(screen); err != nil {
			return err
		}
	}
	if m.format == "" {
		return nil
	}
	files, err := m.reel.Encode(m.format)
	if err != nil {
		return err
	}
	for i, data := range files {
		name := m.flags.file
		if m.format != "gif" {
			name = fmt.Sprintf("%s-%04d.%s", strings.TrimSuffix(name, "."+m.format), i, m.format)
		}
		if err := store.WriteOutput(name, data); err != nil {
			return err
		}
	}
	if !out.quiet {
		fmt.Fprintf(out.stderr, "pictures of %s: %s\n", names.Many(len(m.reel.Frames), "state"), names.Plain(m.written(len(files))))
	}
	return nil
}

func (m *filming) written(files int) string {
	if m.format == "gif" {
		return m.flags.file
	}
	base := strings.TrimSuffix(m.flags.file, "."+m.format)
	return fmt.Sprintf("%s-0000.%s to %s-%04d.%s", base, m.format, base, files-1, m.format)
}
