// Command macpro trains, resumes, tests and compares continual cooperative
// multi-agent learners. Each verb has a file of its own; which plugins are part
// of the binary is decided by package plugins/all alone.
package main

import (
	"os"
	"runtime/debug"

	_ "macpro/plugins/all"
)

// gcPercent is the garbage that may pile up before it is collected, as a share
// of what is in use. A run holds much (buffers, activations of a whole batch)
// and makes little garbage, so that the usual 100 would double its memory and
// save no time that could be measured. The variable GOGC asks for another value.
// Programs that do not train leave it at 100.
const gcPercent = 20

// collectOften is called by what trains.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

func main() {
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}
