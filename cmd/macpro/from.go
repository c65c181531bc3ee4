package main

import (
	"fmt"
	"strconv"
	"strings"

	"macpro/core/config"
	"macpro/core/store"
	"macpro/registry/experiment"
)

// origin finds the run of --from RUN[@STEP], and sets the key that names its
// checkpoint. "" is no run.
func origin(out, from string, u *config.User) (*store.Record, error) {
	if from == "" {
		return nil, nil
	}
	name, at := from, int64(-1)
	if i := strings.LastIndex(from, "@"); i >= 0 {
		step, err := strconv.ParseInt(from[i+1:], 10, 64)
		if err != nil || step < 0 {
			return nil, usage(fmt.Errorf("--from %s: want RUN or RUN@STEP, with the step of a checkpoint", from))
		}
		name, at = from[:i], step
	}
	rec, err := findRun(out, name)
	if err != nil {
		return nil, err
	}
	u.Flags["from"], err = experiment.OriginKey(rec, at)
	return rec, err
}
