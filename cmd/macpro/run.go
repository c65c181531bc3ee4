package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/report/format"
	"macpro/core/store"
)

// output says where a run's files and words go.
type output struct {
	dir    string // root of the results
	json   bool   // the result as JSON on standard output
	quiet  bool   // warnings and errors only
	stdout io.Writer
	stderr io.Writer
}

func (o *output) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.dir, "out", "results", "folder of the results")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the result as JSON")
	cmd.Flags().BoolVar(&o.quiet, "quiet", false, "print the result, warnings and errors only")
}

func (o *output) streams(cmd *cobra.Command) {
	o.stdout, o.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
}

func newRun() *cobra.Command {
	var sets []string
	var file string
	var out output
	var where profiles
	var dryRun bool
	var name, from string
	var until int64
	cmd := &cobra.Command{
		Use:   "run --env ENV [flags] [with key=value ...]",
		Short: "Train a method on an environment's task sequence",
		Long: `Trains a continual method on a sequence of tasks and records everything in a new
folder below results/runs. The configuration is checked before anything starts;
--dry-run shows it, with the origin of every value.`,
		Example: `  macpro run --env lbf
  macpro run --env lbf --alg finetuning --profile smoke --seed 3 --name first
  macpro run --env pp --learner vdn --set tasks=[heuristic,bull-bull] --set lr=1e-3
  macpro run --config my.yaml --dry-run
  macpro run --env lbf --alg ewc --from first
  macpro run --env lbf with env_args.time_limit=30 td_lambda=0.5
  macpro run --env lbf --profile smoke --cpuprofile cpu.prof && go tool pprof -top cpu.prof`,
		Args: withArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			out.streams(cmd)
			u := userLayers(cmd, file, sets, args[min(1, len(args)):], os.Environ())
			rec, err := origin(out.dir, from, &u)
			if err != nil {
				return err
			}
			s, err := open(u, rec, out)
			if err != nil {
				return err
			}
			s.Name, s.until = name, until
			if dryRun {
				return s.dryRun()
			}
			return where.around(func() error { return s.start("starts") })
		},
	}
	addKeyFlags(cmd, &sets, &file)
	out.addFlags(cmd)
	where.addFlags(cmd)
	cmd.Flags().StringVar(&name, "name", "", "name of the run, which other verbs take in place of its id")
	cmd.Flags().StringVar(&from, "from", "", "start with the networks of RUN or RUN@STEP: features, the head in training and the mixer")
	addUntil(cmd, &until)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check everything and print the configuration")
	return cmd
}

func (s *session) dryRun() error {
	if s.out.json {
		return errors.Join(printJSON(s.out.stdout, s.plan()), s.Runner.Close())
	}
	var b strings.Builder
	err := s.Config.Print(&b)
	return errors.Join(err, fit(s.out.stdout, names.PlainLines(s.header())),
		fit(s.out.stdout, settingsText(b.String(), columnsOf(s.out.stdout))), s.Runner.Close())
}

// settingsText puts the comment of a setting that is too long for a terminal into lines
// of its own. The text stays YAML.
func settingsText(text string, columns int) string {
	if columns == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		setting, comment, commented := strings.Cut(line, " # ")
		if twwidth.Width(line) <= columns || !commented {
			b.WriteString(line + "\n")
			continue
		}
		lines := format.Fold("    # ", "    # ", strings.Fields(comment), columns)
		b.WriteString(strings.TrimRight(setting, " ") + "\n" + strings.Join(lines, "\n") + "\n")
	}
	return b.String()
}

// start makes a folder and trains. what is what the run does, for its log.
func (s *session) start(what string) error {
	if err := s.attach(func() error { return s.Create(s.out.dir) }); err != nil {
		return errors.Join(err, s.Runner.Close())
	}
	s.announce(what)
	return s.play()
}

// runFolder is the folder of a run that the user names.
func runFolder(out, name string) (string, error) {
	rec, err := findRun(out, name)
	if err != nil {
		return "", err
	}
	return rec.Dir, nil
}

// findRun finds a run by its folder, by the name of a folder below the results, or
// by its id or name in the manifest.
func findRun(out, name string) (*store.Record, error) {
	for _, dir := range []string{name, filepath.Join(out, "runs", name)} {
		_, err := os.Stat(filepath.Join(dir, "manifest.json"))
		if err == nil {
			return store.Load(store.OS(), dir)
		}
		if errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("the run %s cannot be read: %w", dir, err)
		}
	}
	if rec, err := store.Find(store.OS(), out, name); err == nil {
		return rec, nil
	}
	rec, err := store.Named(store.OS(), out, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = unknownRun(out, name)
	}
	return rec, usage(err)
}
