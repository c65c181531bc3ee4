// Package tables makes tables and figures of runs as YAML files describe them:
// which rows and columns there are, which runs belong to each, and where the
// printed numbers stand that are shown beside them. The code knows measures and
// statistics; names of methods, environments and keys stand in the files.
//
// Numbers follow the MACPro paper: a mean over seeds and the population standard
// deviation. Beside them stand the measures of package stats.
//
// Runs are averaged only if they differ in nothing but the seed. They are compared
// only if profile, constants of the tasks and version of the program agree.
// Options.Mix lifts this and says so in the foot of the table. A row without runs is
// shown as missing if it has printed numbers; other rows follow from the runs.
package tables
