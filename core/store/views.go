package store

import (
	"errors"
	"maps"
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
	tb      *tensorboard
	sacred  *sacred
	metrics map[metricKey]metric
	means   map[string]*mean // by field
	mode    string           // of the first test row: the method's own
	labels  record.Labeller
	keys    []string
	err     error // the first trouble since the last write
}

// metricKey names a number: a field of train rows, or of test rows of one task,
// by its label, and mode.
type metricKey struct{ kind, task, mode, field string }

// metric is where a number goes: a curve in TensorBoard and one in Sacred. A
// test in the method's own mode of a task that was trained already goes into
// the mean over these tasks as well. This mean is the curve that the paper draws.
type metric struct {
	tag    string
	series *series
	mean   *mean
}

// counters are numbers in test rows that make no curve.
var counters = map[string]bool{"index": true, "after": true, "episodes": true}

// newViews empties tb/ and sacred/ and begins them again.
func newViews(fsys FS, dir string, m *Manifest, configYAML []byte) (*views, error) {
	s, err := newSacred(fsys, dir, m, configYAML)
	if err != nil {
		return nil, err
	}
	tb, err := newTensorboard(fsys, dir, m.Created)
	if err != nil {
		return nil, err
	}
	return &views{tb: tb, sacred: s, metrics: map[metricKey]metric{}, means: map[string]*mean{}, labels: record.Labeller{}}, nil
}

// add takes over the finite numbers of train and test rows, by ascending key.
func (v *views) add(e *core.Event, wall float64) {
	key, own := metricKey{kind: e.Kind}, false
	entry, err := record.Parse(record.Row{Event: *e})
	if err != nil {
		return // a row of another form makes no curve
	}
	switch r := entry.(type) {
	case record.Train:
	case record.Test:
		key.task, key.mode = v.labels.Label(r.Task, r.Index), r.Mode
		if v.mode == "" {
			v.mode = key.mode
		}
		own = key.mode == v.mode && r.Seen
	default:
		return
	}
	v.keys = slices.AppendSeq(v.keys[:0], maps.Keys(e.Fields))
	slices.Sort(v.keys)
	v.tb.begin(wall, e.TEnv)
	for _, key.field = range v.keys {
		x, ok := record.Float(e.Fields[key.field])
		if !ok || counters[key.field] {
			continue
		}
		if m, ok := v.metric(key); ok {
			v.tb.scalar(m.tag, x)
			m.series.add(e.TEnv, wall, x)
			if own {
				m.mean.add(e.TEnv, wall, x)
			}
		}
	}
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
	if k.kind == "train" {
		m = metric{tag: "train/" + k.field, series: v.sacred.at(k.field)}
	} else {
		suffix := "/" + k.task
		if k.mode != "" {
			suffix += "/" + k.mode
		}
		m = metric{"test/" + k.field + suffix, v.sacred.at("test_" + k.field + suffix), v.means[k.field]}
		if m.mean == nil {
			m.mean = &mean{series: v.sacred.at("test_" + k.field)}
			v.means[k.field] = m.mean
		}
	}
	v.metrics[k] = m
	return m, true
}

// write brings the files up to date.
func (v *views) write(s record.Status, wall float64) error {
	err := errors.Join(v.err, v.tb.flush(), v.sacred.write(s, wall))
	v.err = nil
	return err
}

func (v *views) close() error { return v.tb.close() }
