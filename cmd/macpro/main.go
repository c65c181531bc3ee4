// Command macpro trains, resumes, tests and compares continual cooperative
// multi-agent learners. Each verb has a file of its own; which plugins are part
// of the binary is decided by package plugins/all alone.
package main

import (
	"os"

	_ "macpro/plugins/all"
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }
