package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// documents are the pages whose commands people copy.
var documents = []string{"README.md", "CONTRIBUTING.md", "docs/*.md", "results/*.md", "examples/*.md", "sdk/python/*.md"}

var indented = regexp.MustCompile(`(?m)(?:^    .*\n)+`)

// README.md begins with two commands, the main job and the tests, on the first
// screen. The gate runs the first one as it is printed.
func TestReadmeBegins(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	at := indented.FindStringIndex(text)
	if at == nil {
		t.Fatal("there is no command")
	}
	lines := strings.Split(strings.TrimSpace(text[at[0]:at[1]]), "\n")
	want := []string{"go run ./cmd/macpro run --alg macpro --env pp --profile smoke", "    go test ./..."}
	if len(lines) != 2 || lines[0] != want[0] || lines[1] != want[1] {
		t.Errorf("the first commands are %q, want %q", lines, want)
	}
	if n := strings.Count(text[:at[1]], "\n"); n > 30 {
		t.Errorf("they end in line %d, which is no longer the first screen", n)
	}
	for _, name := range []string{"go.dev/dl", "envs_per_rollout", "make release", "docs/tour.md", "macpro plot", "macpro report", "report --serve", "macpro export"} {
		if !strings.Contains(text, name) {
			t.Errorf("it does not say %q", name)
		}
	}
}

// Every command that a page prints has a verb, flags and a number of arguments that
// the program knows.
func TestCommandsOfTheDocs(t *testing.T) {
	t.Parallel()
	root, seen := filepath.Join("..", ".."), 0
	for _, pattern := range documents {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := filepath.Rel(root, file)
			for _, line := range printedCommands(string(data)) {
				seen++
				if err := parses(shellWords(line)); err != nil {
					t.Errorf("%s: macpro %s: %v", name, line, err)
				}
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d commands", seen)
	}
	for _, wrong := range []string{"runn", "run --algo x", "list nothing at all", "export", "sweep cancel a b", "run --env"} {
		if parses(words(wrong)) == nil {
			t.Errorf("macpro %s is taken for a command", wrong)
		}
	}
}

var (
	remark    = regexp.MustCompile(`   +[^ ].*$`) // behind three spaces
	printed   = regexp.MustCompile(`(?m)^ *(?:\$ )?(?:\./|go run \./cmd/)?macpro +([a-z].*)$`)
	codeBlock = regexp.MustCompile("(?ms)(?:^    .*?$\n)+|^```[a-z]*\n.*?^```")
	argument  = regexp.MustCompile(`'[^']*'|"[^"]*"|[^ '"]+`)
)

// printedCommands lists the arguments of the commands in a page's code.
func printedCommands(text string) (out []string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, block := range codeBlock.FindAllString(text, -1) {
		for _, m := range printed.FindAllStringSubmatch(block, -1) {
			line, _, _ := strings.Cut(m[1], " | ")
			line, _, _ = strings.Cut(line, " #")
			line = strings.TrimSuffix(line, " &")
			out = append(out, remark.ReplaceAllString(line, ""))
		}
	}
	return out
}

// shellWords splits a line as a shell does that expands nothing.
func shellWords(line string) (out []string) {
	end := -1
	for _, at := range argument.FindAllStringIndex(line, -1) {
		part := strings.Trim(line[at[0]:at[1]], `'"`)
		if at[0] == end {
			out[len(out)-1] += part
		} else {
			out = append(out, part)
		}
		end = at[1]
	}
	return out
}

// parses is an error if the program would refuse the arguments before it looks at
// anything else.
func parses(args []string) error {
	root := newRoot()
	root.SetOut(io.Discard)
	if err := knownVerb(root, args); err != nil {
		return err
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil && err != pflag.ErrHelp {
		return err
	}
	if cmd.Args == nil {
		return cobra.ArbitraryArgs(cmd, cmd.Flags().Args())
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}
