// Package read takes what tables and figures need from recorded runs. A Summary
// is a small JSON file with everything that is needed of a run, so that committed
// tables can be made anew without the runs themselves.
//
// Whatever is read of a run is compared with the hashes that the run recorded:
// its configuration, its journal, its closing numbers.
package read
