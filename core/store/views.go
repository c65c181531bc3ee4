package store

import (
	"errors"
	"maps"
	"slices"

	"macpro/core"
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
	mode    string // of the first test row: the method's own
	keys    []string
	err     error // the first trouble since the last write
}

// metricKey names a number: a field of train rows, or of test rows of one task
// and mode. own marks the method's own mode on the task in training.
type metricKey struct {
	kind, task, mode, field string
	own                     bool
}

// metric is where a number goes.
type metric struct {
	tag    string    // in TensorBoard
	series []*series // in Sacred
}

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
	return &views{tb: tb, sacred: s, metrics: map[metricKey]metric{}}, nil
}

// add takes over the finite numbers of train and test rows, by ascending key.
func (v *views) add(e *core.Event, wall float64) {
	key := metricKey{kind: e.Kind}
	switch e.Kind {
	case "train":
	case "test":
		key.task, _ = e.Fields["test_task"].(string)
		key.mode, _ = e.Fields["mode"].(string)
		if v.mode == "" {
			v.mode = key.mode
		}
		key.own = key.mode == v.mode && (key.task == "" || key.task == e.Task)
	default:
		return
	}
	v.keys = slices.AppendSeq(v.keys[:0], maps.Keys(e.Fields))
	slices.Sort(v.keys)
	v.tb.begin(wall, e.TEnv)
	for _, field := range v.keys {
		x, ok := number(e.Fields[field])
		if !ok {
			continue
		}
		key.field = field
		if m, ok := v.metric(key); ok {
			v.tb.scalar(m.tag, x)
			for _, s := range m.series {
				s.add(e.TEnv, wall, x)
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
		m = metric{"train/" + k.field, []*series{v.sacred.at(k.field)}}
	} else {
		suffix := ""
		for _, s := range []string{k.task, k.mode} {
			if s != "" {
				suffix += "/" + s
			}
		}
		m = metric{"test/" + k.field + suffix, []*series{v.sacred.at("test_" + k.field + suffix)}}
		if k.own && suffix != "" {
			m.series = append(m.series, v.sacred.at("test_"+k.field))
		}
	}
	v.metrics[k] = m
	return m, true
}

// write brings the files up to date.
func (v *views) write(s Status, wall float64) error {
	err := errors.Join(v.err, v.tb.flush(), v.sacred.write(s, wall))
	v.err = nil
	return err
}

func (v *views) close() error { return v.tb.close() }
