package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/report/read"
	"macpro/registry/experiment"
)

func newExtend() *cobra.Command {
	var out output
	var tasks, name string
	var sets []string
	cmd := &cobra.Command{
		Use:   "extend RUN --tasks TASK[,TASK...]",
		Short: "Train further tasks after those of a finished run",
		Long: `Goes on where a finished run has ended, with further tasks. It makes a new folder and
leaves the old one as it is. The new journal begins with the rows of the old one. The
manifest names the run and its checkpoint under origin.

A run of the tasks a and b that is extended by c gives, bit for bit, the networks and
the journal of a run of a, b and c. One thing differs: until it was added, nothing
could test c. The key extended notes that.

--set changes the budget of the new tasks: steps_per_task or steps_per_task.TASK.`,
		Example: `  macpro extend RUN --tasks bottom
  macpro extend RUN --tasks bottom,bottomleft --set steps_per_task.bottomleft=200000 --name longer`,
		Args: exactly(1, " RUN --tasks TASK[,TASK...]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out.streams(cmd)
			more := strings.Split(tasks, ",")
			if tasks == "" || slices.Contains(more, "") {
				return usage(errors.New("--tasks wants the tasks to add, as in --tasks bottom,bottomleft"))
			}
			rec, err := findRun(out.dir, args[0])
			if err == nil {
				err = read.Verify(rec)
			}
			if err != nil {
				return err
			}
			s := &session{out: out}
			if s.Session, err = experiment.Extend(rec.Dir, more, sets, s); err != nil {
				return err
			}
			s.Name = name
			return s.start(fmt.Sprintf("goes on from run %s", rec.Manifest.ID))
		},
	}
	out.addFlags(cmd)
	cmd.Flags().StringVar(&tasks, "tasks", "", "tasks to add, separated by commas")
	cmd.Flags().StringVar(&name, "name", "", "name of the new run")
	cmd.Flags().StringArrayVar(&sets, "set", nil, "budget of the new tasks, such as steps_per_task=100000; may be repeated")
	return cmd
}
