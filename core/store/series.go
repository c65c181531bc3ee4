package store

// maxPoints bounds the points of one curve.
const maxPoints = 2048

// series is a curve in bounded memory: when it is full, every second point is
// dropped and from then on only every second new one is kept. The points that
// stay depend on nothing but the sequence.
type series struct {
	steps  []int64
	walls  []float64
	values []float64
	seen   int  // points offered
	stride int  // every stride-th is kept
	kept   bool // the last point was
}

func (s *series) add(step int64, wall, value float64) {
	s.stride = max(s.stride, 1)
	s.kept = s.seen%s.stride == 0
	s.seen++
	if !s.kept {
		return
	}
	if len(s.steps) == maxPoints { // an even number: this point stays at the doubled stride
		s.steps, s.walls, s.values = halve(s.steps), halve(s.walls), halve(s.values)
		s.stride *= 2
	}
	s.steps, s.walls, s.values = append(s.steps, step), append(s.walls, wall), append(s.values, value)
}

// halve keeps the elements 0, 2, 4, ...
func halve[T any](v []T) []T {
	for i := 0; 2*i < len(v); i++ {
		v[i] = v[2*i]
	}
	return v[:(len(v)+1)/2]
}

// mean is a curve whose points are means over all values of one step.
type mean struct {
	*series
	step int64
	sum  float64
	n    float64
}

func (m *mean) add(step int64, wall, value float64) {
	if m.n == 0 || step != m.step {
		m.step, m.sum, m.n = step, value, 1
		m.series.add(step, wall, value)
		return
	}
	m.sum, m.n = m.sum+value, m.n+1
	if m.kept {
		m.values[len(m.values)-1] = m.sum / m.n
	}
}
