package data

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/read"
	"macpro/core/store"
)

// Row is one number of a run.
type Row struct {
	Run      string `parquet:"run,dict"`
	Seed     int64  `parquet:"seed,dict"`
	Method   string `parquet:"method,dict"`
	Ablation string `parquet:"ablation,dict"` // none for the whole method
	Env      string `parquet:"env,dict"`
	Learner  string `parquet:"learner,dict"`
	Profile  string `parquet:"profile,dict"`
	// Settings are the keys with other values than the profile's, as in "lr=0.001".
	Settings string  `parquet:"settings,dict"`
	Task     string  `parquet:"task,dict"` // see record.Labels; "" for all tasks together
	Mode     string  `parquet:"mode,dict"` // train, or the mode of a test
	Seen     bool    `parquet:"seen"`      // the task's training has begun
	TEnv     int64   `parquet:"t_env"`     // training transitions
	Metric   string  `parquet:"metric,dict"`
	Value    float64 `parquet:"value"`
}

// modeTrain is the mode of numbers that are not of a test.
const modeTrain = "train"

// plasticityPrefix begins the names of the measures of plasticity.
const plasticityPrefix = "plasticity."

// Rows yields the numbers of a run: those of its rows in the order of the journal,
// then the closing measures. Of a summary without the run there are the scores of
// tests, the measures of plasticity and the closing measures. Numbers that are not finite are left out.
func Rows(fsys store.FS, s *read.Summary) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		w := &writer{row: base(s), yield: yield, labels: record.Labeller{}}
		if s.Dir == "" {
			w.curves(s)
			w.plasticity(s)
		} else if err := w.journal(fsys, s.Dir); err != nil && !w.ended {
			yield(Row{}, fmt.Errorf("run %s: %w", s.ID, err))
			return
		}
		w.closing(s)
	}
}

func base(s *read.Summary) Row {
	r := Row{Run: s.ID, Seed: s.Seed, Method: s.Alg, Ablation: cmp.Or(s.Ablation, "none"), Env: s.Env, Learner: s.Learner, Profile: s.Profile()}
	var set []string
	if c := s.Compat(); c != "" && c != "default" {
		set = append(set, "compat="+c)
	}
	for _, key := range s.Overridden {
		set = append(set, key+"="+s.Settings[key])
	}
	r.Settings = strings.Join(set, " ")
	return r
}

// writer yields rows until the reader has enough.
type writer struct {
	row    Row
	yield  func(Row, error) bool
	labels record.Labeller
	ended  bool
}

func (w *writer) put(metric string, x float64) {
	if w.ended || math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	w.row.Metric, w.row.Value = metric, x
	w.ended = !w.yield(w.row, nil)
}

// journal yields the numbers of rows of training, tests and plugins. Damaged rows
// are left out; read.Summarize names them.
func (w *writer) journal(fsys store.FS, dir string) error {
	rec, err := store.Load(fsys, dir)
	if err != nil {
		return err
	}
	training := ""
	for row, err := range rec.Scan().Rows(func(kind string, _ int64) bool { return kind != record.KindTestEpisode }) {
		if _, damaged := errors.AsType[*store.LineError](err); damaged {
			continue
		}
		if err != nil || w.ended {
			return err
		}
		entry, err := record.Parse(row)
		if err != nil {
			continue
		}
		prefix := ""
		switch r := entry.(type) {
		case record.TaskStart:
			training = w.labels.Label(r.Task, r.Index)
			continue
		case record.Train:
			w.row.Task, w.row.Mode, w.row.Seen = training, modeTrain, true
		case record.Free:
			w.row.Task, w.row.Mode, w.row.Seen, prefix = training, modeTrain, true, r.Kind+"."
		case record.Plasticity:
			w.row.Task, w.row.Mode, w.row.Seen, prefix = w.labels.Label(r.Task, r.Index), modeTrain, true, plasticityPrefix
		case record.Test:
			w.row.Task, w.row.Mode, w.row.Seen = w.labels.Label(r.Task, r.Index), r.Mode, r.Seen
		default:
			continue
		}
		w.row.TEnv = row.TEnv
		for field, x := range record.Numbers(row.Fields) {
			w.put(prefix+field, x)
		}
	}
	return nil
}

func (w *writer) curves(s *read.Summary) {
	labels := record.Labels(s.Tasks)
	for _, mode := range s.Modes {
		for i, curve := range s.Curves[mode] {
			for _, p := range curve {
				w.row.Task, w.row.Mode, w.row.TEnv = labels[i], mode, p.T
				w.row.Seen = i < len(s.Starts) && s.Starts[i] <= p.T
				w.put("score", p.Score)
			}
		}
	}
}

func (w *writer) plasticity(s *read.Summary) {
	labels := record.Labels(s.Tasks)
	w.row.Mode, w.row.Seen = modeTrain, true
	for _, p := range s.Plasticity {
		if p.Index < 0 || p.Index >= len(labels) {
			continue
		}
		w.row.Task, w.row.TEnv = labels[p.Index], p.T
		w.put(plasticityPrefix+"dormant", float64(p.Dormant))
		w.put(plasticityPrefix+"rank", float64(p.Rank))
		w.put(plasticityPrefix+"norm", float64(p.Norm))
		w.put(plasticityPrefix+"drift", float64(p.Drift))
	}
}

// closing yields the measures of a run that is done.
func (w *writer) closing(s *read.Summary) {
	labels := record.Labels(s.Tasks)
	w.row.Seen, w.row.TEnv = true, s.TEnv
	for _, mode := range s.Modes {
		m, ok := s.Metrics[mode]
		if !ok {
			continue
		}
		w.row.Mode, w.row.Task = mode, ""
		w.put("final_average", float64(m.FinalAverage))
		w.put("bwt", float64(m.BackwardTransfer))
		w.put("fwt0", float64(m.ForwardTransfer))
		w.put("forgetting_gem", float64(m.ForgettingGEM))
		w.put("forgetting_cw", float64(m.ForgettingCW))
		w.put("speed_loss", s.SpeedLoss(mode))
		w.tasks("auc", m.Area, labels)
		w.tasks("best", m.Best, labels)
	}
}

func (w *writer) tasks(name string, list []metrics.Number, labels []string) {
	for i, x := range list[:min(len(list), len(labels))] {
		w.row.Task = labels[i]
		w.put(name, float64(x))
	}
}

// Algorithms names the method of each run for programs that know one name only: the
// method and its ablation, then the learner, profile and settings in which the
// runs differ. Names hold no comma.
func Algorithms(runs []*read.Summary) []string {
	rows := make([]Row, len(runs))
	for i, s := range runs {
		rows[i] = base(s)
	}
	out := make([]string, len(runs))
	for i, r := range rows {
		words := []string{r.Method}
		if r.Ablation != "none" {
			words[0] += "_" + r.Ablation
		}
		for _, of := range []func(Row) string{
			func(r Row) string { return r.Learner }, func(r Row) string { return r.Profile }, func(r Row) string { return r.Settings },
		} {
			if slices.ContainsFunc(rows, func(o Row) bool { return of(o) != of(r) }) && of(r) != "" {
				words = append(words, of(r))
			}
		}
		out[i] = strings.ReplaceAll(strings.Join(words, " "), ",", ";")
	}
	return out
}
