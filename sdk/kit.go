// Package sdk holds the kits for plugins in other languages, so that the program
// can hand them out with the skeleton of a plugin.
package sdk

import "embed"

// Python is the package macpro_plugin, which a Python plugin finds beside its
// script or where it was installed to; see python/README.md.
//
//go:embed python/macpro_plugin/*.py
var Python embed.FS

// PythonRoot is the folder in Python that the package lies in.
const PythonRoot = "python"
