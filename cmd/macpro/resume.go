package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/names"
	"macpro/core/store"
	"macpro/registry/experiment"
)

func newResume() *cobra.Command {
	var out output
	var threads int
	var until int64
	var sets []string
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was stopped, killed or has failed",
		Long: `Goes on with a run from its newest complete checkpoint. RUN is its folder or its
name below results/runs. What the run writes from then on is, byte for byte,
what it would have written without the stop.

--set gives a run that is not done a longer budget: steps_per_task, or
steps_per_task.TASK for a single task. Tasks that have ended keep what they had. The
run goes on as one that had this budget from its beginning. Manifest and journal
note the change.`,
		Example: `  macpro resume results/runs/macpro-lbf-qmix-s1-20261128T101500-3f9a07
  macpro resume macpro-lbf-qmix-s1-20261128T101500-3f9a07 --threads 1
  macpro resume RUN --set steps_per_task=200000`,
		Args: exactly(1, " RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out.streams(cmd)
			if err := atLeast(cmd, "threads", 1); err != nil {
				return err
			}
			dir, err := runFolder(out.dir, args[0])
			if err != nil {
				return err
			}
			if sets != nil {
				if err := experiment.Lengthen(dir, sets, &session{out: out}); err != nil {
					return err
				}
			}
			return resume(out, dir, threads, until)
		},
	}
	out.addFlags(cmd)
	cmd.Flags().StringArrayVar(&sets, "set", nil, "a longer budget, such as steps_per_task=200000; may be repeated")
	addUntil(cmd, &until)
	cmd.Flags().IntVar(&threads, "threads", 0, "1 to shards (2); results do not depend on it")
	return cmd
}

// resume restores the newest checkpoint of a run and plays it to its end, or to until.
func resume(out output, dir string, threads int, until int64) error {
	s := &session{out: out, until: until}
	var rec *store.Record
	var err error
	if s.Session, rec, err = experiment.Reopen(dir, threads, s); err != nil {
		return err
	}
	if err := rec.Status.Resumable(); err != nil {
		return usage(fmt.Errorf("%s: %w", dir, err))
	}
	var c *store.Checkpoint
	err = s.attach(func() error {
		c, err = s.Resume(dir)
		return err
	})
	switch {
	case err != nil && s.Run == nil:
		return err
	case err != nil:
		return s.ended(err)
	case c != nil:
		s.announce("goes on at t_env " + strconv.FormatInt(c.TEnv, 10))
	default:
		s.announce("has no checkpoint yet and starts again")
	}
	return s.play()
}

// unknownRun names the recorded run that a wrong name was meant to be.
func unknownRun(out, name string) error {
	if run := runAround(name); run != "" {
		return fmt.Errorf("%s lies in the folder of a run: name that, %s; --at chooses a checkpoint by its step, where a verb has it", name, run)
	}
	runs, _, err := store.List(store.OS(), out)
	if err != nil {
		return err
	}
	var known []string
	for _, r := range runs {
		known = append(known, r.Manifest.ID)
		if r.Manifest.Name != "" {
			known = append(known, r.Manifest.Name)
		}
	}
	err = fmt.Errorf("no run %q: it is neither a run's folder nor an id or name in %s", name, filepath.Join(out, "runs"))
	var begun []string
	for _, id := range known {
		if strings.HasPrefix(id, name) {
			begun = append(begun, id)
		}
	}
	if len(begun) > 1 {
		return fmt.Errorf("%w; it is the beginning of %s", err, beginning(begun))
	}
	if near := names.Nearest(name, known); near != "" {
		return fmt.Errorf("%w, did you mean %q?", err, near)
	}
	return fmt.Errorf("%w; \"macpro list runs --out %s\" shows them", err, names.ShellWord(out))
}

// beginning lists names with one beginning, at most five.
func beginning(all []string) string {
	slices.Sort(all)
	if len(all) > 5 {
		return strings.Join(all[:5], ", ") + fmt.Sprintf(" and of %d more", len(all)-5)
	}
	return strings.Join(all, ", ")
}

// runAround is the run's folder that a path lies in, "" for none.
func runAround(path string) string {
	for dir := filepath.Dir(filepath.Clean(path)); dir != "." && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err == nil {
			return dir
		}
	}
	return ""
}
