// Package sweep runs experiments that consist of many runs: a grid of cells,
// each a configuration with one seed.
//
//	Spec (YAML, flags) ─Expand─▶ settings ─Planner─▶ Cells ─Executor─▶ processes of macpro ─▶ runs
//
// A cell is known by the hash of its resolved configuration. A finished run with
// that hash is the cell's result, whoever made it: it is taken and not made
// again, and two descriptions of one configuration are one cell.
//
// The truth lies in files below results/sweeps/<id>/, and every one of them is
// replaced in one step, so that the death of any process at any time loses no
// more than the work since the last checkpoint:
//
//	sweep.json             what was asked for: the cells with their settings
//	cells/<id>/config.yaml the cell's resolved configuration
//	cells/<id>/cell.json   its state, the run that it has, the last error
//	cells/<id>/log.txt     what its processes printed
//	cells/<id>/lock        held by the process that looks after the cell
//	cancelled              exists once the sweep was told to stop
//
// A cell that says running but whose lock nobody holds is interrupted. Cells do
// not depend on each other; one that fails keeps its last words and stops no
// other.
//
// Executors bring cells to their end: Local in processes of this machine, Slurm
// as a job array. Both run the same worker, which starts one process of macpro
// with one thread for a cell, resumes what was interrupted, and evaluates the
// finished networks where the experiment asks for it.
//
// Besides the whole grid there are random search and asynchronous successive
// halving (ASHA; Li et al., "A System for Massively Parallel Hyperparameter
// Tuning", MLSys 2020) with the average return so far as the measure.
package sweep
