package main

import (
	"io"

	"macpro/registry/experiment"
)

// networks are those of a recorded run's checkpoint, with what shows them.
type networks struct {
	*experiment.Networks
	show *session // without a run
}

// loadNetworks loads a checkpoint of a run; at is -1 for the newest. sets change
// keys.
func loadNetworks(out output, dir string, at int64, sets []string) (*networks, error) {
	s := &session{out: out, display: newDisplay(out.stderr, io.Discard, out.quiet, nil)}
	n, err := experiment.LoadNetworks(dir, at, sets, s)
	if err != nil {
		return nil, err
	}
	return &networks{n, s}, nil
}
