package sweep

import (
	"context"
	"fmt"
	"math"
	"os/user"
	"strconv"
	"strings"
)

// limits are what a site takes: tasks of one array, and tasks that the user may
// submit now, with the reason.
type limits struct {
	array, tasks int
	reason       string
}

// limits asks the site. What cannot be found out does not bound anything: sbatch
// itself refuses then.
func (x Slurm) limits(ctx context.Context) limits {
	most := limits{array: math.MaxInt, tasks: math.MaxInt}
	config, err := command(ctx, "scontrol", "show", "config")
	if err != nil {
		return most
	}
	if n, ok := setting(config, "MaxArraySize"); ok {
		most.array = max(n, 1)
	}
	if n, ok := setting(config, "MaxJobCount"); ok {
		most.bound(n, "MaxJobCount")
	}
	name, err := user.Current()
	if err != nil {
		return most
	}
	if n, ok := x.submitLimit(ctx, name.Username); ok {
		most.bound(n, "MaxSubmitJobs")
	}
	if most.tasks == math.MaxInt {
		return most
	}
	if queue, err := squeue(ctx, "-u", name.Username, "-o", "%i"); err == nil {
		if len(queue) > 0 {
			most.reason += fmt.Sprintf(", %d in the queue", len(queue))
		}
		most.tasks -= len(queue)
	}
	if len(x.Report) > 0 {
		most.tasks-- // the job at the end
	}
	most.tasks = max(most.tasks, 1)
	return most
}

// bound lowers the number of tasks.
func (l *limits) bound(n int, reason string) {
	if n < l.tasks {
		l.tasks, l.reason = n, fmt.Sprintf("%s=%d", reason, n)
	}
}

func setting(config, name string) (int, bool) {
	for line := range strings.Lines(config) {
		key, v, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(key) == name {
			n, err := strconv.Atoi(strings.TrimSpace(v))
			return n, err == nil
		}
	}
	return 0, false
}

// submitLimit is the smallest of the numbers of jobs that the accounts of a user, and
// the quality of service that sbatch is asked for, take of him. Sites without
// accounting have none.
func (x Slurm) submitLimit(ctx context.Context, name string) (least int, ok bool) {
	note := func(out string, err error) (others []string) {
		if err != nil {
			return nil
		}
		for _, line := range splitLines(out) {
			number, rest, _ := strings.Cut(strings.TrimSpace(line), "|")
			if n, err := strconv.Atoi(number); err == nil && n >= 0 && (!ok || n < least) {
				least, ok = n, true
			}
			others = append(others, rest)
		}
		return others
	}
	services := note(command(ctx, "sacctmgr", "-n", "-P", "show", "assoc", "where", "user="+name, "format=MaxSubmit,DefaultQOS"))
	for i, arg := range x.Args {
		if v, is := strings.CutPrefix(arg, "--qos="); is {
			services = []string{v}
		} else if (arg == "--qos" || arg == "-q") && i+1 < len(x.Args) {
			services = []string{x.Args[i+1]}
		}
	}
	for _, qos := range distinct(services) {
		if qos != "" {
			note(command(ctx, "sacctmgr", "-n", "-P", "show", "qos", "where", "name="+qos, "format=MaxSubmitPU"))
		}
	}
	return least, ok
}
