package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/config"
	"macpro/core/names"
	"macpro/registry/experiment"
	"macpro/registry/remote"
)

// Exit codes. A run that a signal ended has 128 plus the signal's number.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// usage marks an error as the caller's mistake: exit code 2, and nothing was
// started. nil stays nil.
func usage(err error) error { return experiment.Input(err) }

// execute runs the program with its arguments and returns the exit code.
func execute(args []string, stdout, stderr io.Writer) int {
	defer remote.CloseAll()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := knownVerb(root, args)
	if err == nil {
		err = root.Execute()
	}
	if stopped, ok := errors.AsType[*stoppedError](err); ok {
		// What else went wrong on the way out, such as a record that could not be written.
		if rest := strings.TrimSpace(strings.TrimPrefix(err.Error(), stopped.Error())); rest != "" {
			_, _ = fmt.Fprintln(stderr, names.PlainLines("macpro: "+rest))
		}
		return stopped.code
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, names.PlainLines(fmt.Sprintf("macpro: %v", err)))
	}
	return exitCode(err)
}

func exitCode(err error) int {
	var u *experiment.InputError
	var c *config.Error
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &u), errors.As(err, &c):
		return exitUsage
	}
	return exitFailure
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "macpro",
		Short: "Continual cooperative multi-agent reinforcement learning",
		Long: `macpro trains teams of agents on one task after the other and measures what they
keep: environments, learners and continual methods are plugins, "macpro list"
shows them.`,
		Version:           experiment.FullVersion(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(newRun(), newResume(), newExtend(), newEval(), newExport(), newList(), newPlugin(), newDoctor(), newBench(), newVersion())
	root.AddCommand(newSweep(), newTable(), newData(), newPlot(), newReport(), newPublish(), newDocs())
	usePlugins(root)
	strict(root)
	root.SetHelpFunc(fittedHelp(root.HelpFunc()))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(fmt.Errorf("%w%s; \"%s --help\" shows the flags", err, nearFlag(cmd, err), cmd.CommandPath()))
	})
	return root
}

// fittedHelp prints the help of a command so that a terminal can show it.
func fittedHelp(print func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		var b bytes.Buffer
		w := cmd.OutOrStdout()
		cmd.SetOut(&b)
		print(cmd, args)
		cmd.SetOut(w)
		_ = fit(w, b.String()) // as cobra does
	}
}

// knownVerb answers a verb that does not exist with the nearest one, before
// anything is said about the flags behind it.
func knownVerb(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	if args[0] == "help" {
		return knownVerb(root, args[1:])
	}
	verbs := []string{"help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}
	for _, c := range root.Commands() {
		verbs = append(verbs, c.Name())
	}
	if slices.Contains(verbs, args[0]) {
		return nil
	}
	return usage(names.Unknown("verb", args[0], verbs[4:]))
}

// atMostOne wants no positional argument or one of the described form.
func atMostOne(form string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return exactly(1, form)(cmd, args)
	}
}

// exactly wants n positional arguments of the described form.
func exactly(n int, form string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usage(fmt.Errorf("want \"%s%s\", got %s; see \"%s --help\"",
			cmd.CommandPath(), form, names.Many(len(args), "argument"), cmd.CommandPath()))
	}
}
