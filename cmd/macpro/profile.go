package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/spf13/cobra"
)

// profiles are files that tell where a run spends its time and memory, for
// go tool pprof.
type profiles struct{ cpu, mem string }

func (p *profiles) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.cpu, "cpuprofile", "", "write where processor time goes to this file, for go tool pprof")
	cmd.Flags().StringVar(&p.mem, "memprofile", "", "write what holds memory at the end to this file, for go tool pprof")
}

// around does work and writes the profiles, also of work that fails. Files that
// cannot be made are an error before anything starts.
func (p *profiles) around(work func() error) (err error) {
	var open []*os.File
	create := func(flag, path string) (*os.File, error) {
		f, err := os.Create(path) //nolint:forbidigo // a stream about the program, not a result of a run
		if err != nil {
			return nil, usage(fmt.Errorf("--%s: %w", flag, err))
		}
		open = append(open, f)
		return f, nil
	}
	defer func() {
		for _, f := range open {
			err = errors.Join(err, f.Close())
		}
	}()
	if p.mem != "" {
		f, err := create("memprofile", p.mem)
		if err != nil {
			return err
		}
		defer func() {
			runtime.GC() // what is garbage holds no memory
			err = errors.Join(err, pprof.WriteHeapProfile(f))
		}()
	}
	if p.cpu != "" {
		f, err := create("cpuprofile", p.cpu)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return work()
}
