package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// evil turns a terminal red, hides what follows and turns the direction of
// writing.
const evil = "\x1b[31mred\u009b8m\u202egnp\x07"

// What a name holds never reaches a terminal as it is.
func TestNamesDoNotSteerTheTerminal(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "results", "runs", evil), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, evil+".yaml"), []byte("a: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{evil}, {"help", evil}, {"run", evil}, {"run", "--env", evil}, {"run", "--env", "lbf", "--alg", evil}, {"run", "--env", "lbf", "--" + evil},
		{"run", "--env", "lbf", "--set", "tasks=[" + evil + "]"}, {"run", "--env", "lbf", "--set", evil}, {"run", "--env", "lbf", "--set", evil + "=1"},
		{"run", "--env", "lbf", "--set", "lr=" + evil}, {"run", "--env", "lbf", "--config", evil + ".yaml"}, {"run", "--env", "lbf", "--config", evil},
		{"run", "--env", "lbf", "--ablation", evil}, {"run", "--env", "lbf", "--env-plugin", evil}, {"run", "--env", "lbf", "--plugin-dir", evil},
		{"resume", evil}, {"eval", evil}, {"export", evil}, {"export", evil, "--format", evil},
		{"list", evil}, {"list", "tasks", "--env", evil}, {"doctor", evil}, {"version", evil},
		{"table", evil}, {"table", "main", evil}, {"plot", evil}, {"report", evil}, {"publish", evil},
		{"sweep", evil}, {"sweep", "status", evil}, {"sweep", "smoke", "--dry-run", "--name", evil}, {"sweep", "smoke", "--set", evil + "=1"}, {"sweep", evil + ".yaml"},
		{"plugin", evil}, {"plugin", "check", evil}, {"plugin", "new", "env", evil},
	} {
		got := macpro(t, dir, nil, line...)
		text := got.Stdout + got.Stderr
		if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }); i >= 0 {
			t.Errorf("%q prints %q", line, text[max(0, i-40):min(len(text), i+40)])
		}
		if got.Code == exitOK && got.Stdout == "" {
			t.Errorf("%q was accepted", line)
		}
	}
}

// Nor do the names of folders and files that a verb has written.
func TestFoldersDoNotSteerTheTerminal(t *testing.T) {
	dir := t.TempDir()
	for _, line := range [][]string{
		{"run", "--env", "lbf", "--alg", "finetuning", "--profile", "smoke", "--set", "steps_per_task=60", "--set", "test_nepisode=2", "--out", evil},
		{"table", "main", "--out", evil}, {"plot", "main", "--out", evil, "-o", evil + ".png"}, {"report", "--out", evil, "-o", evil + ".html"},
		{"eval", "RUN", "--out", evil}, {"export", "RUN", "--out", evil, "-o", evil + ".safetensors"},
		{"eval", "RUN", "--out", evil, "--render", evil + ".svg"},
	} {
		if line[0] != "run" && line[1] == "RUN" {
			runs, err := os.ReadDir(filepath.Join(dir, evil, "runs"))
			if err != nil || len(runs) != 1 {
				t.Fatal(runs, err)
			}
			line[1] = runs[0].Name()
		}
		got := macpro(t, dir, []string{"MACPRO_PLUGIN_PATH=\x1b[31mred"}, line...)
		text := got.Stdout + got.Stderr
		if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }); i >= 0 {
			t.Errorf("%q prints %q", line, text[max(0, i-40):min(len(text), i+40)])
		}
		if got.Code != exitOK {
			t.Errorf("%q ends with %d: %s", line, got.Code, text)
		}
	}
}
