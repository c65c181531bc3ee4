// Package spec reads the YAML files that describe tables and figures: which rows
// and columns there are, which runs belong to each, and where the printed numbers
// stand that are shown beside them. The code knows measures; names of methods,
// environments and keys stand in the files.
package spec
