package sweep

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"

	"macpro/core"
	"macpro/core/metrics"
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
	file, err := os.Open(filepath.Join(f.dir, "journal.jsonl"))
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
	data, err := io.ReadAll(file)
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

func (f *follower) row(row *store.Row) {
	f.TEnv = row.TEnv
	switch row.Kind {
	case core.EventTaskStart:
		f.starts = append(f.starts, row.TEnv)
	case core.EventTest:
		i, ok := row.Float("index")
		score, scored := row.Float("score")
		if f.mode == "" {
			f.mode = row.Text("mode")
		}
		if !ok || !scored || i < 0 || row.Text("mode") != f.mode {
			return
		}
		for int(i) >= len(f.curves) {
			f.curves = append(f.curves, nil)
		}
		f.curves[int(i)] = append(f.curves[int(i)], metrics.Point{T: row.TEnv, Score: score})
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
