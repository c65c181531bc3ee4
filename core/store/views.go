package store

import (
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"macpro/core"
	"macpro/core/record"
)

// maxMetrics bounds the number of different curves in the views.
const maxMetrics = 1024

// views feeds the two views of a journal. Both are functions of the rows (with
// their wall clock) alone, so that a resumed run makes them anew by reading the
// rows that stay.
type views struct {
	tb      *tensorboard // nil for none
	sacred  *sacred
	metrics map[metricKey]metric
	means   map[string]*mean // by field
	tested  bool             // means of step are not in TensorBoard yet
	step    int64
	wall    float64
	mode    string // of the first test row: the method's own
	labels  record.Labeller
	err     error // the first trouble since the last write
}

// metricKey names a number: a field of train rows, of test rows of one task, by
// its label, and mode, or of rows of a kind that only its plugin knows.
type metricKey struct{ kind, task, mode, field string }

// metric is where a number goes: a curve in TensorBoard, perhaps under PyMARL's
// name as well, and one in Sacred. A test in the method's own mode of a task that
// was trained already goes into the mean over these tasks as well. This mean is
// the curve that the paper draws.
type metric struct {
	tags   []string
	series *series
	mean   *mean
}

// newViews empties tb/ and sacred/ and begins them again.
func newViews(fsys FS, dir string, m *Manifest, configYAML []byte) (*views, error) {
	s, err := newSacred(fsys, filepath.Join(dir, sacredDir), 1, m, configYAML)
	if err != nil {
		return nil, err
	}
	tb, err := newTensorboard(fsys, dir, m.Created)
	if err != nil {
		return nil, err
	}
	return viewsOf(tb, s), nil
}

func viewsOf(tb *tensorboard, s *sacred) *views {
	return &views{tb: tb, sacred: s, metrics: map[metricKey]metric{}, means: map[string]*mean{}, labels: record.Labeller{}}
}

// add takes over the finite numbers of rows of training, tests and plugins, by
// ascending key.
func (v *views) add(e *core.Event, wall float64) {
	if e.TEnv != v.step {
		v.settle()
	}
	key, own := metricKey{kind: e.Kind}, false
	entry, err := record.Parse(record.Row{Event: *e})
	if err != nil {
		return // a row of another form makes no curve
	}
	switch r := entry.(type) {
	case record.Train, record.Free:
	case record.Test:
		key.task, key.mode = v.labels.Label(r.Task, r.Index), r.Mode
		v.mode = cmp.Or(v.mode, key.mode)
		own = key.mode == v.mode && r.Seen
	default:
		return
	}
	v.tb.begin(wall, e.TEnv)
	for field, x := range record.Numbers(e.Fields) {
		key.field = field
		if m, ok := v.metric(key); ok {
			for _, tag := range m.tags {
				v.tb.scalar(tag, x)
			}
			m.series.add(e.TEnv, wall, x)
			if own {
				m.mean.add(e.TEnv, wall, x)
				v.tested, v.step, v.wall = true, e.TEnv, wall
			}
		}
	}
	v.end()
}

// settle writes the means of the last tests to TensorBoard, where a point that is
// written stays as it is. It is called once all tests of a step are there.
func (v *views) settle() {
	if !v.tested {
		return
	}
	v.tested = false
	v.tb.begin(v.wall, v.step)
	for _, field := range slices.Sorted(maps.Keys(v.means)) {
		if m := v.means[field]; m.n > 0 && m.step == v.step {
			v.tb.scalar("test_"+flatName(field), m.sum/m.n)
		}
	}
	v.end()
}

func (v *views) end() {
	if err := v.tb.end(); v.err == nil {
		v.err = err
	}
}

// metric finds or makes the places of a number; false beyond maxMetrics.
func (v *views) metric(k metricKey) (metric, bool) {
	m, ok := v.metrics[k]
	if ok || len(v.metrics) >= maxMetrics {
		return m, ok
	}
	switch k.kind {
	case "train":
		m = metric{tags: []string{"train/" + k.field}, series: v.sacred.at(k.field)}
		if name, ok := pymarlNames[k.field]; ok {
			m.tags = append(m.tags, name)
			v.sacred.alias(name, m.series)
		}
	case "test":
		suffix := "/" + k.task
		if k.mode != "" {
			suffix += "/" + k.mode
		}
		m = metric{[]string{"test/" + k.field + suffix}, v.sacred.at("test_" + k.field + suffix), v.means[k.field]}
		if m.mean == nil {
			m.mean = &mean{series: v.sacred.at("test_" + k.field)}
			v.means[k.field] = m.mean
			v.sacred.alias("test_"+flatName(k.field), m.mean.series)
		}
	default:
		m = metric{tags: []string{k.kind + "/" + k.field}, series: v.sacred.at(k.kind + "." + k.field)}
	}
	v.metrics[k] = m
	return m, true
}

func (v *views) write(s record.Status, wall float64) error {
	if s != record.Running {
		v.settle()
	}
	err := errors.Join(v.err, v.tb.flush(), v.sacred.write(s, wall))
	v.err = nil
	return err
}

func (v *views) close() error { return v.tb.close() }
