package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"macpro/core/report"
	"macpro/core/store"
)

// File is the name of an evaluation's file without its extension.
func (e Evaluate) File() string {
	name := e.Name
	for _, set := range e.Sets {
		name += "-" + set
	}
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r < ' ' {
			return '_'
		}
		return r
	}, name)
}

// evaluate makes the evaluations that a finished cell still lacks.
func (w *Worker) evaluate(ctx context.Context, c *Cell, st State) State {
	for _, e := range w.Sweep.Evaluate {
		name := report.EvaluationFile(w.Sweep.Root, st.Run, e.File())
		if data, err := store.ReadFile(w.Sweep.FS, name); err == nil && json.Valid(data) {
			continue
		}
		if err := w.evaluateOne(ctx, c, st.Run, e, name); err != nil {
			st.Status, st.Error = Failed, err.Error()
			if ctx.Err() != nil {
				st.Status, st.Error = Interrupted, context.Cause(ctx).Error()
			}
			st.Tail = lastLines(w.Sweep, c)
			return st
		}
	}
	return st
}

func (w *Worker) evaluateOne(ctx context.Context, c *Cell, id string, e Evaluate, name string) error {
	log, err := w.Sweep.FS.Append(w.Sweep.cellPath(c, "log.txt"))
	if err != nil {
		return err
	}
	argv := append(append([]string{}, w.Command...), "eval", filepath.Join(w.Sweep.Root, "runs", id), "--json", "--quiet")
	if e.Tasks != "" {
		argv = append(argv, "--tasks", e.Tasks)
	}
	if e.Modes != "" {
		argv = append(argv, "--modes", e.Modes)
	}
	for _, set := range e.Sets {
		argv = append(argv, "--set", set)
	}
	var out bytes.Buffer
	x := run(ctx, argv, &out, log, nil)
	if err := log.Close(); err != nil {
		return err
	}
	if x.err != nil || x.signal != 0 || x.code != 0 {
		return fmt.Errorf("evaluation %s: %v", e.Name, x)
	}
	v := report.Evaluation{Run: id, Name: e.Name, Sets: e.Sets}
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		return fmt.Errorf("evaluation %s: its result cannot be read: %w", e.Name, err)
	}
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return store.WriteFile(w.Sweep.FS, name, append(data, '\n'))
}

// splitLines cuts a text into its lines without empty ones.
func splitLines(data []byte) []string {
	var out []string
	for line := range strings.SplitSeq(string(data), "\n") {
		if strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return out
}
