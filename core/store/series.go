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
	seen   int // points offered
	stride int // every stride-th is kept
}

func (s *series) add(step int64, wall, value float64) {
	s.stride = max(s.stride, 1)
	keep := s.seen%s.stride == 0
	s.seen++
	if !keep {
		return
	}
	if len(s.steps) == maxPoints {
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
