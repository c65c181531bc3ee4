// Package configs holds the configuration files that are built into the
// binary. On disk they mirror the plugins: default.yaml has every key that all
// runs share; envs/, algs/, learners/ and ablations/ have one file a plugin,
// written beside its code's keys; profiles/ and compat/ are overlays that a run
// names; sweeps/ are experiments; tables/ and figures/ say how results are shown.
//
// A file of a plugin is a layer of the configuration (package core/config) and
// the plugin's documentation in one: its own keys with their defaults, each
// with a comment, and the shared keys that it overrides.
package configs

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// FS holds the files, with paths like "envs/lbf.yaml".
//
//go:embed *.yaml */*.yaml
var FS embed.FS

// Default is the file of the keys that all runs share.
const Default = "default.yaml"

// Read returns a file. The files are part of the binary, so a path that does
// not exist is a slip in the program and panics.
func Read(name string) []byte {
	b, err := FS.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("configs.Read: %v", err))
	}
	return b
}

// Names lists the files of a folder without their extension, in alphabetical
// order. A folder without files has no names.
func Names(folder string) []string {
	files, err := fs.Glob(FS, path.Join(folder, "*.yaml"))
	if err != nil {
		panic(fmt.Sprintf("configs.Names: %v", err))
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}
