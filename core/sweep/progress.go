package sweep

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"path/filepath"

	"macpro/core/files"
	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/store"
)

// follower reads the journal of a run as it grows.
type follower struct {
	dir    string
	offset int64 // of the first line that was not read yet

	TEnv   int64
	starts []int64
	mode   string // the method's own: that of the first test
	curves []metrics.Curve
}

// poll reads what is new. A journal that was cut, as happens when a run is
// resumed, is read again from its start.
func (f *follower) poll() {
	file, err := files.Open(filepath.Join(f.dir, "journal.jsonl"))
	if err != nil {
		return // not there yet
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() < f.offset {
		*f = follower{dir: f.dir}
	}
	if _, err := file.Seek(f.offset, io.SeekStart); err != nil {
		return
	}
	data, err := io.ReadAll(io.LimitReader(file, files.Most)) // the rest at the next look
	if err != nil {
		return
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	f.offset += int64(len(data))
	for row, err := range store.ReadJournal(bytes.NewReader(data)) {
		if err == nil {
			f.row(&row)
		}
	}
}

// reached says whether the journal has come to a transition.
func (f *follower) reached(t int64) bool {
	f.poll()
	return f.TEnv >= t
}

func (f *follower) row(row *record.Row) {
	f.TEnv = row.TEnv
	entry, err := record.Parse(*row)
	if err != nil {
		return
	}
	switch r := entry.(type) {
	case record.TaskStart:
		f.starts = append(f.starts, r.TEnv)
	case record.Test:
		f.mode = cmp.Or(f.mode, r.Mode)
		if r.Index < 0 || r.Mode != f.mode || math.IsNaN(r.Score) {
			return
		}
		for r.Index >= len(f.curves) {
			f.curves = append(f.curves, nil)
		}
		f.curves[r.Index] = append(f.curves[r.Index], metrics.Point{T: r.TEnv, Score: r.Score})
	}
}

// score is the mean of A(t), the average over the tasks that were started, over
// the tests up to time t; NaN before the first test.
func (f *follower) score(t int64) float64 {
	var x []float64
	if len(f.curves) == 0 {
		return math.NaN()
	}
	for _, p := range f.curves[0] {
		if p.T <= t {
			if a := metrics.AverageSeen(f.curves, f.starts, p.T); !math.IsNaN(a) {
				x = append(x, a)
			}
		}
	}
	return metrics.Mean(x)
}

// Reached is the step at which the run of a cell in this state is, as far as its
// journal tells; 0 without one.
func (s *Sweep) Reached(st State) int64 {
	if st.Run == "" {
		return 0
	}
	f := follower{dir: filepath.Join(s.Root, "runs", st.Run)}
	f.poll()
	return f.TEnv
}
