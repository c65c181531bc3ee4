package macpro

import (
	"math"
	"slices"

	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/rng"
)

// center is where a group's contexts lie: their mean c_k, and l_k, the mean
// distance to it (Eq. of the expansion test in the paper).
type center struct {
	head   int
	mean   []float32
	radius float64
}

// centerOf computes the center of a group from the means of its contexts.
func centerOf(head int, means [][]float32) center {
	c := center{head: head, mean: make([]float32, len(means[0]))}
	for d := range c.mean {
		sum := 0.0
		for _, m := range means {
			sum += float64(m[d])
		}
		c.mean[d] = float32(sum / float64(len(means)))
	}
	c.radius = c.distance(means)
	return c
}

// distance is the mean distance of contexts to the center: l'_k for contexts of
// a new task.
func (c center) distance(means [][]float32) float64 {
	sum := 0.0
	for _, m := range means {
		sum += apart(c.mean, m)
	}
	return sum / float64(len(means))
}

func apart(a, b []float32) float64 {
	sum := 0.0
	for d, x := range a {
		gap := float64(x) - float64(b[d])
		sum += gap * gap
	}
	return math.Sqrt(sum)
}

// nearestOther is the distance of center i to the nearest other one, 0 if there
// is none.
func nearestOther(cs []center, i int) float64 {
	least := math.Inf(1)
	for j := range cs {
		if j != i {
			least = min(least, apart(cs[i].mean, cs[j].mean))
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// freshCenters are centers of the newest episodes, which stay as they are until g
// or D' changes: a test asks for them once for every task and mode.
type freshCenters struct {
	net      *nn.Network
	version  uint64
	inserted int64
	centers  []center
}

// centers gives the center of every group that has a context: its D' holds a
// batch and the encoders were trained at least once.
func (m *method) centers(src rng.Source) ([]center, error) {
	if m.steps == 0 {
		return nil, nil
	}
	if m.cfg.CenterMode == keyCached {
		return m.cached, nil
	}
	if m.cfg.CenterFrom != keyNewest {
		return m.computeCenters(src)
	}
	g := m.trainer.g.net
	now := freshCenters{net: g, version: g.Version(), inserted: m.inserted, centers: m.fresh.centers}
	if m.fresh.net != g || m.fresh.version != now.version || m.fresh.inserted != now.inserted {
		var err error
		if now.centers, err = m.computeCenters(src); err != nil {
			return nil, err
		}
		m.fresh = now
	}
	return slices.Clone(m.fresh.centers), nil
}

// computeCenters encodes a batch of every group.
func (m *method) computeCenters(src rng.Source) ([]center, error) {
	heads, bs := m.ready(), m.cfg.ContextBatch
	eps := make([]*episode.Episode, len(heads)*bs)
	sample := src.Stream()
	for i, k := range heads {
		part := eps[i*bs : (i+1)*bs]
		var err error
		if m.cfg.CenterFrom == keyNewest {
			err = m.store.Newest(k, part)
		} else {
			err = m.store.Sample(k, part, sample)
		}
		if err != nil {
			return nil, err
		}
	}
	means, err := m.trainer.readG.means(eps)
	if err != nil {
		return nil, err
	}
	var cs []center
	for i, k := range heads {
		cs = append(cs, centerOf(k, means[i*bs:(i+1)*bs]))
	}
	return cs, nil
}
