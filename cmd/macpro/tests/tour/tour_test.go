//go:build slow

package tour_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
)

func TestMain(m *testing.M) { program.Main(m) }

var updateDocs = flag.Bool("update-docs", false, "write docs/tour.md anew")

// tourFile is a transcript: in its console blocks a line behind "$ " is a command,
// lines behind "> " belong to it, all others are what it printed.
const tourFile = "../../../../docs/tour.md"

// failed is the last line of the output of a command that is a mistake on purpose.
const failed = "exit status "

// unlike are the parts of an output that differ from run to run or from machine to
// machine, and what stands for them in a comparison.
var unlike = []struct {
	part *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`(?m)^.* msg=progress .*\n`), ""}, // as many as a run takes times ten seconds
	{regexp.MustCompile(`(?m)^kernels +.*$`), "kernels"},
	{regexp.MustCompile(`\d{8}T\d{6}-[0-9a-f]{6}`), "ID"},
	{regexp.MustCompile(`time=\S+`), "time"},
	{regexp.MustCompile(`\b[0-9a-f]{12,64}\b`), "HASH"}, // every new key changes the hashes of configurations
	{regexp.MustCompile(`-[0-9a-f]{8}\.json`), "-HASH.json"},
	{regexp.MustCompile(`in \S+ \(\d+ steps/s\)`), "in TIME"},
	{regexp.MustCompile(`interrupted \d+%.*`), "interrupted"}, // when the kill came
	{regexp.MustCompile(` +[\d.]+ (s|min|h)\b`), " TIME"},
	{regexp.MustCompile(`(?m)^.* Killed .*\n`), ""}, // bash, if it hears of it in time
}

func alike(output string) string {
	for _, u := range unlike {
		output = u.part.ReplaceAllString(output, u.as)
	}
	return strings.TrimRight(output, "\n")
}

// tourStep is a command of the tour with its output.
type tourStep struct{ command, output string }

// text is the step as the page has it.
func (s tourStep) text() string {
	return "$ " + strings.ReplaceAll(s.command, "\n", "\n> ") + "\n" + s.output
}

var console = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// tourSteps splits a console block.
func tourSteps(block string) (out []tourStep) {
	for _, line := range strings.SplitAfter(block, "\n") {
		last := len(out) - 1
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, tourStep{command: strings.TrimSuffix(command, "\n")})
		} else if more, ok := strings.CutPrefix(line, "> "); ok && last >= 0 && out[last].output == "" {
			out[last].command += "\n" + strings.TrimSuffix(more, "\n")
		} else if last >= 0 {
			out[last].output += line
		}
	}
	return out
}

// docs/tour.md tells the truth: its commands, called one after the other in an empty
// folder, print what it shows, but for times, names of runs and hashes.
func TestTour(t *testing.T) {
	if !strings.Contains(program.Must(t, t.TempDir(), nil, "doctor").Stdout, "avx") {
		t.Skip("the scores are those of AVX2 and AVX-512")
	}
	data, err := os.ReadFile(tourFile)
	if err != nil {
		t.Fatal(err)
	}
	page, dir, environ := string(data), t.TempDir(), program.Private(t)
	commands := 0
	renewed := console.ReplaceAllStringFunc(page, func(block string) string {
		var out strings.Builder
		for _, s := range tourSteps(console.FindStringSubmatch(block)[1]) {
			commands++
			out.WriteString(play(t, dir, environ, s).text())
		}
		return "```console\n" + out.String() + "```"
	})
	if commands < 20 {
		t.Errorf("only %d commands", commands)
	}
	if *updateDocs {
		if err := os.WriteFile(tourFile, []byte(renewed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// play calls a command of the tour. The answer is what it printed, or the old step if
// that differs only where it may.
func play(t *testing.T, dir string, environ []string, old tourStep) tourStep {
	cmd := exec.Command("bash", "-c", "set -o pipefail\n"+old.command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), environ...)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err := cmd.Run()
	output := b.String()
	if err != nil {
		output += fmt.Sprintf("%s%d\n", failed, cmd.ProcessState.ExitCode())
	}
	if wanted := strings.Contains(old.output, failed); wanted != (err != nil) {
		t.Errorf("$ %s\n%s", old.command, output)
	}
	was, is := alike(old.output), alike(output)
	if was == is {
		return old
	}
	if !*updateDocs {
		t.Errorf("$ %s\nprints\n%s\nand docs/tour.md has\n%s\nIf that is meant: go test -tags slow ./cmd/macpro/tests/tour -update-docs", old.command, is, was)
	}
	return tourStep{old.command, output}
}
